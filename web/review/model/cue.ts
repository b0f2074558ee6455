/** A cue as a review holds it. */
import type { Placement, TimedLines } from '../../../server/captions/cue.ts';
import type { CaptionCue } from '../../../server/contract/captions.ts';

/** A cue with an identity that lasts while others are added and removed; never changed in place. */
export interface ReviewCue {
  /** Unique within a review, and never reused. */
  readonly id: number;
  /** Seconds, rounded to whole milliseconds, as is `end`. */
  readonly start: number;
  readonly end: number;
  readonly lines: readonly string[];
  /** The speakers: one name for all lines, or one for each; absent if not known. */
  readonly speakers?: readonly string[];
  /** The position in the picture; absent for the bottom centre. */
  readonly placement?: Placement;
}

/** The additional fields of captions that were read from a file. */
type Read = Pick<ReviewCue, 'speakers' | 'placement'>;

/** The cues of a result as a review starts with them, with ids from 1 in order. */
export const reviewCues = (cues: readonly (CaptionCue & Read)[]): ReviewCue[] =>
  cues.map(({ start, end, lines, speakers, placement }, at) => ({
    id: at + 1,
    start: wholeMs(start),
    end: wholeMs(end),
    lines,
    ...(speakers ? { speakers } : {}),
    ...(placement ? { placement } : {}),
  }));

/** By how many seconds a cue overlaps the next; 0 if it ends first. Only cues of a file ever do. */
export const overlapOf = (cue: TimedLines, next: TimedLines | undefined): number =>
  next && cue.end > next.start ? wholeMs(cue.end - next.start) : 0;

/** The text as it is edited: the lines joined by `\n`. */
export const textOf = ({ lines }: Pick<ReviewCue, 'lines'>): string => lines.join('\n');

/** Seconds rounded to whole milliseconds. */
const wholeMs = (seconds: number): number => Math.round(seconds * 1000) / 1000;

/** Whether two cues have the same times and the same lines. */
export const sameCue = (a: TimedLines, b: TimedLines): boolean =>
  a === b || (a.start === b.start && a.end === b.end && sameLines(a.lines, b.lines));

/** Whether two cues are the same in everything, including speakers and placement. */
export const sameInAll = (a: ReviewCue, b: ReviewCue): boolean =>
  sameCue(a, b) &&
  sameLines(a.speakers ?? [], b.speakers ?? []) &&
  a.placement?.vertical === b.placement?.vertical &&
  a.placement?.align === b.placement?.align;

const sameLines = (a: readonly string[], b: readonly string[]): boolean =>
  a === b || (a.length === b.length && a.every((line, at) => line === b[at]));
