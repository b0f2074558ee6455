/**
 * Edits the times of cues. An edge that comes closer to its neighbour than the minimum gap pushes
 * the neighbour's edge along. No edit makes cues overlap, makes one shorter than 1 ms, or makes a
 * neighbour too short to read: the edit then goes as far as it can, and reports what stopped it.
 */
import { LATEST_MS } from '../../../server/captions/timestamps.ts';
import type { CaptionSettings } from '../../../server/contract/captions.ts';
import { countCharacters } from '../../../server/captions/width.ts';
import type { ReviewCue } from './cue.ts';
import { availableTime, clamp, retimed, shortestOf, toMs } from './snap.ts';
import { replaceCues, type Splice } from './splice.ts';
import { TIMING } from '../../../server/captions/divide/timing.ts';

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
function setTimes(
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
  const gap = toMs(TIMING.gap);
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
  const gap = toMs(TIMING.gap);
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
  const gap = toMs(TIMING.gap);
  const snapped =
    side === 'start'
      ? retimed(cue, Math.min(start, from + gap), end)
      : retimed(cue, start, Math.max(end, to - gap));
  return replaceCues(cues, index, 1, [snapped]);
}

/** The effect on the captions around one whose times change. */
export type TimingMode = 'push' | 'roll' | 'ripple' | 'free';

/** The longest gap, in milliseconds, at which two edges count as one cut. */
const CUT = 500;

/** Sets the start or end of a caption, in seconds; null if there is no such caption. */
export function setEdge(
  mode: TimingMode,
  cues: readonly ReviewCue[],
  index: number,
  edge: 'start' | 'end',
  time: number,
  limits: Limits,
): Retiming | null {
  const cue = cues[index];
  if (!cue || Number.isNaN(time)) return null;
  if (mode === 'roll') return roll(cues, index, edge, time, limits);
  if (mode === 'free') return free(cues, index, edge, time);
  if (mode === 'ripple') {
    return edge === 'start'
      ? shift(cues, index, time - cue.start, limits)
      : rippleEnd(cues, index, time);
  }
  return setTimes(cues, index, { [edge]: time }, limits);
}

/** Moves a whole caption by a number of seconds; null if there is no such caption. */
export function moveCue(
  mode: TimingMode,
  cues: readonly ReviewCue[],
  index: number,
  seconds: number,
  limits: Limits,
): Retiming | null {
  if (mode === 'ripple') return shift(cues, index, seconds, limits);
  if (mode !== 'free') return nudge(cues, index, seconds, limits);
  const cue = cues[index];
  if (!cue || Number.isNaN(seconds)) return null;
  const { from, to } = availableTime(cues, index);
  const [start, end] = [toMs(cue.start), toMs(cue.end)];
  const wanted = toMs(seconds);
  const by = clamp(wanted, Math.min(0, from - start), Math.max(0, to - end));
  const side = wanted < 0 ? 'previous' : 'next';
  return {
    at: index,
    cues: [retimed(cue, start + by, end + by)],
    limitedBy: by === wanted ? null : moveLimitAt(cues, index, side, 'move', by),
  };
}

/**
 * Moves both edges of a cut by the same amount; where there is no cut, the neighbour makes room.
 */
function roll(
  cues: readonly ReviewCue[],
  index: number,
  edge: 'start' | 'end',
  time: number,
  limits: Limits,
): Retiming | null {
  const first = edge === 'end' ? index : index - 1;
  const [before, after] = [cues[first], cues[first + 1]];
  const gap = before && after ? toMs(after.start) - toMs(before.end) : Number.POSITIVE_INFINITY;
  if (!before || !after || gap > CUT) return setTimes(cues, index, { [edge]: time }, limits);
  const end = toMs(before.end);
  const wanted = toMs(time) - (edge === 'end' ? end : toMs(after.start));
  const by = clamp(
    wanted,
    toMs(before.start) + shortestOf(before, limits) - end,
    toMs(after.end) - shortestOf(after, limits) - toMs(after.start),
  );
  const isOwn = wanted < by === (edge === 'end');
  const limit = (edge === 'end' ? end + by : toMs(after.start) + by) / 1000;
  return {
    at: first,
    cues: [
      retimed(before, toMs(before.start), end + by),
      retimed(after, toMs(after.start) + by, toMs(after.end)),
    ],
    limitedBy:
      by === wanted
        ? null
        : { by: isOwn ? 'own' : edge === 'end' ? 'next' : 'previous', edge, limit },
  };
}

