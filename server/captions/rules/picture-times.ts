/**
 * Times captions by the rules of a profile: on frames, or on milliseconds, and between shot changes. A tick is a frame
 * if there is a frame rate, and a millisecond otherwise.
 */
import { frameRateOf } from '../timestamps.ts';
import type { Profile } from './profiles/profile.ts';

/** A profile's times in ticks. */
interface TickRules {
  /** Ticks a second. */
  rate: number;
  least: number;
  longest: number;
  gap: number;
  /** A gap longer than `gap` but shorter than this is reduced to `gap`. */
  closedGap: number;
  linger: number;
  lead: number;
  late: number;
  shots: Profile['shots'];
}

/** The times of a caption's speech in ticks, and the time that reading it takes. */
interface SpokenTicks {
  start: number;
  end: number;
  /** The reading time at the profile's fastest speed, and at a comfortable one. */
  needed: number;
  comfortable: number;
}

/** The start and end of a caption's display, in ticks. */
interface ShownTicks {
  start: number;
  end: number;
}

/** The rounding error of floating-point seconds, in ticks. */
const SLACK = 1e-6;

/** Frames a second to convert a number of frames when the picture's rate is unknown. */
const FILM = 24;

/**
 * Converts the times of a profile's rules into ticks.
 * @param frameRate frames a second; null for milliseconds
 * @example
 * tickRules(profileOf('netflix'), 25).longest; // => 175
 */
export function tickRules(profile: Profile, frameRate: number | null): TickRules {
  const rate = frameRate === null ? 1000 : frameRateOf(frameRate).rate;
  const frames = (count: number): number =>
    frameRate === null ? Math.ceil((count * 1000) / FILM) : count;
  const least = Math.ceil(profile.minDuration * rate - SLACK);
  return {
    rate,
    least,
    longest: Math.max(least, Math.floor(profile.maxDuration * rate + SLACK)),
    gap: frames(profile.gapFrames),
    closedGap: Math.ceil(profile.closedGap * rate - SLACK),
    linger: Math.round(profile.linger * rate),
    lead: frames(profile.leadFrames),
    late: frames(profile.lateFrames),
    shots: profile.shots,
  };
}

/**
 * The tick that a time falls in.
 * @example
 * startTick(1.99, tickRules(profileOf('netflix'), 25)); // => 49
 */
export const startTick = (seconds: number, { rate }: TickRules): number =>
  Math.floor(seconds * rate + SLACK);

/**
 * The first tick at or after a time.
 * @example
 * endTick(1.97, tickRules(profileOf('netflix'), 25)); // => 50
 */
export const endTick = (seconds: number, { rate }: TickRules): number =>
  Math.ceil(seconds * rate - SLACK);

/**
 * Times captions in order. No two overlap; the gap between them is `gap` or at least `closedGap`; each lasts from 1
 * tick to `longest`. Wherever the speech allows it, each lasts `least` and the time to read it. A caption begins with
 * its speech, and up to `lead` earlier or `late` later only if one is short of time.
 * @param changes the first ticks of shots, to which captions are fitted if the profile has a rule on them
 */
export function timeOnTicks(
  cues: readonly SpokenTicks[],
  rules: TickRules,
  changes: readonly number[],
): ShownTicks[] {
  const { least, longest, gap, closedGap, linger } = rules;
  const shown = startTicksInOrder(cues, gap);
  const nextStart = (at: number): number => shown[at + 1]?.start ?? Number.POSITIVE_INFINITY;
  for (const [at, cue] of shown.entries()) {
    const { end, needed, comfortable } = cues[at]!;
    // A caption stays long after its speech only to keep to the speed limit, not for comfort.
    const read = Math.max(cue.start + needed, Math.min(cue.start + comfortable, end + linger));
    const wanted = Math.max(end, read, cue.start + least);
    cue.end = Math.max(cue.start + 1, Math.min(wanted, cue.start + longest, nextStart(at) - gap));
  }
  for (let at = 0; at < shown.length; at += 1) findTime(at, shown, cues, rules);
  for (const [at, cue] of shown.entries()) {
    const left = nextStart(at) - cue.end;
    if (left <= gap || left >= closedGap) continue;
    const closed = nextStart(at) - gap;
    if (closed - cue.start <= longest) cue.end = closed;
    else cue.end = Math.max(cue.start + 1, nextStart(at) - closedGap);
  }
  return rules.shots && changes.length > 0
    ? fitShots(shown, cues, changes, rules.shots, rules)
    : shown;
}

/** Gives captions a first start and the shortest length, so that they follow one another. */
function startTicksInOrder(cues: readonly SpokenTicks[], gap: number): ShownTicks[] {
  let earliest = 0;
  return cues.map(({ start }) => {
    const from = Math.max(earliest, start);
    earliest = from + 1 + gap;
    return { start: from, end: from + 1 };
  });
}

/** Finds more time for a caption that is too short to read: first before it, then after it. */
function findTime(
  at: number,
  shown: readonly ShownTicks[],
  cues: readonly SpokenTicks[],
  { least, longest, gap, lead, late }: TickRules,
): void {
  const cue = shown[at]!;
  const next = shown[at + 1];
  const needed = Math.min(longest, Math.max(least, cues[at]!.needed));
  // The caption before may have made it wait.
  const latestEnd = (next?.start ?? Number.POSITIVE_INFINITY) - gap;
  cue.end = Math.max(cue.end, Math.min(cue.start + needed, latestEnd));
  let missing = needed - (cue.end - cue.start);
  if (missing <= 0) return;
  const before = shown[at - 1];
  const spoken = cues[at - 1];
  const free =
    before && spoken
      ? Math.min(
          before.end,
          Math.max(spoken.end, before.start + Math.max(least, Math.min(longest, spoken.needed))),
        ) + gap
      : 0;
  const earliest = Math.max(free, cues[at]!.start - lead);
  const earlier = Math.max(0, Math.min(missing, cue.start - earliest));
  cue.start -= earlier;
  if (before) before.end = Math.min(before.end, cue.start - gap);
  missing = least - (cue.end - cue.start);
  if (missing <= 0 || !next) return;
  // If it is still below the minimum, the next caption waits, as long as it has time to spare.
  const spare = next.end - next.start - least;
  const latest = cues[at + 1]!.start + late;
  const later = Math.max(0, Math.min(missing, spare, latest - next.start));
  next.start += later;
  cue.end = Math.min(next.start - gap, cue.end + missing);
}

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
function fitShots(
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
