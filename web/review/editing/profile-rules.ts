/** The profiles a review can use: those of publishers and house profiles, and their violations. */
import { FRAME_RATES, frameRateOf } from '../../../server/captions/timestamps.ts';
import {
  HouseProfileError,
  type HouseProfile,
  houseProfileFrom,
  houseRules,
} from '../../../server/captions/rules/profiles/house-profile.ts';
import {
  isProfileName,
  PROFILE_NAMES,
  profileOf,
} from '../../../server/captions/rules/profiles/profiles.ts';
import {
  type Picture,
  checkCaptions,
  fixCaptions,
  scoreByRules,
  type Violation,
} from '../../../server/captions/rules/check.ts';
import type { Profile, RuleName } from '../../../server/captions/rules/profiles/profile.ts';
import { profiles } from '../../texts/profiles-and-rebuilding.ts';
import { said } from '../../texts/said.ts';
import { settings } from './settings.ts';
import { sameCue, type ReviewCue } from '../model/cue.ts';
import type { FrameGrid } from '../model/land-on-frames.ts';
import type { Splice } from '../model/splice.ts';
import type { TimedWord } from '../model/spoken-cut.ts';
import { divisionFor } from './divide-by-rules.ts';

export { FRAME_RATES };

/** The prefix of a house profile's name in the list of choices; publishers' names have no colon. */
const HOUSE = 'house:';

/** The name under which a house profile is chosen. */
export const choiceOf = ({ name }: HouseProfile): string => HOUSE + name;

/** The house profiles stored in this browser; invalid ones are skipped. */
export const houseProfiles = (): HouseProfile[] =>
  settings.houseProfiles.value.flatMap((kept) => {
    try {
      return [houseProfileFrom(kept)];
    } catch (error) {
      if (error instanceof HouseProfileError) return [];
      throw error;
    }
  });

/**
 * Stores a profile in place of any with the same name.
 * @param before the previous name of the profile, which is removed
 */
export function keepHouseProfile(profile: HouseProfile, before?: string): void {
  const kept = houseProfiles();
  const at = kept.findIndex(({ name }) => name === (before ?? profile.name));
  const others = kept.filter(({ name }) => name !== profile.name && name !== before);
  settings.houseProfiles.value = others.toSpliced(at < 0 ? others.length : at, 0, profile);
  const chosen = settings.profile.peek();
  if (before !== undefined && chosen === HOUSE + before) settings.profile.value = choiceOf(profile);
}

/** Deletes a profile; if it was in use, the limits of the run apply. */
export function dropHouseProfile(profile: HouseProfile): void {
  settings.houseProfiles.value = houseProfiles().filter(({ name }) => name !== profile.name);
  if (settings.profile.peek() === choiceOf(profile)) settings.profile.value = '';
}

/**
 * The picture for which captions are checked and built.
 * @param frameRate frames per second; null for the profile's own
 * @param shots the starts of shots, in seconds
 */
export const pictureOf = (frameRate: number | null, shots: readonly number[]): Picture => ({
  shots,
  ...(frameRate === null ? {} : { frameRate }),
});

/**
 * The profiles to choose from for a language, with their titles; house profiles come first.
 * @param language BCP 47
 */
export const profileChoices = (language: string): (readonly [name: string, title: string])[] => [
  ...houseProfiles().map((house) => [choiceOf(house), house.name] as const),
  ...publishedChoices(language),
];

/**
 * The publishers' profiles, and the service's default.
 * @param language BCP 47
 */
export const publishedChoices = (language: string) =>
  PROFILE_NAMES.map(
    (name) =>
      [
        name,
        name === 'default' ? profiles.service : said.sentence(profileOf(name, language).title),
      ] as const,
  );

/**
 * The profile with a name; null if there is none.
 * @param language BCP 47
 */
export function profileNamed(name: string, language: string): Profile | null {
  if (isProfileName(name)) return profileOf(name, language);
  const house = houseProfiles().find((each) => choiceOf(each) === name);
  return house ? houseRules(house, language) : null;
}

/** The chosen frame rate; otherwise, for profiles that depend on frames, the measured one. */
export const rateFor = (
  { frameRate }: Profile,
  chosen: number | null,
  learnt: number | null,
): number | null => chosen ?? (frameRate === null ? null : learnt);

/**
 * The checker for a profile; null if there is no such profile.
 * @param words the transcript's, by which captions are divided
 */
export const checkerFor = (
  name: string,
  language: string,
  { chosen, learnt, shots }: CheckedBy,
  words: readonly TimedWord[] = [],
): ProfileChecker | null => {
  const profile = profileNamed(name, language);
  if (!profile) return null;
  return new ProfileChecker(profile, pictureOf(rateFor(profile, chosen, learnt), shots), words);
};

/**
 * The picture as far as it is known: chosen and measured frame rate, and starts of shots, in
 * seconds.
 */
export interface CheckedBy {
  chosen: number | null;
  learnt: number | null;
  shots: readonly number[];
}

/** A fix looks at two captions on each side of the one it changes. */
const AROUND = 2;

/** A violation in a review. */
export interface FoundViolation extends Violation {
  /** The captions in the place of this one, where only a division mends it. */
  readonly parts: readonly ReviewCue[] | null;
}

/** Whether a violation has a fix. */
export const isFixable = ({ fix, parts }: FoundViolation): boolean =>
  fix !== null || parts !== null;

interface Known {
  readonly around: readonly (ReviewCue | undefined)[];
  readonly violations: readonly FoundViolation[];
}

