/** Finds cues by time: they are in order and never overlap. */
import { lastAtOrBefore } from './last-at-or-before.ts';
import type { ReviewCue } from './model/cue.ts';

/**
 * The position of the last cue that starts at or before a time, in seconds; -1 if there is none.
 */
export const lastStartedAt = (cues: readonly ReviewCue[], time: number): number =>
  lastAtOrBefore(cues.length, (index) => cues[index]!.start, time);

/** The cue shown at a time; undefined between cues. */
export function cueAt(cues: readonly ReviewCue[], time: number): ReviewCue | undefined {
  const cue = cues[lastStartedAt(cues, time)];
  return cue && time < cue.end ? cue : undefined;
}