/** Moves only this edge, at most as far as the neighbour. */
function free(
  cues: readonly ReviewCue[],
  index: number,
  edge: 'start' | 'end',
  time: number,
): Retiming | null {
  const cue = cues[index];
  if (!cue) return null;
  const { from, to } = availableTime(cues, index);
  const [start, end] = [toMs(cue.start), toMs(cue.end)];
  const wanted = toMs(time);
  const [low, high] =
    edge === 'start' ? [Math.min(from, start), end - 1] : [start + 1, Math.max(to, end)];
  const at = clamp(wanted, low, high);
  const isOwn = edge === 'start' ? wanted > at : wanted < at;
  const side = edge === 'start' ? 'previous' : 'next';
  return {
    at: index,
    cues: [edge === 'start' ? retimed(cue, at, end) : retimed(cue, start, at)],
    limitedBy:
      at === wanted
        ? null
        : isOwn
          ? { by: 'own', edge, limit: at / 1000 }
          : moveLimitAt(cues, index, side, edge, at),
  };
}

/** Moves the end, and everything after it by the same amount. */
function rippleEnd(cues: readonly ReviewCue[], index: number, time: number): Retiming | null {
  const [cue, last] = [cues[index], cues.at(-1)];
  if (!cue || !last) return null;
  const end = toMs(cue.end);
  const wanted = toMs(time) - end;
  const by = clamp(wanted, toMs(cue.start) + 1 - end, LATEST_MS - toMs(last.end));
  const moved = cues
    .slice(index + 1)
    .map((each) => retimed(each, toMs(each.start) + by, toMs(each.end) + by));
  return {
    at: index,
    cues: [retimed(cue, toMs(cue.start), end + by), ...moved],
    limitedBy:
      by === wanted
        ? null
        : { by: wanted < by ? 'own' : 'clock', edge: 'end', limit: (end + by) / 1000 },
  };
}

function moveLimitAt(
  cues: readonly ReviewCue[],
  index: number,
  side: 'previous' | 'next',
  edge: MoveLimit['edge'],
  limit: number,
): MoveLimit {
  const neighbour = cues[side === 'previous' ? index - 1 : index + 1];
  if (!neighbour) return { by: 'clock', edge, limit: limit / 1000 };
  return { by: side, edge, limit: limit / 1000, stays: true };
}

/**
 * Makes a cue last long enough to be read, and at least `minDuration`: it ends later and, if that
 * is not enough, begins earlier. It uses up the minimum gaps to its neighbours only if it must,
 * never exceeds `maxDuration`, and never becomes shorter.
 * @param speed characters per second
 */
export function extendForReading(
  cues: readonly ReviewCue[],
  index: number,
  speed: number,
  { minDuration, maxDuration }: CaptionSettings,
): Splice | null {
  const cue = cues[index];
  if (!cue || !(speed > 0)) return null;
  const reading = Math.ceil((countCharacters(cue.lines) * 1000) / speed);
  const wanted = Math.min(toMs(maxDuration), Math.max(toMs(minDuration), reading));
  const { from, to } = availableTime(cues, index);
  let [start, end] = [toMs(cue.start), toMs(cue.end)];
  for (const gap of [toMs(TIMING.gap), 0]) {
    end = Math.max(end, Math.min(start + wanted, index + 1 < cues.length ? to - gap : to));
    start = Math.min(start, Math.max(end - wanted, index > 0 ? from + gap : from));
  }
  return replaceCues(cues, index, 1, [retimed(cue, start, end)]);
}
