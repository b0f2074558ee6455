/** The recordings that somebody has dropped or chosen, kept while they sign in or look elsewhere. */
import { computed, signal } from '@preact/signals';
import { text } from '../strings.ts';
import { isCaptionsFile, openCaptions } from './open-captions.ts';

/** The files; several make a queue. */
export const chosenFiles = signal<readonly File[]>([]);

/** The first of them; null before one is chosen. */
const chosenFile = computed(() => chosenFiles.value[0] ?? null);

/** What to say about the last choice; empty where there is nothing to say. */
export const fileRemark = signal('');

/** Takes recordings; captions among them open at the desk, with the recording beside them. */
export function chooseFile(files: readonly File[]): void {
  const captions = files.find(isCaptionsFile);
  if (captions) {
    const media = files.find((each) => !isCaptionsFile(each)) ?? chosenFile.peek() ?? undefined;
    void openCaptions(captions, media).then((remark) => (fileRemark.value = remark));
    return;
  }
  const recordings = files.filter(({ size }) => size > 0);
  const empty = files.find(({ size }) => size === 0);
  fileRemark.value = empty ? text.start.empty(empty.name) : '';
  if (recordings.length > 0) chosenFiles.value = recordings;
}