/** Checks captions against one profile, for one picture. */
export class ProfileChecker {
  readonly #known = new WeakMap<ReviewCue, Known>();
  readonly profile: Profile;
  readonly picture: Picture;
  readonly #words: readonly TimedWord[];

  constructor(profile: Profile, picture: Picture, words: readonly TimedWord[] = []) {
    this.profile = profile;
    this.picture = picture;
    this.#words = words;
  }

  /** The frames on which captions must begin and end; null if they need not. */
  get grid(): FrameGrid | null {
    const { rules, frameRate, gapFrames } = this.profile;
    const rate = this.picture.frameRate ?? frameRate;
    return rules.on_frames && rate !== null ? { rate: frameRateOf(rate).rate, gapFrames } : null;
  }

  /**
   * Checks captions until time runs out.
   * @param isLate called after each caption that had to be checked
   * @returns the violations by caption id; null if there was not enough time for all
   */
  check(
    cues: readonly ReviewCue[],
    isLate: () => boolean,
  ): ReadonlyMap<number, readonly FoundViolation[]> | null {
    const found = new Map<number, readonly FoundViolation[]>();
    for (const [index, cue] of cues.entries()) {
      const before = this.#known.get(cue);
      const isNew = !before || !isSame(before.around, around(cues, index));
      const violations = isNew ? this.violationsAt(cues, index) : before.violations;
      if (violations.length > 0) found.set(cue.id, violations);
      if (isNew && isLate()) return null;
    }
    return found;
  }

  /**
   * The violations of one caption; `at`, also in their fixes, counts from the first caption of all.
   */
  violationsAt(cues: readonly ReviewCue[], index: number): readonly FoundViolation[] {
    const cue = cues[index];
    if (!cue) return [];
    const from = Math.max(0, index - AROUND);
    const near = cues.slice(from, index + AROUND + 1);
    const violations = checkCaptions(near, this.profile, this.picture)
      .filter(({ at }) => at === index - from)
      .map((violation) => ({
        ...violation,
        at: index,
        fix: violation.fix?.map(({ at, caption }) => ({ at: at + from, caption })) ?? null,
        parts: violation.fix ? null : this.#partsOf(violation.rule, cue, 0),
      }));
    this.#known.set(cue, { around: around(cues, index), violations });
    return violations;
  }

  /** The score of captions with these violations. */
  score(cues: readonly ReviewCue[], found: ReadonlyMap<number, readonly FoundViolation[]>): number {
    return scoreByRules(cues.length, [...found.values()].flat());
  }

  #partsOf(rule: RuleName, cue: ReviewCue, nextId: number): readonly ReviewCue[] | null {
    const { profile, picture } = this;
    return divisionFor(rule, cue, { profile, picture, words: this.#words, nextId });
  }

  /**
   * The edit that fixes one caption's violation of a rule; null if there is no safe one.
   * @param nextId the id of a new caption
   */
  fix(cues: readonly ReviewCue[], index: number, rule: RuleName, nextId: number): Splice[] | null {
    const broken = this.violationsAt(cues, index).find((violation) => violation.rule === rule);
    if (broken?.parts) {
      const parts = this.#partsOf(rule, cues[index]!, nextId) ?? [];
      return replacements(cues, cues.toSpliced(index, 1, ...parts));
    }
    const fixed = [...cues];
    for (const { at, caption } of broken?.fix ?? []) {
      fixed[at] = { ...cues[at]!, ...caption };
    }
    return replacements(cues, fixed);
  }

  /**
   * The edit that fixes everything that can be fixed safely; null if there is nothing.
   * @param nextId the id of the first new caption; the next ones count up
   * @param rules only these
   */
  fixAll(cues: readonly ReviewCue[], nextId: number, rules?: readonly RuleName[]): Splice[] | null {
    const fixed = this.#fixed(cues, rules);
    let id = nextId;
    const whole = fixed.flatMap((cue, index) => {
      const parts = this.violationsAt(fixed, index).find(
        (found) => found.parts && (!rules || rules.includes(found.rule)),
      )?.parts;
      if (!parts) return [cue];
      const [first, ...others] = parts;
      return [first!, ...others.map((part) => ({ ...part, id: id++ }))];
    });
    return replacements(cues, whole.length > fixed.length ? this.#fixed(whole, rules) : fixed);
  }

  #fixed(cues: readonly ReviewCue[], rules?: readonly RuleName[]): ReviewCue[] {
    return fixCaptions(cues, this.profile, this.picture, rules).map((caption, at) => ({
      ...caption,
      id: cues[at]!.id,
    }));
  }
}

const around = (cues: readonly ReviewCue[], index: number): (ReviewCue | undefined)[] =>
  [-2, -1, 1, 2].map((step) => cues[index + step]);

const isSame = (
  one: readonly (ReviewCue | undefined)[],
  other: readonly (ReviewCue | undefined)[],
): boolean => one.every((cue, at) => cue === other[at]);

/**
 * A splice for each caption that has changed, with the new ones that follow it; null for none. The last comes first,
 * so that each is where it was.
 */
function replacements(before: readonly ReviewCue[], after: readonly ReviewCue[]): Splice[] | null {
  const known = new Set(before.map(({ id }) => id));
  const splices: Splice[] = [];
  let to = after.length;
  for (let at = before.length - 1; at >= 0; at -= 1) {
    const cue = before[at]!;
    let from = to - 1;
    while (!known.has(after[from]!.id)) from -= 1;
    const inserted = after.slice(from, to);
    if (inserted.length > 1 || !sameCue(inserted[0]!, cue))
      splices.push({ at, removed: [cue], inserted });
    to = from;
  }
  return splices.length === 0 ? null : splices;
}
