/**
 * The check of a review, against the limits of its run or a chosen profile. Profiles are loaded
 * when they are first used.
 */
import { effect, signal, type ReadonlySignal } from '@preact/signals';
import type { Violation } from '../../../server/captions/rules/check.ts';
import type { RuleName } from '../../../server/captions/rules/profiles/profile.ts';
import { loadPart } from '../../api/load-part.ts';
import type { ReviewCue } from '../model/cue.ts';
import type { CheckedBy, ProfileChecker } from '../editing/profile-rules.ts';
import type { Recording } from '../play/recording.ts';
import type { Review } from '../editing/review.ts';
import { sameList } from '../model/splice.ts';
import { settings } from '../editing/settings.ts';
import { text } from '../../texts/review.ts';

export interface ProfileCheck {
  /** By caption id; null without a profile, and until the first check is done. */
  violations: ReadonlySignal<ReadonlyMap<number, readonly Violation[]> | null>;
  /** Whether a check is in progress. */
  busy: ReadonlySignal<boolean>;
  /** The number of warnings of each caption, by position. */
  counts: ReadonlySignal<readonly number[]>;
  /** Fixes a caption's violation of a rule. */
  fix(cue: ReviewCue, rule: RuleName): void;
  /** Fixes all violations of a rule, or of any rule, that can be fixed safely. */
  fixAll(rule?: RuleName): void;
}

/** The longest time a check blocks the page, in milliseconds, so that no frame is late. */
const TURN_MS = 8;

/** Creates the check of a review. */
export function createProfileCheck(
  review: Review,
  { shots }: Pick<Recording, 'shots'>,
  videoRate: ReadonlySignal<number | null>,
): ProfileCheck {
  const checker = signal<ProfileChecker | null>(null);
  const violations = signal<ReadonlyMap<number, readonly Violation[]> | null>(null);
  const busy = signal(false);
  let timer: ReturnType<typeof setTimeout> | undefined;

  /** Counts the choices, so that rules that load after another choice are ignored. */
  let choice = 0;
  const load = async (name: string, picture: CheckedBy) => {
    const mine = choice;
    const part = await loadPart(() => import('../editing/profile-rules.ts')).catch(() => null);
    if (mine !== choice) return;
    // If the profile no longer exists, the limits of the run apply.
    if (part) checker.value = part.checkerFor(name, review.language, picture);
    else busy.value = false;
  };
  effect(() => {
    const name = settings.profile.value;
    const picture = {
      chosen: settings.frameRate.value,
      learnt: videoRate.value,
      shots: shots.value,
    };
    // A house profile may have changed under the same name.
    void settings.houseProfiles.value;
    violations.value = null;
    checker.value = null;
    busy.value = name !== '';
    choice += 1;
    if (name !== '') void load(name, picture);
  });

  effect(() => {
    const by = checker.value;
    const cues = review.cues.value;
    clearTimeout(timer);
    if (!by) return;
    const turn = () => {
      const until = performance.now() + TURN_MS;
      const found = by.check(cues, () => performance.now() > until);
      if (found) violations.value = found;
      busy.value = found === null;
      if (!found) timer = setTimeout(turn);
    };
    turn();
  });

  const make = (made: ReturnType<ProfileChecker['fix']>): void => {
    if (made) review.edit('fix', made);
    else review.message.value = text.review.noFix;
  };
  return {
    violations,
    busy,
    counts: sameList(() => {
      const found = violations.value;
      return found
        ? review.cues.value.map(({ id }) => found.get(id)?.length ?? 0)
        : review.judged.value.map(({ warnings }) => warnings.length);
    }),
    fix(cue, rule) {
      const cues = review.cues.peek();
      const index = cues.findIndex(({ id }) => id === cue.id);
      make(checker.peek()?.fix(cues, index, rule) ?? null);
    },
    fixAll(rule) {
      const made = checker.peek()?.fixAll(review.cues.peek(), rule ? [rule] : undefined) ?? null;
      if (!made) review.message.value = text.review.noneToFix;
      else if (review.edit('fix', made)) review.message.value = text.review.fixedMany(made.length);
    },
  };
}
