/** The files opened in this page, by run, for playback in a review. */
import { signal } from '@preact/signals';

const files = signal<ReadonlyMap<string, File>>(new Map());

/** The file of a run; undefined if none was opened since the page was loaded. */
export const localMedia = (runId: string): File | undefined => files.value.get(runId);

/** Sets the file of a run. */
export function setLocalMedia(runId: string, file: File): void {
  files.value = new Map(files.peek()).set(runId, file);
}

/** A recording that is loaded once its captions are shown, with the first picture of its video. */
interface ComingMedia {
  /** An address. */
  readonly picture: string;
  /** Loads the media, which is then a file of the run, unless that fails. */
  load(): Promise<void>;
}

const coming = new Map<string, ComingMedia>();

/** Announces the media of a run. */
export function announceMedia(runId: string, media: ComingMedia): void {
  coming.set(runId, media);
}

/** The media that a run is to have, once; undefined if none was announced. */
export function comingMedia(runId: string): ComingMedia | undefined {
  const media = coming.get(runId);
  coming.delete(runId);
  return media;
}
