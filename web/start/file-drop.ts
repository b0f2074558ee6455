/** Takes files dropped anywhere, so that a file that misses the field does not replace the page. */
import { CAPTION_ENDINGS } from '../../server/captions/files/formats.ts';

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
  ...CAPTION_ENDINGS.map((ending) => `.${ending}`),
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
