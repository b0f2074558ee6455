/** The recording that somebody has dropped or chosen, kept while they sign in or look elsewhere. */
import { signal } from '@preact/signals';
import { text } from '../strings.ts';
import { isCaptionsFile, openCaptions } from './open-captions.ts';

/** The file; null before one is chosen. */
export const chosenFile = signal<File | null>(null);

/** What to say about the last choice; empty where there is nothing to say. */
export const fileRemark = signal('');

/** Takes the first of some files; captions among them open at the desk, with the recording beside them. */
export function chooseFile(files: readonly File[]): void {
  const [file] = files;
  if (!file) return;
  const captions = files.find(isCaptionsFile);
  if (captions) {
    const media = files.find((each) => !isCaptionsFile(each)) ?? chosenFile.peek() ?? undefined;
    void openCaptions(captions, media).then((remark) => (fileRemark.value = remark));
    return;
  }
  if (file.size === 0) {
    fileRemark.value = text.start.empty;
    return;
  }
  chosenFile.value = file;
  fileRemark.value = files.length > 1 ? text.start.oneFile : '';
}
