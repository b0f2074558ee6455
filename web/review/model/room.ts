/** The time a cue may take between its neighbours. */
import { LAST_INSTANT_MS } from '../../../server/captions/clock.ts';
import type { CaptionSettings } from '../../../server/contract/captions.ts';
import type { ReviewCue } from './cue.ts';

/** Seconds as a whole number of milliseconds: times are reckoned in these, to stay exact. */
export const toMs = (seconds: number): number => Math.round(seconds * 1000);

/** From the end of the cue before to the start of the one after, in milliseconds. */
export interface Room {
  readonly from: number;
  readonly to: number;
}

/** The room of the cues from `first` to `last`, at most that of the clock of captions. */
export function roomOf(cues: readonly ReviewCue[], first: number, last = first): Room {
  const before = cues[first - 1];
  const after = cues[last + 1];
  return {
    from: before ? toMs(before.end) : 0,
    to: after ? toMs(after.start) : LAST_INSTANT_MS,
  };
}

/** How long a cue is shown, in milliseconds. */
export const lengthOf = (cue: ReviewCue): number => toMs(cue.end) - toMs(cue.start);

/** How short a cue may become for the sake of another, in milliseconds: no shorter than it is. */
export const shortestOf = (
  cue: ReviewCue,
  { minDuration }: Pick<CaptionSettings, 'minDuration'>,
): number => Math.min(Math.max(1, toMs(minDuration)), lengthOf(cue));

/** A cue with other times, in milliseconds. */
export const retimed = (cue: ReviewCue, start: number, end: number): ReviewCue => ({
  ...cue,
  start: start / 1000,
  end: end / 1000,
});

/** The value between two bounds that is nearest; the lower bound where they are crossed. */
export const clamp = (value: number, low: number, high: number): number =>
  Math.max(low, Math.min(high, value));
