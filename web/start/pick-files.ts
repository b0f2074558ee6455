/** Lets the user choose recordings and caption files in the browser's dialog. */
import { CAPTION_ENDINGS } from '../../server/captions/files/formats.ts';

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
