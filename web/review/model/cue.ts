/** A cue as the review holds it. */
import type { CaptionCue } from '../../../server/contract/captions.ts';

/** A cue that keeps its identity while others come and go; it is never changed in place. */
export interface ReviewCue {
  /** Unique within a review, and never used again. */
  readonly id: number;
  /** Seconds in whole milliseconds, as is `end`. */
  readonly start: number;
  readonly end: number;
  readonly lines: readonly string[];
}

/** The cues of a result as a review begins with them: ids from 1 in order. */
export const reviewCues = (cues: readonly CaptionCue[]): ReviewCue[] =>
  cues.map(({ start, end, lines }, at) => ({
    id: at + 1,
    start: wholeMs(start),
    end: wholeMs(end),
    lines: [...lines],
  }));

/** The text as it is edited: its lines with `\n` between them. */
export const textOf = ({ lines }: Pick<ReviewCue, 'lines'>): string => lines.join('\n');

/** Seconds rounded to whole milliseconds. */
const wholeMs = (seconds: number): number => Math.round(seconds * 1000) / 1000;

/** Whether two cues are shown alike: the same times and the same lines. */
export const sameCue = (a: ReviewCue, b: ReviewCue): boolean =>
  a === b || (a.start === b.start && a.end === b.end && sameLines(a.lines, b.lines));

/** Whether two cues have the same lines. */
export const sameLines = (a: readonly string[], b: readonly string[]): boolean =>
  a === b || (a.length === b.length && a.every((line, at) => line === b[at]));
