/** The time available to a cue between its neighbours. */
import { LATEST_MS } from '../../../server/captions/timestamps.ts';
import type { CaptionSettings } from '../../../server/contract/captions.ts';
import type { ReviewCue } from './cue.ts';

/** Seconds as whole milliseconds: times are computed in these, to stay exact. */
export const toMs = (seconds: number): number => Math.round(seconds * 1000);

/** From the end of the previous cue to the start of the next, in milliseconds. */
interface AvailableTime {
  readonly from: number;
  readonly to: number;
}

/** The room of the cues from `first` to `last`, within the range of the caption clock. */
export function availableTime(
  cues: readonly ReviewCue[],
  first: number,
  last = first,
): AvailableTime {
  const before = cues[first - 1];
  const after = cues[last + 1];
  return {
    from: before ? toMs(before.end) : 0,
    to: after ? toMs(after.start) : LATEST_MS,
  };
}

/** The duration of a cue, in milliseconds. */
export const lengthOf = (cue: ReviewCue): number => toMs(cue.end) - toMs(cue.start);

/**
 * The shortest duration, in milliseconds, to which another cue's edit may cut a cue: at most its
 * current one.
 */
export const shortestOf = (
  cue: ReviewCue,
  { minDuration }: Pick<CaptionSettings, 'minDuration'>,
): number => Math.min(Math.max(1, toMs(minDuration)), lengthOf(cue));

/** A cue with new times, given in milliseconds. */
export const retimed = (cue: ReviewCue, start: number, end: number): ReviewCue => ({
  ...cue,
  start: start / 1000,
  end: end / 1000,
});

/** The value limited to a range; the lower bound if the bounds are crossed. */
export const clamp = (value: number, low: number, high: number): number =>
  Math.max(low, Math.min(high, value));
