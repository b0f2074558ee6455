/** Fits captions to shot changes: they begin on a change, and end just before one. */
import type { TickRules, SpokenTicks, ShownTicks } from '../divide/timing.ts';
import type { Profile } from './profiles/profile.ts';

type ShotRules = NonNullable<Profile['shots']>;

/**
 * The share of half a second that counts as near a shot change: 7 of 12 frames at 24 frames a second. A caption that
 * would begin this near before the change waits for it; one that would begin earlier begins half a second before it. A
 * caption that would end this near after the change ends before it.
 */
const RED_ZONE = 7 / 12;

/** The shot changes near a tick. */
export interface Shots {
  /** The shot changes less than half a second away, in order. */
  near: (tick: number) => number[];
  /** The number of frames in half a second. */
  half: number;
  /** Whether a caption may begin at a tick: on a shot change, or at least half a second from every one. */
  mayBegin: (tick: number) => boolean;
  /**
   * Whether a caption may end at a tick: the required frames before a shot change, or at least half a second from every
   * one.
   */
  mayEnd: (tick: number) => boolean;
}

/**
 * Indexes shot changes for look-ups.
 * @param changes the first ticks of shots, in any order
 */
export function shotsAt(changes: readonly number[], { before }: ShotRules, rate: number): Shots {
  const sorted = [...new Set(changes)].sort((one, other) => one - other);
  const half = Math.round(rate / 2);
  const near = (tick: number): number[] => {
    let low = 0;
    let high = sorted.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (sorted[middle]! <= tick - half) low = middle + 1;
      else high = middle;
    }
    const found: number[] = [];
    for (let at = low; at < sorted.length && sorted[at]! < tick + half; at += 1) {
      found.push(sorted[at]!);
    }
    return found;
  };
  return {
    near,
    half,
    mayBegin: (tick) => {
      const shots = near(tick);
      return shots.length === 0 || shots.includes(tick);
    },
    mayEnd: (tick) => {
      const shots = near(tick);
      return shots.length === 0 || shots.some((shot) => shot - before === tick);
    },
  };
}

/**
 * Moves the starts and ends of captions that lie near shot changes, as far as the timing rules allow: no caption
 * becomes too short or too long, and none comes closer to another than the gap.
 */
export function fitShots(
  shown: readonly ShownTicks[],
  cues: readonly SpokenTicks[],
  changes: readonly number[],
  shotRules: ShotRules,
  rules: TickRules,
): ShownTicks[] {
  const shots = shotsAt(changes, shotRules, rules.rate);
  const fitted = shown.map((cue) => ({ ...cue }));
  // Two passes: moving an end may make room for a start.
  for (const _ of [1, 2]) {
    for (let at = 0; at < fitted.length; at += 1) fitStart(at, fitted, cues, shots, rules);
    for (let at = 0; at < fitted.length; at += 1) {
      fitEnd(at, fitted, cues, shots, shotRules.before, rules);
    }
  }
  return fitted;
}

/** The shot changes near a tick, the nearest first. */
const nearest = (shots: Shots, tick: number): number[] =>
  shots.near(tick).sort((one, other) => Math.abs(one - tick) - Math.abs(other - tick));

function fitStart(
  at: number,
  shown: readonly ShownTicks[],
  cues: readonly SpokenTicks[],
  shots: Shots,
  { least, longest, gap }: TickRules,
): void {
  const cue = shown[at]!;
  if (shots.mayBegin(cue.start)) return;
  const before = shown[at - 1];
  const spokenBefore = cues[at - 1];
  const room = (shown[at + 1]?.start ?? Number.POSITIVE_INFINITY) - gap;
  const red = Math.round(shots.half * RED_ZONE);
  const candidates = nearest(shots, cue.start)
    .flatMap((shot) =>
      shot - cue.start <= red ? [shot, shot - shots.half] : [shot - shots.half, shot],
    )
    .filter((tick) => tick >= 0 && shots.mayBegin(tick));
  for (const start of candidates) {
    const end = Math.max(cue.end, Math.min(room, start + Math.min(least, cue.end - cue.start)));
    const isKept = end - start >= Math.min(least, cue.end - cue.start) && end - start <= longest;
    if (!isKept || end > room) continue;
    if (before && spokenBefore) {
      const latest = Math.min(before.end, start - gap);
      const shortened = latest - before.start;
      const mayShorten =
        shortened >= Math.min(least, before.end - before.start) &&
        spokenBefore.end - latest < shots.half + gap;
      if (!mayShorten) continue;
      before.end = latest;
    }
    cue.start = start;
    cue.end = end;
    return;
  }
}

function fitEnd(
  at: number,
  shown: readonly ShownTicks[],
  cues: readonly SpokenTicks[],
  shots: Shots,
  framesBefore: number,
  { least, longest, gap, closedGap }: TickRules,
): void {
  const cue = shown[at]!;
  const next = shown[at + 1]?.start ?? Number.POSITIVE_INFINITY;
  const isApart = (end: number): boolean => next - end === gap || next - end >= closedGap;
  if (shots.mayEnd(cue.end) && isApart(cue.end)) return;
  const spoken = cues[at]!.end;
  const red = Math.round(shots.half * RED_ZONE);
  const best = nearest(shots, cue.end)
    .concat(nearest(shots, next - gap))
    .flatMap((shot) => {
      const [inside, after] = [shot - framesBefore, shot + shots.half];
      return spoken - shot <= red ? [inside, after, shot - shots.half] : [after, inside];
    })
    .concat(next - gap, next - closedGap)
    .find(
      (end) =>
        end - cue.start >= Math.min(least, cue.end - cue.start) &&
        end - cue.start <= longest &&
        shots.mayEnd(end) &&
        isApart(end) &&
        spoken - end < shots.half + gap,
    );
  if (best !== undefined) cue.end = best;
  else if (!isApart(cue.end)) {
    // Even if shots are in the way, a gap too small to keep is closed.
    const closed = next - gap;
    if (closed > cue.start && closed - cue.start <= longest) cue.end = closed;
    else cue.end = Math.max(cue.start + 1, next - closedGap);
  }
}
