/** Edits of when cues are shown. None makes a cue overlap another, nor last less than 1 ms. */
import { GAP } from '../../../server/captions/timing.ts';
import type { ReviewCue } from './cue.ts';
import { clamp, retimed, roomOf, toMs } from './room.ts';
import { replaceCues, type Splice } from './splice.ts';

/**
 * Sets a cue's start, its end or both, in seconds: rounded to milliseconds, and held between its
 * neighbours. A start alone moves no end, nor an end a start.
 */
export function setTimes(
  cues: readonly ReviewCue[],
  index: number,
  times: { readonly start?: number; readonly end?: number },
): Splice | null {
  const cue = cues[index];
  const { from, to } = roomOf(cues, index);
  if (!cue || to <= from) return null;
  const wanted = { start: toMs(times.start ?? cue.start), end: toMs(times.end ?? cue.end) };
  if (Number.isNaN(wanted.start) || Number.isNaN(wanted.end)) return null;
  const latestStart = (times.end === undefined ? Math.min(to, wanted.end) : to) - 1;
  const start = clamp(wanted.start, from, latestStart);
  return replaceCues(cues, index, 1, [retimed(cue, start, clamp(wanted.end, start + 1, to))]);
}

/** Moves a cue by so many seconds, as far as its neighbours allow; it lasts as long as before. */
export const nudge = (cues: readonly ReviewCue[], index: number, seconds: number): Splice | null =>
  move(cues, index, index, seconds);

/** Moves a cue and all that follow by so many seconds, as far as the cue before allows. */
export const shift = (cues: readonly ReviewCue[], index: number, seconds: number): Splice | null =>
  move(cues, index, cues.length - 1, seconds);

function move(
  cues: readonly ReviewCue[],
  first: number,
  last: number,
  seconds: number,
): Splice | null {
  const [opening, closing] = [cues[first], cues[last]];
  if (!opening || !closing || Number.isNaN(seconds)) return null;
  const { from, to } = roomOf(cues, first, last);
  const by = clamp(toMs(seconds), from - toMs(opening.start), to - toMs(closing.end));
  if (by === 0) return null;
  const moved = cues
    .slice(first, last + 1)
    .map((cue) => retimed(cue, toMs(cue.start) + by, toMs(cue.end) + by));
  return replaceCues(cues, first, moved.length, moved);
}

/** Lets a cue begin, or end, at the least gap from its neighbour where there is a longer one. */
export function snapToNeighbour(
  cues: readonly ReviewCue[],
  index: number,
  side: 'start' | 'end',
): Splice | null {
  const cue = cues[index];
  const neighbour = cues[side === 'start' ? index - 1 : index + 1];
  if (!cue || !neighbour) return null;
  const { from, to } = roomOf(cues, index);
  const [start, end] = [toMs(cue.start), toMs(cue.end)];
  const gap = toMs(GAP);
  const snapped =
    side === 'start'
      ? retimed(cue, Math.min(start, from + gap), end)
      : retimed(cue, start, Math.max(end, to - gap));
  return replaceCues(cues, index, 1, [snapped]);
}
