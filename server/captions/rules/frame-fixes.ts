/** Puts a caption's times on frames. If a neighbour touches the caption, or almost does, its edge moves along. */
import type { RuleViolation, Replacement } from './rule-violations.ts';
import type { Caption } from '../cue.ts';
import { frameAt, secondsAt } from '../frames.ts';

/** The longest gap whose other edge may move along, in seconds. */
const NEAR = 1;
/** The rounding error of differences of times in milliseconds, in seconds. */
const SLACK = 0.0021;

/** The two frames next to a time, the nearest first. */
function framesAround(seconds: number, rate: number): number[] {
  const nearest = frameAt(seconds, rate);
  return [nearest, nearest > seconds * rate ? nearest - 1 : nearest + 1];
}

/**
 * The changes that put a caption on frames, those that move it least first: alone, with the end of the caption before,
 * with the start of the one after, and with both.
 */
export function* frameFixes(
  cues: readonly Caption[],
  at: number,
  rate: number,
): Generator<Replacement[]> {
  const cue = cues[at]!;
  const starts = framesAround(cue.start, rate);
  const ends = framesAround(cue.end, rate);
  const moved = (start: number, end: number): number =>
    Math.abs(start / rate - cue.start) + Math.abs(end / rate - cue.end);
  const pairs = starts
    .flatMap((start) => ends.map((end) => [start, end] as const))
    .filter(([start, end]) => end > start)
    .toSorted((one, other) => moved(...one) - moved(...other));
  for (const [start, end] of pairs) {
    const own = {
      at,
      caption: { ...cue, start: secondsAt(start, rate), end: secondsAt(end, rate) },
    };
    const before = endingBefore(cues, at, start, rate);
    const after = startingAfter(cues, at, end, rate);
    yield [own];
    if (before) yield [before, own];
    if (after) yield [own, after];
    if (before && after) yield [before, own, after];
  }
}

/** The previous caption, ending before a new start with about the gap it had before, in whole frames. */
function endingBefore(
  cues: readonly Caption[],
  at: number,
  start: number,
  rate: number,
): Replacement | null {
  const before = cues[at - 1];
  const gap = before ? cues[at]!.start - before.end : NEAR;
  if (!before || gap >= NEAR) return null;
  const end = secondsAt(start - Math.max(0, frameAt(gap, rate)), rate);
  return end > before.start ? { at: at - 1, caption: { ...before, end } } : null;
}

/** The next caption, starting after a new end with about the gap it had before, in whole frames. */
function startingAfter(
  cues: readonly Caption[],
  at: number,
  end: number,
  rate: number,
): Replacement | null {
  const after = cues[at + 1];
  const gap = after ? after.start - cues[at]!.end : NEAR;
  if (!after || gap >= NEAR) return null;
  const start = secondsAt(end + Math.max(0, frameAt(gap, rate)), rate);
  return start < after.end ? { at: at + 1, caption: { ...after, start } } : null;
}

/**
 * Whether a rule that was broken before may be broken by a little more, because times are only as fine as frames:
 * a caption that reads too fast may lose a frame at each edge, a gap that is too short may lose half a frame, but none
 * becomes an overlap.
 * @param least the shortest gap that the profile allows, in seconds
 */
export function isWithinFrames(
  known: RuleViolation,
  violation: RuleViolation,
  rate: number,
  least: number,
): boolean {
  if (known.rule !== violation.rule) return false;
  switch (violation.rule) {
    case 'reading_speed':
      return true;
    case 'min_duration':
    case 'max_duration':
      return violation.by <= known.by + 1 / rate + SLACK;
    case 'gap':
      return violation.by <= Math.min(known.by + 0.5 / rate, Math.max(known.by, least)) + SLACK;
    default:
      return false;
  }
}
