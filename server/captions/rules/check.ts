/** Checks captions against the rules of a profile, and fixes what can be fixed safely. */
import type { Caption } from '../cue.ts';
import { safeFix } from './fixes.ts';
import { type Checker, charactersIn, checkerOf, type Replacement } from './rule-violations.ts';
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
  /** The violation as a predicate, to follow the caption's name: “is shown for 0.6 s”. */
  says: string;
  /** The rule in its publisher's words, and the page it is from. */
  sentence: string;
  source: string;
}

/** A rule that a caption breaks, with its fix. */
export interface Violation extends BrokenRule {
  /**
   * The captions that fix it, each in the place of the present one; null if every change would break another rule,
   * change words or cut speech.
   */
  fix: readonly Replacement[] | null;
}

/** A caption with more characters is no caption, so nothing is fixed; a publisher allows at most 200. */
const MAX_FIXED_CHARACTERS = 1000;
/** The maximum number of passes over the captions to fix them. */
const MAX_PASSES = 4;

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
    fix:
      charactersIn(cues[broken.at]!) > MAX_FIXED_CHARACTERS
        ? null
        : safeFix(broken.rule, cues, broken.at, checker),
  }));
}

/**
 * The same without the fixes, which take most of the time.
 * @example
 * const cues = [{ start: 0, end: 0.5, lines: ['Hello.'] }];
 * findBrokenRules(cues, profileOf('netflix'))[0]?.says; // => 'is shown for 0.5 s'
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
    violationsOf(cue, cues[at + 1]).flatMap(({ rule, says }) => {
      const published = profile.rules[rule];
      return published ? [{ at, rule, says, ...published }] : [];
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
      for (const { at: place, caption } of safeFix(rule, fixed, at, checker) ?? []) {
        fixed[place] = caption;
        isChanged = true;
      }
    }
  }
  return isChanged;
}
