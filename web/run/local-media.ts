/** The files that were opened here, by run: a review plays them, and they never leave this page. */
import { signal } from '@preact/signals';

const files = signal<ReadonlyMap<string, File>>(new Map());

/** The file of a run; undefined where none was opened since the page was loaded. */
export const localMedia = (runId: string): File | undefined => files.value.get(runId);

/** Takes a file for a run. */
export function setLocalMedia(runId: string, file: File): void {
  files.value = new Map(files.peek()).set(runId, file);
}
