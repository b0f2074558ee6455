/**
 * Edits the times of cues. An edge that comes closer to its neighbour than the minimum gap pushes
 * the neighbour's edge along. No edit makes cues overlap, makes one shorter than 1 ms, or makes a
 * neighbour too short to read: the edit then goes as far as it can, and reports what stopped it.
 */
import { LATEST_MS } from '../../../server/captions/timestamps.ts';
import { GAP } from '../../../server/captions/divide/timing.ts';
import type { CaptionSettings } from '../../../server/contract/captions.ts';
import type { ReviewCue } from './cue.ts';
import { clamp, retimed, availableTime, shortestOf, toMs } from './available-time.ts';
import { replaceCues, type Splice } from './splice.ts';

/** What stops cues from moving as far as wanted. */
export interface MoveLimit {
  /** The obstacle: the previous or next cue, the cue itself, or the range of the clock. */
  readonly by: 'previous' | 'next' | 'own' | 'clock';
  /** The edge that was stopped; `move` if whole cues were. */
  readonly edge: 'start' | 'end' | 'move';
  /** Seconds: the furthest possible time of the edge, or how far the cues can be moved. */
  readonly limit: number;
  /** The mode does not allow the neighbour to change. */
  readonly stays?: true;
  /** Several cues were to be moved, and others between or beside them are in the way. */
  readonly many?: true;
}

/** Cues with new times, as close to the wanted ones as possible. */
export interface Retiming {
  /** The position of the first of `cues`. */
  readonly at: number;
  /** They replace the same number of cues, whether or not their times differ. */
  readonly cues: readonly ReviewCue[];
  /** Null if everything is as wanted. */
  readonly limitedBy: MoveLimit | null;
}

type Limits = Pick<CaptionSettings, 'minDuration'>;

/** The splice that applies a retiming; null if no time changes. */
export const retime = (cues: readonly ReviewCue[], { at, cues: timed }: Retiming): Splice | null =>
  replaceCues(cues, at, timed.length, timed);

/**
 * Sets a cue's start, its end or both, in seconds, rounded to milliseconds. Setting one edge alone
 * never moves the other.
 */
export function setTimes(
  cues: readonly ReviewCue[],
  index: number,
  times: { readonly start?: number; readonly end?: number },
  limits: Limits,
): Retiming | null {
  const cue = cues[index];
  if (!cue) return null;
  const wanted = { start: toMs(times.start ?? cue.start), end: toMs(times.end ?? cue.end) };
  if (Number.isNaN(wanted.start) || Number.isNaN(wanted.end)) return null;
  const bounds = boundsOf(cues, index, limits);
  const end = Math.min(wanted.end, bounds.to);
  const lowest = times.start === undefined ? wanted.start : bounds.from;
  const start = clamp(wanted.start, lowest, end - 1);
  const settled = Math.max(end, start + 1);
  return {
    ...rolled(cues, index, start, settled, limits),
    limitedBy:
      wanted.start < start
        ? { by: index > 0 ? 'previous' : 'clock', edge: 'start', limit: start / 1000 }
        : wanted.end > settled
          ? { by: cues[index + 1] ? 'next' : 'clock', edge: 'end', limit: settled / 1000 }
          : wanted.start > start
            ? { by: 'own', edge: 'start', limit: start / 1000 }
            : wanted.end < settled
              ? { by: 'own', edge: 'end', limit: settled / 1000 }
              : null,
  };
}

/** Moves a cue by a number of seconds; its duration stays the same. */
export function nudge(
  cues: readonly ReviewCue[],
  index: number,
  seconds: number,
  limits: Limits,
): Retiming | null {
  const cue = cues[index];
  if (!cue || Number.isNaN(seconds)) return null;
  const bounds = boundsOf(cues, index, limits);
  const [start, end] = [toMs(cue.start), toMs(cue.end)];
  const wanted = toMs(seconds);
  const by = clamp(wanted, bounds.from - start, bounds.to - end);
  const blocked = wanted < 0 ? index > 0 && 'previous' : index + 1 < cues.length && 'next';
  return {
    ...rolled(cues, index, start + by, end + by, limits),
    limitedBy: by === wanted ? null : { by: blocked || 'clock', edge: 'move', limit: by / 1000 },
  };
}

