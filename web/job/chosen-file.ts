/**
 * Files that are dropped on a page or chosen in the browser's dialog; recordings are kept while the user signs in or
 * visits another page.
 */
import { computed, signal } from '@preact/signals';
import { CAPTION_ENDINGS } from '../../server/captions/files/formats.ts';
import { HANDOUT_ENDINGS } from '../../server/handouts/endings.ts';
import { loadPart } from '../api/load-part.ts';
import { text } from '../texts/shell.ts';

/** The files; several become a queue. */
export const chosenFiles = signal<readonly File[]>([]);

/** Files with names that were dropped or chosen: slides, a programme, a list of speakers. */
export const namedFiles = signal<readonly File[]>([]);

/** The first of the recordings; null if there is none. */
const chosenFile = computed(() => chosenFiles.value[0] ?? null);

/** A message about the last choice; usually empty. */
export const fileRemark = signal('');

/** Whether a file holds captions, by its name. */
export const isCaptionsFile = ({ name }: { name: string }): boolean =>
  CAPTION_ENDINGS.includes(/\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? '');

/** Whether a file holds names rather than captions or sound, by its ending. */
const holdsNames = (file: { name: string }): boolean =>
  !isCaptionsFile(file) &&
  HANDOUT_ENDINGS.includes(/\.([^.]+)$/.exec(file.name)?.[1]?.toLowerCase() ?? '');

/**
 * Takes recordings; a caption file among them opens in the editor, with the recording. Several caption files get a page
 * of their own, and the names in files with names are offered for the glossary.
 */
export function chooseFile(given: readonly File[]): void {
  const named = given.filter(holdsNames);
  if (named.length > 0) namedFiles.value = named;
  const files = given.filter((file) => !holdsNames(file));
  if (files.length === 0 && named.length > 0) return;
  const [captions, ...more] = files.filter(isCaptionsFile);
  if (captions && more.length > 0) {
    void openSeveral(
      [captions, ...more],
      files.filter((each) => !isCaptionsFile(each)),
    );
    return;
  }
  if (captions) {
    const media = files.find((each) => !isCaptionsFile(each)) ?? chosenFile.peek() ?? undefined;
    void loadPart(() => import('./open-captions.ts'))
      .then(({ openCaptions }) => openCaptions(captions, media))
      .then((remark) => (fileRemark.value = remark));
    return;
  }
  const recordings = files.filter(({ size }) => size > 0);
  const empty = files.find(({ size }) => size === 0);
  fileRemark.value = empty ? text.start.empty(empty.name) : '';
  if (recordings.length > 0) chosenFiles.value = recordings;
}

/** Recordings that belong to none of the caption files stay chosen. */
async function openSeveral(captions: readonly File[], media: readonly File[]): Promise<void> {
  const { openAll } = await loadPart(() => import('./caption-files.ts'));
  chosenFiles.value = openAll(captions, media);
}

/**
 * Listens for files.
 * @param onOver whether files are held over the page
 * @returns a function that stops this
 */
export function listenForFiles(
  onOver: (isOver: boolean) => void,
  take: (files: readonly File[]) => unknown,
): () => void {
  const stop = new AbortController();
  const { signal } = stop;
  const drag = (event: DragEvent) => {
    if (!event.dataTransfer?.types.includes('Files')) return;
    event.preventDefault();
    onOver(true);
  };
  const leave = (event: DragEvent) => {
    if (event.relatedTarget === null) onOver(false);
  };
  const drop = (event: DragEvent) => {
    onOver(false);
    const files = [...(event.dataTransfer?.files ?? [])];
    // Dropped text goes into its field.
    if (files.length === 0) return;
    event.preventDefault();
    take(files);
  };
  addEventListener('dragover', drag, { signal });
  addEventListener('dragleave', leave, { signal });
  addEventListener('drop', drop, { signal });
  return () => stop.abort();
}

/** The files that can be chosen. */
export const ACCEPTED = [
  'video/*,audio/*,.mp3,.mp4,.m4a,.mov,.mkv,.webm,.wav,.flac,.ogg,.opus,.aac',
  ...[...CAPTION_ENDINGS, ...HANDOUT_ENDINGS].map((ending) => `.${ending}`),
].join(',');

/**
 * Opens the dialog; `take` receives the chosen files. Browsers open it only after a key press or a
 * click.
 */
export function pickFiles(take: (files: readonly File[]) => unknown): void {
  const input = document.createElement('input');
  input.type = 'file';
  input.multiple = true;
  input.accept = ACCEPTED;
  input.addEventListener('change', () => take([...input.files!]), { once: true });
  input.click();
}
