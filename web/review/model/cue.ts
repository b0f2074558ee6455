/** A cue as the review holds it. */
import type { Placement, TimedLines } from '../../../server/captions/cue.ts';
import type { CaptionCue } from '../../../server/contract/captions.ts';

/** A cue that keeps its identity while others come and go; it is never changed in place. */
export interface ReviewCue {
  /** Unique within a review, and never used again. */
  readonly id: number;
  /** Seconds in whole milliseconds, as is `end`. */
  readonly start: number;
  readonly end: number;
  readonly lines: readonly string[];
  /** Who speaks: one name for all lines, or one for each; absent where nobody has said. */
  readonly speakers?: readonly string[];
  /** Where it stands in the picture; absent at the bottom, in the middle. */
  readonly placement?: Placement;
}

/** What captions that were read from a file have besides. */
type Read = Pick<ReviewCue, 'speakers' | 'placement'>;

/** The cues of a result as a review begins with them: ids from 1 in order. */
export const reviewCues = (cues: readonly (CaptionCue & Read)[]): ReviewCue[] =>
  cues.map(({ start, end, lines, speakers, placement }, at) => ({
    id: at + 1,
    start: wholeMs(start),
    end: wholeMs(end),
    lines: [...lines],
    ...(speakers ? { speakers } : {}),
    ...(placement ? { placement } : {}),
  }));

/** The text as it is edited: its lines with `\n` between them. */
export const textOf = ({ lines }: Pick<ReviewCue, 'lines'>): string => lines.join('\n');

/** Seconds rounded to whole milliseconds. */
const wholeMs = (seconds: number): number => Math.round(seconds * 1000) / 1000;

/** Whether two cues are shown alike: the same times and the same lines. */
export const sameCue = (a: TimedLines, b: TimedLines): boolean =>
  a === b || (a.start === b.start && a.end === b.end && sameLines(a.lines, b.lines));

/** Whether two cues are alike in all: speakers and place as well. */
export const sameInAll = (a: ReviewCue, b: ReviewCue): boolean =>
  sameCue(a, b) &&
  sameLines(a.speakers ?? [], b.speakers ?? []) &&
  a.placement?.vertical === b.placement?.vertical &&
  a.placement?.align === b.placement?.align;

/** Whether two cues have the same lines. */
const sameLines = (a: readonly string[], b: readonly string[]): boolean =>
  a === b || (a.length === b.length && a.every((line, at) => line === b[at]));
