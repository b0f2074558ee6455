/** Checks captions against the rules of a profile, and fixes what can be fixed safely. */
import type { Caption } from '../cue.ts';
import { safeFix } from './fixes.ts';
import {
  type Checker,
  charactersIn,
  checkerOf,
  type Replacement,
  type RuleViolation,
} from './rule-violations.ts';
import type { Profile, RuleName } from './profiles/profile.ts';
import { shotsAt } from './picture-times.ts';
import { frameAt, frameRateOf } from '../timestamps.ts';

/** The picture that captions are made for, or checked against. */
export interface Picture {
  /** Frames a second; by default that of the profile, if it has one. */
  frameRate?: number;
  /** The times at which shots begin, in seconds. */
  shots?: readonly number[];
}

/** A rule that a caption breaks. */
interface BrokenRule {
  /** The caption's position in the list, from 0. */
  at: number;
  rule: RuleName;
  /** The violation as a predicate, to follow the caption's name: “is shown for 0.6 s; at least 0.83 s”. */
  says: string;
  /** The rule in its publisher's words, and the page it is from. */
  sentence: string;
  source: string;
  /** What it takes from the score of the caption, which is 1 without any fault. */
  cost: number;
}

/** A rule that a caption breaks, with its fix. */
export interface Violation extends BrokenRule {
  /**
   * The captions that fix it, each in the place of the present one; null if every change would break another rule,
   * change words or cut speech.
   */
  fix: readonly Replacement[] | null;
  /** The rules that each change would break; empty if there is a fix, or no change would mend it. */
  blockedBy: readonly RuleName[];
}

/** A caption with more characters is no caption, so nothing is fixed; a publisher allows at most 200. */
const MAX_FIXED_CHARACTERS = 1000;
/** The maximum number of passes over the captions to fix them. */
const MAX_PASSES = 8;

/** Creates a checker for a profile and a picture. */
function checkerFor(
  profile: Profile,
  { frameRate = profile.frameRate ?? undefined, shots = [] }: Picture = {},
): Checker {
  const rate = frameRate === undefined ? null : frameRateOf(frameRate).rate;
  const found =
    rate !== null && profile.shots
      ? shotsAt(
          shots.map((shot) => frameAt(shot, rate)),
          profile.shots,
          rate,
        )
      : null;
  return checkerOf(profile, rate, found);
}

/**
 * Checks captions in order of time against a profile. Returns each rule that a caption breaks, with the publisher's own
 * sentence and a safe fix if there is one. Checks only rules that the profile's publisher has written down.
 * @example
 * const cues = [{ start: 0, end: 0.5, lines: ['Hello.'] }];
 * checkCaptions(cues, profileOf('netflix'))[0]?.rule; // => 'min_duration'
 */
export function checkCaptions(
  cues: readonly Caption[],
  profile: Profile,
  picture: Picture = {},
): Violation[] {
  const checker = checkerFor(profile, picture);
  return brokenRules(cues, checker).map((broken) => ({
    ...broken,
    ...(charactersIn(cues[broken.at]!) > MAX_FIXED_CHARACTERS
      ? { fix: null, blockedBy: [] }
      : safeFix(broken.rule, cues, broken.at, checker)),
  }));
}

/** What a broken rule costs at least, and at most for an excess of all its limit. */
const COSTS: Readonly<Record<RuleName, readonly [least: number, more: number]>> = {
  line_length: [0.3, 0.4],
  line_count: [0, 0.5],
  reading_speed: [0.1, 0.8],
  min_duration: [0.15, 0.35],
  max_duration: [0.15, 0.35],
  gap: [0.1, 0.3],
  small_gap: [0.05, 0],
  on_frames: [0.05, 0],
  shot_in: [0.05, 0],
  shot_out: [0.05, 0],
  two_speakers: [0.2, 0],
};

function costOf({ rule, excess }: Pick<RuleViolation, 'rule' | 'excess'>): number {
  const [least, more] = COSTS[rule];
  // Half more than the fastest is as bad as twice.
  return least + more * Math.min(rule === 'reading_speed' ? 0.5 : 1, excess);
}

/**
 * The score of captions by the rules of a profile, of which they break some: 1 without any fault, 0 without captions.
 * @param captions their number
 * @example
 * scoreByRules(1, findBrokenRules([{ start: 0, end: 2, lines: ['Hello.'] }], profileOf('bbc'))); // => 1
 */
export function scoreByRules(
  captions: number,
  broken: readonly Pick<BrokenRule, 'at' | 'cost'>[],
): number {
  const costs = new Map<number, number>();
  for (const { at, cost } of broken) costs.set(at, Math.min(1, (costs.get(at) ?? 0) + cost));
  const lost = [...costs.values()].reduce((sum, cost) => sum + cost, 0);
  return captions === 0 ? 0 : Math.round((1 - lost / captions) * 1000) / 1000;
}

/**
 * The same without the fixes, which take most of the time.
 * @example
 * const cues = [{ start: 0, end: 0.5, lines: ['Hello.'] }];
 * findBrokenRules(cues, profileOf('netflix'))[0]?.says; // => 'is shown for 0.5 s (12 frames); at least 0.83 s (20 frames)'
 */
export const findBrokenRules = (
  cues: readonly Caption[],
  profile: Profile,
  picture: Picture = {},
): BrokenRule[] => brokenRules(cues, checkerFor(profile, picture));

const brokenRules = (
  cues: readonly Caption[],
  { profile, violationsOf }: Pick<Checker, 'profile' | 'violationsOf'>,
): BrokenRule[] =>
  cues.flatMap((cue, at) =>
    violationsOf(cue, cues[at + 1]).flatMap((violation) => {
      const { rule } = violation;
      const published = profile.rules[rule];
      if (!published) return [];
      return [{ at, rule, says: violation.says(), ...published, cost: costOf(violation) }];
    }),
  );

/**
 * Captions in order of time with every safe fix made; see checkCaptions.
 * @param only the rules to fix; all of them by default
 * @example
 * fixCaptions([{ start: 0, end: 0.5, lines: ['Hello.'] }], profileOf('netflix'));
 * // => [{ start: 0, end: 0.833, lines: ['Hello.'] }]
 */
export function fixCaptions(
  cues: readonly Caption[],
  profile: Profile,
  picture: Picture = {},
  only?: readonly RuleName[],
): Caption[] {
  const checker = checkerFor(profile, picture);
  const fixed = [...cues];
  // One fix may make room for another, before it or after it.
  for (let pass = 0; pass < MAX_PASSES && fixOnce(fixed, checker, only); pass += 1);
  return fixed;
}

/** Makes every possible safe fix, and returns whether there was one. */
function fixOnce(fixed: Caption[], checker: Checker, only?: readonly RuleName[]): boolean {
  let isChanged = false;
  for (let at = 0; at < fixed.length; at += 1) {
    if (charactersIn(fixed[at]!) > MAX_FIXED_CHARACTERS) continue;
    for (const { rule } of checker.violationsOf(fixed[at]!, fixed[at + 1])) {
      if (only && !only.includes(rule)) continue;
      for (const { at: place, caption } of safeFix(rule, fixed, at, checker).fix ?? []) {
        fixed[place] = caption;
        isChanged = true;
      }
    }
  }
  return isChanged;
}
