/** A cue as a review holds it. */
import type { Placement, TimedLines, Caption } from '../../../server/captions/cue.ts';
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

/** A caption in its shared form; times in seconds, rounded to whole milliseconds. */
export interface SharedCue {
  readonly start: number;
  readonly end: number;
  readonly lines: readonly string[];
  /** The speakers: one, or several with a line for each (cue-speakers.ts). */
  readonly speaker?: string | undefined;
}

/** The speaker of each line; empty if not known. */
export const speakersOf = ({ lines, speakers = [] }: ReviewCue): string[] =>
  lines.map((_, at) => speakers[Math.min(at, speakers.length - 1)] ?? '');

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
 * The position of the last of `count` ascending values that is at or below a value; -1 if there is
 * none.
 */
export function lastAtOrBefore(
  count: number,
  valueAt: (index: number) => number,
  value: number,
): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (valueAt(middle) <= value) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** The time of a position in the text, in seconds: each character takes an equal share. */
export function timeAt(cue: ReviewCue, offset: number): number {
  const { length } = textOf(cue);
  return length === 0 ? cue.start : cue.start + (cue.end - cue.start) * (offset / length);
}

const TAG = /<(\/?)i>/gi;

/**
 * The two parts of a text; italics that span the cut are closed in the first and reopened in the
 * second.
 */
export function cutItalics(left: string, right: string): [string, string] {
  const open = [...left.matchAll(TAG)].reduce((depth, [, closes]) => (closes ? 0 : depth + 1), 0);
  if (open === 0 || !/<\/i>/i.test(right)) return [left, right];
  // At either end of the italics, nothing of them is left on one side.
  const before = /<i>$/i.test(left) ? left.slice(0, -'<i>'.length).trimEnd() : `${left}</i>`;
  return [before, `<i>${right}`.replace(/^<i><\/i>\s*/i, '')];
}

/** A text without italic tags. */
export const withoutTags = (text: string): string => text.replaceAll(TAG, '');

/**
 * The cues for a file: without the spaces and empty lines left from typing, and without cues that
 * have no text.
 */
export const tidyCues = (cues: readonly ReviewCue[]): Caption[] =>
  cues.flatMap((cue) => {
    const { start, end, lines, placement } = cue;
    const names = speakersOf(cue);
    const kept = lines.flatMap((line, at) => (line.trim() === '' ? [] : [at]));
    if (kept.length === 0) return [];
    const speakers = kept.map((at) => names[at] ?? '');
    return [
      {
        start,
        end,
        lines: kept.map((at) => lines[at]?.trim() ?? ''),
        ...(speakers.some((name) => name !== '') ? { speakers } : {}),
        ...(placement ? { placement } : {}),
      },
    ];
  });
