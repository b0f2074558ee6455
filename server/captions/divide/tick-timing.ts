/**
 * Times captions on frames, or on milliseconds, by the rules of a profile. A tick is a frame if there is a frame rate,
 * and a millisecond otherwise.
 */
import { frameRateOf } from '../frames.ts';
import type { Profile } from '../rules/profiles/profile.ts';

/** A profile's times in ticks. */
export interface TickRules {
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
}

/** The times of a caption's speech in ticks, and the time that reading it takes. */
export interface SpokenTicks {
  start: number;
  end: number;
  /** The reading time at the profile's fastest speed, and at a comfortable one. */
  needed: number;
  comfortable: number;
}

/** The start and end of a caption's display, in ticks. */
export interface ShownTicks {
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
 */
export function timeOnTicks(cues: readonly SpokenTicks[], rules: TickRules): ShownTicks[] {
  const { least, longest, gap, closedGap, linger } = rules;
  const shown = startInOrder(cues, gap);
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
  return shown;
}

/** Gives captions a first start and the shortest length, so that they follow one another. */
function startInOrder(cues: readonly SpokenTicks[], gap: number): ShownTicks[] {
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
