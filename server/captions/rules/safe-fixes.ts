/** Fixes captions that break a rule, without breaking another. */
import type { Checker, RuleViolation, Replacement } from './rule-violations.ts';
import type { Caption } from '../cue.ts';
import { isWithinFrames } from './frame-fixes.ts';
import { possibleFixes } from './possible-fixes.ts';
import type { RuleName } from './profiles/profile.ts';

/** A tolerance of a millisecond, the precision of caption times, in seconds. */
const TICK = 0.0015;

/**
 * The first possible change that satisfies a rule that a caption breaks, without making it or its neighbours break any
 * other; null if there is none. Prefers one that leaves fewer flickering gaps beside the caption, even if the publisher
 * has no rule about such gaps.
 */
export function safeFix(
  rule: RuleName,
  cues: readonly Caption[],
  at: number,
  checker: Checker,
): readonly Replacement[] | null {
  const before = violationsAround(cues, at, checker);
  if (!before.some((violation) => violation.at === at && violation.rule === rule)) return null;
  let best: readonly Replacement[] | null = null;
  let fewest = Number.POSITIVE_INFINITY;
  for (const change of possibleFixes(rule, cues, at, checker)) {
    if (!change.every((each) => keepsLength(each, cues, checker, rule))) continue;
    if (overlaps(cues, at, change) > overlaps(cues, at)) continue;
    const after = violationsAround(cues, at, checker, change);
    const isFixed = !after.some((violation) => violation.at === at && violation.rule === rule);
    const isSafe = after.every((violation) =>
      before.some(
        (known) => known.at === violation.at && isNoWorse(known, violation, rule, checker),
      ),
    );
    if (!isFixed || !isSafe) continue;
    const gaps = smallGaps(cues, at, checker, change);
    if (gaps >= fewest) continue;
    best = change;
    fewest = gaps;
    if (gaps === 0) break;
  }
  return best;
}

/** Whether a violation does not get worse, or only by as much as aligning times with frames requires. */
function isNoWorse(
  known: RuleViolation,
  violation: RuleViolation,
  fixing: RuleName,
  { profile, rate }: Checker,
): boolean {
  if (known.rule === violation.rule && violation.by <= known.by + TICK) return true;
  if (fixing !== 'on_frames' || rate === null) return false;
  return isWithinFrames(known, violation, rate, profile.gapFrames / rate);
}

/**
 * Whether a caption still lasts as long as the profile requires, and no longer than it allows, even if its publisher
 * has no rule on lengths; one that broke the limit before must not get further away from it, except by a frame where
 * its times are put on frames.
 */
function keepsLength(
  { at, caption }: Replacement,
  cues: readonly Caption[],
  { profile, rate }: Checker,
  fixing: RuleName,
): boolean {
  const cue = cues[at]!;
  const before = cue.end - cue.start;
  const after = caption.end - caption.start;
  const frame = fixing === 'on_frames' && rate !== null ? 1 / rate : 0;
  const least = Math.min(before - frame, profile.minDuration);
  const most = Math.max(before + frame, profile.maxDuration);
  return caption.start >= 0 && after > least - TICK && after < most + TICK;
}

/** The captions once a change is made, by position. */
const changedBy =
  (cues: readonly Caption[], change: readonly Replacement[]) =>
  (index: number): Caption | undefined =>
    change.find((replaced) => replaced.at === index)?.caption ?? cues[index];

/** The overlap of a caption with its neighbours, in seconds; the rules tolerate a millisecond. */
function overlaps(
  cues: readonly Caption[],
  at: number,
  change: readonly Replacement[] = [],
): number {
  const cueAt = changedBy(cues, change);
  return [at - 1, at, at + 1].reduce((sum, index) => {
    const [cue, next] = [cueAt(index), cueAt(index + 1)];
    return cue && next ? sum + Math.max(0, cue.end - next.start) : sum;
  }, 0);
}

/** The number of small gaps beside a caption. */
function smallGaps(
  cues: readonly Caption[],
  at: number,
  { violationsOf }: Checker,
  change: readonly Replacement[],
): number {
  const cueAt = changedBy(cues, change);
  return [at - 1, at].filter((index) => {
    const cue = cueAt(index);
    return cue && violationsOf(cue, cueAt(index + 1)).some(({ rule }) => rule === 'small_gap');
  }).length;
}

/** The violations of a caption and its neighbours once a change is made. */
function violationsAround(
  cues: readonly Caption[],
  at: number,
  { profile, violationsOf }: Checker,
  change: readonly Replacement[] = [],
): (RuleViolation & { at: number })[] {
  const cueAt = changedBy(cues, change);
  return [at - 1, at, at + 1].flatMap((index) => {
    const cue = cueAt(index);
    if (!cue) return [];
    return violationsOf(cue, cueAt(index + 1))
      .filter(({ rule }) => profile.rules[rule])
      .map((violation) => ({ ...violation, at: index }));
  });
}
