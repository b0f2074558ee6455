/** Navigation from caption to caption, and between open items: terms, doubts and warnings. */
import { computed, type ReadonlySignal } from '@preact/signals';
import type { TermCorrection } from '../../../server/contract/terminology.ts';
import { cueAt, lastStartedAt, type ReviewCue } from '../model/cue.ts';
import { nearestPlace, wordings } from '../../../server/captions/divide/replace-spoken.ts';
import type { Playback } from '../play/playback.ts';
import type { Stretch } from '../../../server/contract/unheard.ts';
import { text } from '../../texts/review.ts';
import type { Doubts } from '../editing/doubts.ts';
import type { ProfileCheck } from './profile-check.ts';
import { decisionOn, type Reveal, type Review } from '../editing/review.ts';
import { settings } from '../editing/settings.ts';

/** The kinds of open items. */
type Kind = 'term' | 'doubt' | 'warning';

/** The number of open items of each kind. */
type Left = Readonly<Record<Kind, number>>;

export interface Navigation {
  left: ReadonlySignal<Left>;
  /** The undecided corrections, in order. */
  openTerms: ReadonlySignal<readonly TermCorrection[]>;
  /** Makes a caption current; with `focus`, the cursor goes into its text. */
  select(cue: ReviewCue | undefined, focus?: Reveal['select'] | null): void;
  /**
   * Seeks to a time, in seconds; the caption there becomes current, unless the user turned that off.
   * The cursor stays in a text that is being typed: keys replay what is typed there. A pointer
   * (`pointed`) takes it along.
   */
  seek(time: number, pointed?: boolean): void;
  next(focus?: Reveal['select'] | null): void;
  previous(focus?: Reveal['select'] | null): void;
  /** Goes to the next or previous open item of some kinds; after the last comes the first. */
  go(step: 1 | -1, kinds?: readonly Kind[]): void;
  /** Goes to the words of a correction. */
  toTerm(correction: TermCorrection): void;
  /** Goes to the start of a stretch without captions; the caption before it becomes current. */
  toUnheard(stretch: Stretch): void;
}

/** The objects that navigation depends on. */
interface WalkTools {
  doubts: Doubts;
  check: ProfileCheck;
  playback: Playback;
}

/** A place to go to. */
interface Destination {
  readonly index: number;
  readonly from: number;
  select(): void;
}

/** A stretch without captions sorts after all words of the caption before it, and by its start. */
const AFTER_WORDS = 1e6;

