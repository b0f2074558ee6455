/** Inserts and removes cues. */
import { countCharacters, speedLimitOf } from '../../../server/captions/rules/reading-speed.ts';
import { GAP } from '../../../server/captions/divide/timing.ts';
import type { CaptionSettings } from '../../../server/contract/captions.ts';
import { textOf, type ReviewCue } from './cue.ts';
import { lengthOf, retimed, availableTime, shortestOf, toMs } from './available-time.ts';
import type { Splice } from './splice.ts';

/** The duration of a new cue if there is room, in milliseconds. */
const NEW_CUE = 2000;

/**
 * Inserts an empty cue after another, at the minimum gap from both neighbours: for 2 s, or for the
 * time between them if that is shorter. If that time is less than `minDuration`, the neighbours are
 * shortened: first by the time they do not need for reading, then down to `minDuration` each. Null
 * if even that is not enough.
 * @param index the position of the cue before it; -1 inserts before the first cue
 * @param id the id of the new cue
 */
export function insertAfter(
  cues: readonly ReviewCue[],
  index: number,
  id: number,
  settings: CaptionSettings,
): Splice | null {
  if (!Number.isInteger(index) || index < -1 || index >= cues.length) return null;
  const [before, after] = [cues[index], cues[index + 1]];
  const gap = toMs(GAP);
  const room = availableTime(cues, index + 1, index);
  const [from, to] = [room.from + (before ? gap : 0), room.to - (after ? gap : 0)];
  const least = toMs(settings.minDuration);
  const given = shares(Math.max(0, least - (to - from)), before, after, settings);
  if (!given) return null;
  const free = { from: from - given.before, to: to + given.after };
  const length = Math.min(NEW_CUE, free.to - free.from);
  const start = before || !after ? free.from : free.to - length;
  const cue = { id, start: start / 1000, end: (start + length) / 1000, lines: [''] };
  if (given.before + given.after === 0) return { at: index + 1, removed: [], inserted: [cue] };
  const left = before ? [retimed(before, toMs(before.start), toMs(before.end) - given.before)] : [];
  const right = after ? [retimed(after, toMs(after.start) + given.after, toMs(after.end))] : [];
  return {
    at: index + 1 - left.length,
    removed: cues.slice(index + 1 - left.length, index + 1 + right.length),
    inserted: [...left, cue, ...right],
  };
}

/**
 * The part of the missing time that each neighbour loses, in milliseconds, in proportion to what it
 * can spare.
 */
function shares(
  missing: number,
  before: ReviewCue | undefined,
  after: ReviewCue | undefined,
  settings: CaptionSettings,
): { before: number; after: number } | null {
  if (missing === 0) return { before: 0, after: 0 };
  const spare = (cue: ReviewCue | undefined, keeps: number): number =>
    cue ? Math.max(0, lengthOf(cue) - Math.max(shortestOf(cue, settings), keeps)) : 0;
  const unread = [before, after].map((cue) => spare(cue, cue ? readingTime(cue) : 0));
  const most = [before, after].map((cue) => spare(cue, 0));
  const enough = [unread, most].find(([one = 0, other = 0]) => one + other >= missing);
  if (!enough) return null;
  const [one = 0, other = 0] = enough;
  const first = Math.round((missing * one) / (one + other));
  return { before: first, after: missing - first };
}

/** The time needed to read a cue, in milliseconds. */
const readingTime = (cue: ReviewCue): number =>
  Math.ceil((countCharacters(cue.lines) * 1000) / speedLimitOf(textOf(cue)));

/**
 * The first cue of a review without cues, or one after the last: empty, for 2 s from a time.
 * @param from seconds
 * @param id the id of the new cue
 */
export const insertAtEnd = (cues: readonly ReviewCue[], from: number, id: number): Splice => {
  const start = Math.max(toMs(from), cues.length > 0 ? toMs(cues.at(-1)!.end) + toMs(GAP) : 0);
  const cue = { id, start: start / 1000, end: (start + NEW_CUE) / 1000, lines: [''] };
  return { at: cues.length, removed: [], inserted: [cue] };
};

/**
 * Inserts an empty cue in a stretch without captions, for at most the longest duration of a cue.
 * @param id the id of the new cue
 */
export function insertIn(
  cues: readonly ReviewCue[],
  { start, end }: Pick<ReviewCue, 'start' | 'end'>,
  id: number,
  { maxDuration }: Pick<CaptionSettings, 'maxDuration'>,
): Splice {
  const after = cues.findIndex((cue) => cue.start >= start);
  const until = Math.min(toMs(end), toMs(start) + toMs(maxDuration));
  const cue = { id, start: toMs(start) / 1000, end: until / 1000, lines: [''] };
  return { at: after < 0 ? cues.length : after, removed: [], inserted: [cue] };
}

/** Removes a cue. */
export function remove(cues: readonly ReviewCue[], index: number): Splice | null {
  const cue = cues[index];
  return cue ? { at: index, removed: [cue], inserted: [] } : null;
}
