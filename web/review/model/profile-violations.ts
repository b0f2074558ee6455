/** The rules of a publisher that captions break, found anew only where captions have changed. */
import {
  checkCaptions,
  mendCaptions,
  type CheckedPicture,
  type Violation,
} from '../../../server/captions/check.ts';
import type { Profile, RuleName } from '../../../server/captions/profiles/profile.ts';
import { sameCue, type ReviewCue } from './cue.ts';
import type { Splice } from './splice.ts';

/** A fix looks at two captions on each side of the one that it mends. */
const AROUND = 2;

interface Known {
  readonly around: readonly (ReviewCue | undefined)[];
  readonly violations: readonly Violation[];
}

/** A check of captions by one profile, on one picture. */
export class ProfileChecker {
  readonly #known = new WeakMap<ReviewCue, Known>();
  readonly profile: Profile;
  readonly #picture: CheckedPicture;

  constructor(profile: Profile, picture: CheckedPicture) {
    this.profile = profile;
    this.#picture = picture;
  }

  /**
   * Checks captions until a moment comes.
   * @param isLate asked after each caption that had to be checked
   * @returns the violations by the id of their caption; null where it was too late for all
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

  /** The violations of one caption; `at`, there and in their fixes, counts from the first caption of all. */
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

  /** The edit that mends what one caption breaks of a rule; null where nothing safe does. */
  fix(cues: readonly ReviewCue[], index: number, rule: RuleName): Splice[] | null {
    const broken = this.violationsAt(cues, index).find((violation) => violation.rule === rule);
    const fixed = [...cues];
    for (const { at, caption } of broken?.fix ?? []) {
      const cue = cues[at];
      if (cue) fixed[at] = { ...cue, ...caption };
    }
    return differences(cues, fixed);
  }

  /** The edit that mends all that can safely be; null where nothing can. @param rules only these */
  fixAll(cues: readonly ReviewCue[], rules?: readonly RuleName[]): Splice[] | null {
    const mended = mendCaptions(cues, this.profile, this.#picture, rules);
    return differences(
      cues,
      mended.map((caption, at) => ({ ...caption, id: cues[at]?.id ?? 0 })),
    );
  }
}

const around = (cues: readonly ReviewCue[], index: number): (ReviewCue | undefined)[] =>
  [-2, -1, 1, 2].map((step) => cues[index + step]);

const isSame = (
  one: readonly (ReviewCue | undefined)[],
  other: readonly (ReviewCue | undefined)[],
): boolean => one.every((cue, at) => cue === other[at]);

/** A splice for each caption that is another now; null for none. */
function differences(before: readonly ReviewCue[], after: readonly ReviewCue[]): Splice[] | null {
  const splices = before.flatMap((cue, at) => {
    const now = after[at];
    return now && !sameCue(now, cue) ? [{ at, removed: [cue], inserted: [now] }] : [];
  });
  return splices.length === 0 ? null : splices;
}