/** Creates the navigation of a review. */
export function createNavigation(
  review: Review,
  { doubts, check, playback }: WalkTools,
): Navigation {
  const { cues, currentIndex, currentId, reveal } = review;
  /** The caption to which the last step led. */
  let steppedTo: number | null = null;
  const openTerms = computed(() => {
    const decisions = review.decisions.value;
    return review.corrections
      .filter(({ id }) => decisionOn(decisions, id) === 'open')
      .toSorted((a, b) => a.start - b.start);
  });
  const select: Navigation['select'] = (cue, focus = 'start') => {
    if (!cue) return;
    // A list leads to a caption as a step does.
    if (focus === null) steppedTo = cue.id;
    currentId.value = cue.id;
    reveal.value = focus ? { id: cue.id, select: focus } : { id: cue.id };
    if (!playback.playing.peek()) playback.seek(cue.start);
  };
  const placeOfTerm = (correction: TermCorrection): Destination => {
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
  const placeOfUnheard = (stretch: Stretch): Destination => {
    const index = lastStartedAt(cues.peek(), stretch.start);
    return {
      index,
      from: AFTER_WORDS + stretch.start,
      select() {
        const cue = cues.peek()[Math.max(0, index)];
        if (cue) {
          currentId.value = cue.id;
          reveal.value = { id: cue.id, follows: true };
        }
        playback.seek(stretch.start);
        review.message.value = text.review.unheardHere(stretch.end - stretch.start);
      },
    };
  };
  /** What is about a whole caption sorts before any place in its text. */
  const placeOfCue = (index: number): Destination => ({
    index,
    from: -1,
    select: () => select(cues.peek()[index]),
  });
  const placesOf: Record<Kind, () => Destination[]> = {
    term: () => openTerms.peek().map(placeOfTerm),
    doubt: () => [
      ...doubts.open.peek().map(({ index, from, to }) => ({
        index,
        from,
        select: () => select(cues.peek()[index], [from, to]),
      })),
      ...doubts.unheard.peek().map(placeOfUnheard),
      ...doubts.uncertain.peek().map(({ index }) => placeOfCue(index)),
    ],
    warning: () =>
      check.counts.peek().flatMap((warnings, index) => (warnings > 0 ? [placeOfCue(index)] : [])),
  };
  return {
    left: computed(() => ({
      term: openTerms.value.length,
      doubt: doubts.open.value.length + doubts.unheard.value.length + doubts.uncertain.value.length,
      warning: check.counts.value.reduce((sum, count) => sum + count, 0),
    })),
    openTerms,
    select,
    seek(time, pointed = false) {
      playback.seek(time);
      if (!settings.seekSelects.peek() || (!pointed && isTyped())) return;
      const cue = cueToEdit(cues.peek(), currentIndex.peek(), playback.time.peek());
      if (!cue || cue.id === currentId.peek()) return;
      currentId.value = cue.id;
      reveal.value = { id: cue.id, ...(pointed ? {} : { follows: true }) };
    },
    next: (focus) => select(cues.peek()[currentIndex.peek() + 1], focus),
    previous: (focus) => select(cues.peek()[currentIndex.peek() - 1], focus),
    go(step, kinds = ['term', 'doubt', 'warning']) {
      const here = currentIndex.peek();
      const time = playback.time.peek();
      const within = doubts.unheard
        .peek()
        .find(({ start, end }) => start <= time + 0.001 && time < end);
      const isThere = within && lastStartedAt(cues.peek(), within.start) === here;
      const cursor = isThere ? AFTER_WORDS + within.start : cursorIn(currentId.peek());
      // A caption to which no step has led yet still has its own warnings before it.
      const isNew = !isThere && steppedTo !== currentId.peek();
      const places = kinds
        .flatMap((kind) => placesOf[kind]())
        .toSorted((a, b) => a.index - b.index || a.from - b.from);
      const isAfter = ({ index, from }: Destination): boolean =>
        index > here || (index === here && (from > cursor || (isNew && from < 0)));
      const isBefore = ({ index, from }: Destination): boolean =>
        index < here || (index === here && from >= 0 && from < cursor);
      const found = step > 0 ? places.find(isAfter) : places.findLast(isBefore);
      if (found) {
        // That of an earlier step.
        review.message.value = '';
        found.select();
        steppedTo = currentId.peek();
        return;
      }
      places.at(step > 0 ? 0 : -1)?.select();
      review.message.value =
        places.length === 0 ? text.review.noneLeft : text.review.wrapped(step > 0);
    },
    toTerm: (correction) => placeOfTerm(correction).select(),
    toUnheard: (stretch) => placeOfUnheard(stretch).select(),
  };
}

/** Whether the cursor is in a field of a caption. */
function isTyped(): boolean {
  const active = globalThis.document?.activeElement;
  return active !== null && 'selectionStart' in active && active.closest('.cue') !== null;
}

/** The cursor position in the text of the current caption; -1 if the cursor is elsewhere. */
function cursorIn(id: number | null): number {
  const active = globalThis.document?.activeElement;
  if (!(active instanceof HTMLTextAreaElement)) return -1;
  const row = active.closest<HTMLElement>('.cue');
  return row && Number(row.dataset['id']) === id ? active.selectionStart : -1;
}

/**
 * The cue to which commands apply at a time: the one shown there, in a gap the one before it. The
 * current cue stays if it is shown as well, or if the gap is beside it: its start or end may be
 * about to move there.
 */
function cueToEdit(
  cues: readonly ReviewCue[],
  current: number,
  time: number,
): ReviewCue | undefined {
  const now = cues[current];
  if (now && now.start <= time && time < now.end) return now;
  const last = lastStartedAt(cues, time);
  return (
    cueAt(cues, time) ??
    (now && (current === last || current === last + 1) ? now : cues[Math.max(0, last)])
  );
}
