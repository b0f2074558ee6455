/**
 * The four ways in which editors move the edge of a caption: neighbours make room, both edges of a
 * cut move together, everything after it moves along, or nothing else moves.
 */
import { LATEST_MS } from '../../../server/captions/timestamps.ts';
import type { CaptionSettings } from '../../../server/contract/captions.ts';
import type { ReviewCue } from './cue.ts';
import { nudge, setTimes, shift, type MoveLimit, type Retiming } from './edit-times.ts';
import { clamp, retimed, availableTime, shortestOf, toMs } from './available-time.ts';

/** The effect on the captions around one whose times change. */
export type TimingMode = 'push' | 'roll' | 'ripple' | 'free';

type Limits = Pick<CaptionSettings, 'minDuration'>;

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
