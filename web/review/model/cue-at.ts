/** Finds cues by time: they are in order of their starts; those of a file may overlap. */
import { lastAtOrBefore } from './last-at-or-before.ts';
import type { ReviewCue } from './cue.ts';

/**
 * The position of the last cue that starts at or before a time, in seconds; -1 if there is none.
 */
export const lastStartedAt = (cues: readonly ReviewCue[], time: number): number =>
  lastAtOrBefore(cues.length, (index) => cues[index]!.start, time);

/** How many cues back one that is still shown may have started. */
const OVERLAPPING = 16;

/** The cue shown at a time, of several the last to start; undefined between cues. */
export function cueAt(cues: readonly ReviewCue[], time: number): ReviewCue | undefined {
  const last = lastStartedAt(cues, time);
  return cues.slice(Math.max(0, last - OVERLAPPING), last + 1).findLast(({ end }) => time < end);
}

/**
 * The cue to which commands apply at a time: the one shown there, in a gap the one before it. The
 * current cue stays if it is shown as well, or if the gap is beside it: its start or end may be
 * about to move there.
 */
export function cueToEdit(
  cues: readonly ReviewCue[],
  current: number,
  time: number,
): ReviewCue | undefined {
  const now = cues[current];
  if (now && now.start <= time && time < now.end) return now;
  const last = lastStartedAt(cues, time);
  return (
    cueAt(cues, time) ??
    (now && (current === last || current === last + 1) ? now : cues[Math.max(0, last)])
  );
}
