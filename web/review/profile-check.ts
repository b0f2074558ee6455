/**
 * The check of a review: by the limits of its run, or by the rules of a publisher that somebody has
 * chosen. Those are loaded when they are first asked for.
 */
import { computed, effect, signal, type ReadonlySignal } from '@preact/signals';
import type { Violation } from '../../server/captions/check.ts';
import type { RuleName } from '../../server/captions/profiles/profile.ts';
import { loadPart } from '../api/load-part.ts';
import type { ReviewCue } from './model/cue.ts';
import type { ProfileChecker } from './model/profile-violations.ts';
import type { CheckedBy } from './profile-rules.ts';
import type { Recording } from './recording.ts';
import type { Review } from './review.ts';
import { settings } from './settings.ts';
import { text } from './strings.ts';

export interface ProfileCheck {
  /** By the id of their caption; null where the run's own limits count, or until the first check is done. */
  violations: ReadonlySignal<ReadonlyMap<number, readonly Violation[]> | null>;
  /** Whether captions are still being checked. */
  busy: ReadonlySignal<boolean>;
  /** How many warnings each caption has, by its position. */
  counts: ReadonlySignal<readonly number[]>;
  /** Mends what a caption breaks of a rule. */
  fix(cue: ReviewCue, rule: RuleName): void;
  /** Mends every caption that breaks a rule, or any, where that is safe. */
  fixAll(rule?: RuleName): void;
}

/** So long the page does nothing else, in milliseconds: the frame after it is not late. */
const TURN_MS = 8;

const NONE: readonly Violation[] = [];

/** The violations of a caption. */
export const violationsOf = ({ violations }: ProfileCheck, id: number): readonly Violation[] =>
  violations.value?.get(id) ?? NONE;

/** Makes the check of a review. */
export function createProfileCheck(
  review: Review,
  { shots }: Pick<Recording, 'shots'>,
  learntRate: ReadonlySignal<number | null>,
): ProfileCheck {
  const checker = signal<ProfileChecker | null>(null);
  const violations = signal<ReadonlyMap<number, readonly Violation[]> | null>(null);
  const busy = signal(false);
  let timer: ReturnType<typeof setTimeout> | undefined;

  /** Counts the choices: rules that come after another was made are of no use. */
  let choice = 0;
  const load = async (name: string, picture: CheckedBy) => {
    const mine = choice;
    const part = await loadPart(() => import('./profile-rules.ts')).catch(() => null);
    if (mine !== choice) return;
    // One that is no longer there: the limits of the run count.
    if (part) checker.value = part.checkerFor(name, review.language, picture);
    else busy.value = false;
  };
  effect(() => {
    const name = settings.profile.value;
    const picture = {
      chosen: settings.frameRate.value,
      learnt: learntRate.value,
      shots: shots.value,
    };
    // A house's own may be another under the same name.
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
    else review.said.value = text.review.noFix;
  };
  return {
    violations,
    busy,
    counts: computed(() => {
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
      make(made);
      if (made) review.said.value = text.review.fixedMany(made.length);
    },
  };
}
