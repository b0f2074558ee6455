/** From one caption to the next, and from one thing that is left to look at to the next. */
import { computed, type ReadonlySignal } from '@preact/signals';
import type { TermCorrection } from '../../server/contract/terminology.ts';
import { lastStartedAt } from './cue-at.ts';
import { nearestPlace } from './model/correction-places.ts';
import { wordings } from './model/correction-wordings.ts';
import type { ReviewCue } from './model/cue.ts';
import type { Doubts } from './doubts.ts';
import type { ProfileCheck } from './profile-check.ts';
import type { Playback } from './playback.ts';
import { decisionOn, type Reveal, type Review } from './review.ts';
import { text } from './strings.ts';

/** What there is to look at. */
export type Kind = 'term' | 'doubt' | 'warning';

/** How much of each kind is left. */
export type Left = Readonly<Record<Kind, number>>;

export interface Walk {
  left: ReadonlySignal<Left>;
  /** The corrections that nobody has decided on, in order. */
  openTerms: ReadonlySignal<readonly TermCorrection[]>;
  /** Makes a caption current; with `focus` its text takes the cursor. */
  select(cue: ReviewCue | undefined, focus?: Reveal['select'] | null): void;
  next(focus?: Reveal['select'] | null): void;
  previous(focus?: Reveal['select'] | null): void;
  /** On to the next thing of some kinds, or back. */
  go(step: 1 | -1, kinds?: readonly Kind[]): void;
  /** Goes to the words of a correction. */
  toTerm(correction: TermCorrection): void;
}

/** What a walk goes by. */
export interface WalkTools {
  doubts: Doubts;
  check: ProfileCheck;
  playback: Playback;
}

/** A place to look at. */
interface Place {
  readonly index: number;
  readonly from: number;
  select(): void;
}

/** Makes the walk through a review. */
export function createWalk(review: Review, { doubts, check, playback }: WalkTools): Walk {
  const { cues, currentIndex, currentId, reveal } = review;
  const openTerms = computed(() => {
    const decisions = review.decisions.value;
    return review.corrections
      .filter(({ id }) => decisionOn(decisions, id) === 'open')
      .toSorted((a, b) => a.start - b.start);
  });
  const select: Walk['select'] = (cue, focus = 'start') => {
    if (!cue) return;
    currentId.value = cue.id;
    reveal.value = focus ? { id: cue.id, select: focus } : { id: cue.id };
    if (!playback.playing.peek()) playback.seek(cue.start);
  };
  const placeOfTerm = (correction: TermCorrection): Place => {
    const all = cues.peek();
    const decision = decisionOn(review.decisions.peek(), correction.id);
    const words = decision === 'accepted' ? correction.after : correction.before;
    for (const { found } of wordings(words, '')) {
      const place = nearestPlace(all, { found, wanted: '' }, correction);
      if (!place || place.cues > 1) continue;
      const { index, from, to } = place;
      return { index, from, select: () => select(all[index], [from, to]) };
    }
    const index = Math.max(0, lastStartedAt(all, correction.start + 0.001));
    return { index, from: 0, select: () => select(all[index]) };
  };
  const placesOf: Record<Kind, () => Place[]> = {
    term: () => openTerms.peek().map(placeOfTerm),
    doubt: () =>
      doubts.open.peek().map(({ index, from, to }) => ({
        index,
        from,
        select: () => select(cues.peek()[index], [from, to]),
      })),
    warning: () =>
      check.counts.peek().flatMap((warnings, index) =>
        // The whole caption is meant: its text is in its way to nothing.
        warnings > 0 ? [{ index, from: -1, select: () => select(cues.peek()[index]) }] : [],
      ),
  };
  return {
    left: computed(() => ({
      term: openTerms.value.length,
      doubt: doubts.open.value.length,
      warning: check.counts.value.reduce((sum, count) => sum + count, 0),
    })),
    openTerms,
    select,
    next: (focus) => select(cues.peek()[currentIndex.peek() + 1], focus),
    previous: (focus) => select(cues.peek()[currentIndex.peek() - 1], focus),
    go(step, kinds = ['term', 'doubt', 'warning']) {
      const here = currentIndex.peek();
      const cursor = cursorIn(currentId.peek());
      const places = kinds
        .flatMap((kind) => placesOf[kind]())
        .toSorted((a, b) => a.index - b.index || a.from - b.from);
      const isAfter = ({ index, from }: Place): boolean =>
        index > here || (index === here && from > cursor);
      const isBefore = ({ index, from }: Place): boolean =>
        index < here || (index === here && from >= 0 && from < cursor);
      const found = step > 0 ? places.find(isAfter) : places.findLast(isBefore);
      if (found) return found.select();
      review.said.value =
        places.length === 0 ? text.review.noneLeft : text.review.noneThatWay(step > 0);
    },
    toTerm: (correction) => placeOfTerm(correction).select(),
  };
}

/** Where the cursor stands in the text of the current caption; before it where it stands elsewhere. */
function cursorIn(id: number | null): number {
  const active = globalThis.document?.activeElement;
  if (!(active instanceof HTMLTextAreaElement)) return -1;
  const row = active.closest<HTMLElement>('.cue');
  return row && Number(row.dataset['id']) === id ? active.selectionStart : -1;
}
