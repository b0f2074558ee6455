/** Keeps the indexes of recordings between the pieces of their runs. */
import type { Compute } from '../../compute.ts';
import type { AudioSource } from '../../mp3/audio-source.ts';
import { indexMp3, type Mp3Index } from '../../mp3/frames.ts';

/** The number of indexes kept between the pieces of runs; each takes 3 MB for seven hours of recording. */
const KEPT_INDEXES = 8;

/**
 * Caches indexes by the name that a plan gives its recording. Each is built once per run, and again if another process
 * continues the run.
 */
export function createIndexCache() {
  const indexes = new Map<string, Promise<Mp3Index>>();
  return (
    recording: string,
    audio: AudioSource,
    signal: AbortSignal,
    compute: Compute,
  ): Promise<Mp3Index> => {
    const known = indexes.get(recording);
    if (known) return known;
    const made = compute(() => indexMp3(audio, signal));
    indexes.set(recording, made);
    made.catch(() => indexes.delete(recording));
    for (const oldest of indexes.keys()) {
      if (indexes.size <= KEPT_INDEXES) break;
      indexes.delete(oldest);
    }
    return made;
  };
}
