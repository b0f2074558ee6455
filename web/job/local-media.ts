/** The files opened in this page, by run, for playback in a review. */
import { signal } from '@preact/signals';

const files = signal<ReadonlyMap<string, File>>(new Map());

/** The file of a run; undefined if none was opened since the page was loaded. */
export const localMedia = (runId: string): File | undefined => files.value.get(runId);

/** Sets the file of a run. */
export function setLocalMedia(runId: string, file: File): void {
  files.value = new Map(files.peek()).set(runId, file);
}
