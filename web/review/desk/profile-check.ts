/**
 * The check of a review, against the limits of its run or a chosen profile. Profiles are loaded
 * when they are first used.
 */
import { batch, computed, effect, signal, type ReadonlySignal } from '@preact/signals';
import type { RuleName } from '../../../server/captions/rules/profiles/profile.ts';
import { loadPart } from '../../api/load-part.ts';
import type { ReviewCue } from '../model/cue.ts';
import type { CheckedBy, FoundViolation, ProfileChecker } from '../editing/profile-rules.ts';
import type { Recording } from '../play/recording.ts';
import type { Review } from '../editing/review.ts';
import type { FrameGrid } from '../model/land-on-frames.ts';
import { sameList } from '../model/splice.ts';
import { settings } from '../editing/settings.ts';
import { text } from '../../texts/review.ts';

export interface ProfileCheck {
  /** By caption id; null without a profile, and until the first check is done. */
  violations: ReadonlySignal<ReadonlyMap<number, readonly FoundViolation[]> | null>;
  /** Whether a check is in progress. */
  busy: ReadonlySignal<boolean>;
  /** The number of warnings of each caption, by position; none until the first check by a profile is done. */
  counts: ReadonlySignal<readonly number[]>;
  /** The score by the same rules; null until the first check by a profile is done, and without captions. */
  score: ReadonlySignal<number | null>;
  /** The frames that the rules ask for; null if they do not. */
  grid: ReadonlySignal<FrameGrid | null>;
  /** What is known of the picture. */
  picture: ReadonlySignal<CheckedBy>;
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
  const violations = signal<ReadonlyMap<number, readonly FoundViolation[]> | null>(null);
  const score = signal<number | null>(null);
  const picture = computed<CheckedBy>(() => ({
    chosen: settings.frameRate.value,
    learnt: videoRate.value,
    shots: shots.value,
  }));
  const busy = signal(false);
  let timer: ReturnType<typeof setTimeout> | undefined;

  /** Counts the choices, so that rules that load after another choice are ignored. */
  let choice = 0;
  const load = async (name: string, known: CheckedBy) => {
    const mine = choice;
    const part = await loadPart(() => import('../editing/profile-rules.ts')).catch(() => null);
    if (mine !== choice) return;
    // If the profile no longer exists, the limits of the run apply.
    if (part) checker.value = part.checkerFor(name, review.language, known, review.words);
    else busy.value = false;
  };
  effect(() => {
    const name = settings.profile.value;
    const known = picture.value;
    // A house profile may have changed under the same name.
    void settings.houseProfiles.value;
    violations.value = null;
    checker.value = null;
    busy.value = name !== '';
    choice += 1;
    if (name !== '') void load(name, known);
  });

  effect(() => {
    const by = checker.value;
    const cues = review.cues.value;
    clearTimeout(timer);
    if (!by) return;
    const turn = () => {
      const until = performance.now() + TURN_MS;
      const found = by.check(cues, () => performance.now() > until);
      if (found) {
        batch(() => {
          violations.value = found;
          score.value = by.score(cues, found);
        });
      }
      busy.value = found === null;
      if (!found) timer = setTimeout(turn);
    };
    turn();
  });

  const nextId = (): number => review.state.peek().nextId;
  return {
    violations,
    busy,
    picture,
    grid: computed(() => checker.value?.grid ?? null),
    score: computed(() => {
      if (review.cues.value.length === 0) return null;
      return settings.profile.value === '' ? review.score.value : score.value;
    }),
    counts: sameList(() => {
      if (settings.profile.value === '') {
        return review.judged.value.map(({ warnings }) => warnings.length);
      }
      const found = violations.value;
      return review.cues.value.map(({ id }) => found?.get(id)?.length ?? 0);
    }),
    fix(cue, rule) {
      const cues = review.cues.peek();
      const index = cues.findIndex(({ id }) => id === cue.id);
      const made = checker.peek()?.fix(cues, index, rule, nextId()) ?? null;
      if (made) review.edit('fix', made, { cueId: cue.id });
      else review.message.value = text.review.noFix;
    },
    fixAll(rule) {
      const rules = rule ? [rule] : undefined;
      const made = checker.peek()?.fixAll(review.cues.peek(), nextId(), rules) ?? null;
      if (!made) review.message.value = text.review.noneToFix;
      else if (review.edit('fix', made)) review.message.value = text.review.fixedMany(made.length);
    },
  };
}
