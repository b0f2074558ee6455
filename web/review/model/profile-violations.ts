/** The violations of a publisher's rules, checked again only where captions have changed. */
import {
  checkCaptions,
  fixCaptions,
  type CheckedPicture,
  type Violation,
} from '../../../server/captions/rules/check.ts';
import type { Profile, RuleName } from '../../../server/captions/rules/profiles/profile.ts';
import { sameCue, type ReviewCue } from './cue.ts';
import type { Splice } from './splice.ts';

/** A fix looks at two captions on each side of the one it changes. */
const AROUND = 2;

interface Known {
  readonly around: readonly (ReviewCue | undefined)[];
  readonly violations: readonly Violation[];
}

/** Checks captions against one profile, for one picture. */
export class ProfileChecker {
  readonly #known = new WeakMap<ReviewCue, Known>();
  readonly profile: Profile;
  readonly #picture: CheckedPicture;

  constructor(profile: Profile, picture: CheckedPicture) {
    this.profile = profile;
    this.#picture = picture;
  }

  /**
   * Checks captions until time runs out.
   * @param isLate called after each caption that had to be checked
   * @returns the violations by caption id; null if there was not enough time for all
   */
  check(
    cues: readonly ReviewCue[],
    isLate: () => boolean,
  ): ReadonlyMap<number, readonly Violation[]> | null {
    const found = new Map<number, readonly Violation[]>();
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
  violationsAt(cues: readonly ReviewCue[], index: number): readonly Violation[] {
    const cue = cues[index];
    if (!cue) return [];
    const from = Math.max(0, index - AROUND);
    const near = cues.slice(from, index + AROUND + 1);
    const violations = checkCaptions(near, this.profile, this.#picture)
      .filter(({ at }) => at === index - from)
      .map((violation) => ({
        ...violation,
        at: index,
        fix: violation.fix?.map(({ at, caption }) => ({ at: at + from, caption })) ?? null,
      }));
    this.#known.set(cue, { around: around(cues, index), violations });
    return violations;
  }

  /** The edit that fixes one caption's violation of a rule; null if there is no safe one. */
  fix(cues: readonly ReviewCue[], index: number, rule: RuleName): Splice[] | null {
    const broken = this.violationsAt(cues, index).find((violation) => violation.rule === rule);
    const fixed = [...cues];
    for (const { at, caption } of broken?.fix ?? []) {
      fixed[at] = { ...cues[at]!, ...caption };
    }
    return differences(cues, fixed);
  }

  /**
   * The edit that fixes everything that can be fixed safely; null if there is nothing.
   * @param rules only these
   */
  fixAll(cues: readonly ReviewCue[], rules?: readonly RuleName[]): Splice[] | null {
    const fixed = fixCaptions(cues, this.profile, this.#picture, rules);
    return differences(
      cues,
      fixed.map((caption, at) => ({ ...caption, id: cues[at]!.id })),
    );
  }
}

const around = (cues: readonly ReviewCue[], index: number): (ReviewCue | undefined)[] =>
  [-2, -1, 1, 2].map((step) => cues[index + step]);

const isSame = (
  one: readonly (ReviewCue | undefined)[],
  other: readonly (ReviewCue | undefined)[],
): boolean => one.every((cue, at) => cue === other[at]);

/** A splice for each caption that has changed; null for none. */
function differences(before: readonly ReviewCue[], after: readonly ReviewCue[]): Splice[] | null {
  const splices = before.flatMap((cue, at) => {
    const now = after[at];
    return now && !sameCue(now, cue) ? [{ at, removed: [cue], inserted: [now] }] : [];
  });
  return splices.length === 0 ? null : splices;
}