/** Moves a cue and all that follow by a number of seconds. */
export function shift(
  cues: readonly ReviewCue[],
  index: number,
  seconds: number,
  limits: Limits,
): Retiming | null {
  const [cue, last] = [cues[index], cues.at(-1)];
  if (!cue || !last || Number.isNaN(seconds)) return null;
  const wanted = toMs(seconds);
  const { from } = boundsOf(cues, index, limits);
  const by = clamp(wanted, from - toMs(cue.start), LATEST_MS - toMs(last.end));
  const [start, end] = [toMs(cue.start) + by, toMs(cue.end) + by];
  const { at, cues: before } = rolled(cues, index, start, end, limits);
  const moved = cues
    .slice(index)
    .map((each) => retimed(each, toMs(each.start) + by, toMs(each.end) + by));
  return {
    at,
    cues: [...before.slice(0, index - at), ...moved],
    limitedBy:
      by === wanted
        ? null
        : { by: wanted < 0 && index > 0 ? 'previous' : 'clock', edge: 'move', limit: by / 1000 },
  };
}

/**
 * The earliest start and the latest end of a cue, in milliseconds; never inside its current time.
 */
function boundsOf(
  cues: readonly ReviewCue[],
  index: number,
  limits: Limits,
): { from: number; to: number } {
  const [before, cue, after] = [cues[index - 1], cues[index], cues[index + 1]];
  const gap = toMs(GAP);
  const from = before ? toMs(before.start) + shortestOf(before, limits) + gap : 0;
  const to = after ? toMs(after.end) - shortestOf(after, limits) - gap : LATEST_MS;
  return cue
    ? { from: Math.min(from, toMs(cue.start)), to: Math.max(to, toMs(cue.end)) }
    : { from, to };
}

/**
 * A cue at its new time, with its neighbours. They are included even if they stay, so that the
 * steps of one drag replace the same cues and merge into one change.
 */
function rolled(
  cues: readonly ReviewCue[],
  index: number,
  start: number,
  end: number,
  limits: Limits,
): Pick<Retiming, 'at' | 'cues'> {
  const [before, cue, after] = [cues[index - 1], cues[index], cues[index + 1]];
  if (!cue) return { at: index, cues: [] };
  const gap = toMs(GAP);
  const made = [
    start === toMs(cue.start) && end === toMs(cue.end) ? cue : retimed(cue, start, end),
  ];
  if (before) {
    const isNear = start !== toMs(cue.start) && toMs(before.end) > start - gap;
    const keeps = start - gap - toMs(before.start) >= shortestOf(before, limits);
    made.unshift(isNear && keeps ? retimed(before, toMs(before.start), start - gap) : before);
  }
  if (after) {
    const isNear = end !== toMs(cue.end) && toMs(after.start) < end + gap;
    const keeps = toMs(after.end) - end - gap >= shortestOf(after, limits);
    made.push(isNear && keeps ? retimed(after, end + gap, toMs(after.end)) : after);
  }
  return { at: before ? index - 1 : index, cues: made };
}

/** Moves a cue's start or end to the minimum gap from its neighbour if the gap is longer. */
export function snapToNeighbour(
  cues: readonly ReviewCue[],
  index: number,
  side: 'start' | 'end',
): Splice | null {
  const cue = cues[index];
  const neighbour = cues[side === 'start' ? index - 1 : index + 1];
  if (!cue || !neighbour) return null;
  const { from, to } = availableTime(cues, index);
  const [start, end] = [toMs(cue.start), toMs(cue.end)];
  const gap = toMs(GAP);
  const snapped =
    side === 'start'
      ? retimed(cue, Math.min(start, from + gap), end)
      : retimed(cue, start, Math.max(end, to - gap));
  return replaceCues(cues, index, 1, [snapped]);
}
