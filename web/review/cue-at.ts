/** Finding cues by time: they are in order and never overlap. */
import type { ReviewCue } from './model/cue.ts';

/** The position of the last cue that starts at or before a time, in seconds; -1 where there is none. */
export function lastStartedAt(cues: readonly ReviewCue[], time: number): number {
  let low = 0;
  let high = cues.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((cues[middle]?.start ?? 0) <= time) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** The cue that is shown at a time; undefined between cues. */
export function cueAt(cues: readonly ReviewCue[], time: number): ReviewCue | undefined {
  const cue = cues[lastStartedAt(cues, time)];
  return cue && time < cue.end ? cue : undefined;
}
