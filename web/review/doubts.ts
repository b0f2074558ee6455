/** The doubtful words of a review, except those that somebody has confirmed. */
import { computed, type ReadonlySignal } from '@preact/signals';
import { wordDecision } from './model/change.ts';
import type { ReviewCue } from './model/cue.ts';
import { doubtfulWords, type DoubtfulWord } from './model/doubtful-words.ts';
import type { Review } from './review.ts';
import { mapChanged, sameList } from './same-list.ts';
import { settings } from './settings.ts';

/** A doubtful word with the position of its caption. */
export interface Doubt extends DoubtfulWord {
  readonly index: number;
}

export interface Doubts {
  /** All unconfirmed doubtful words, in order. */
  open: ReadonlySignal<readonly Doubt[]>;
  /** The unconfirmed doubtful words of one caption. */
  of(cue: ReviewCue): readonly DoubtfulWord[];
  /** All unconfirmed doubtful words that were recognised as the same word, the given one included. */
  like(doubt: DoubtfulWord): readonly Doubt[];
  /** Confirms words as they stand. */
  settle(doubts: readonly DoubtfulWord[]): void;
}

/** Finds the doubtful words of a review; a caption is searched again only after it changes. */
export function createDoubts(review: Review): Doubts {
  const known = computed(() => {
    const below = settings.doubtBelow.value;
    const found = new WeakMap<ReviewCue, DoubtfulWord[]>();
    return (cue: ReviewCue): DoubtfulWord[] => {
      const before = found.get(cue);
      if (before) return before;
      const words = doubtfulWords(cue, review.words, below);
      found.set(cue, words);
      return words;
    };
  });
  const perCue = computed(() => mapChanged(known.value));
  /** Each doubt is made once for its place, so that the list stays the same while a word is typed. */
  const made = new WeakMap<DoubtfulWord, Doubt>();
  const doubtAt = (word: DoubtfulWord, index: number): Doubt => {
    const before = made.get(word);
    if (before?.index === index) return before;
    const doubt = { ...word, index };
    made.set(word, doubt);
    return doubt;
  };
  const open = sameList(() => {
    const decisions = review.decisions.value;
    const taken = new Set<number>();
    const found: Doubt[] = [];
    for (const [index, words] of perCue.value(review.cues.value).entries()) {
      for (const word of words) {
        // A word at the boundary of two captions belongs to the first.
        if (taken.has(word.word) || decisions.get(wordDecision(word.word)) === 'accepted') continue;
        taken.add(word.word);
        found.push(doubtAt(word, index));
      }
    }
    return found;
  });
  const heardAs = ({ word }: DoubtfulWord) => review.words[word]?.text.toLowerCase();
  return {
    open,
    like(doubt) {
      const heard = heardAs(doubt);
      return open.peek().filter((other) => heardAs(other) === heard);
    },
    of(cue) {
      const words = known.value(cue);
      const decisions = review.decisions.value;
      return words.filter(({ word }) => decisions.get(wordDecision(word)) !== 'accepted');
    },
    settle(doubts) {
      const decisions = review.decisions.peek();
      review.edit('sure', [], {
        decisions: doubts.map(({ word }) => {
          const id = wordDecision(word);
          return { id, before: decisions.get(id) ?? 'open', after: 'accepted' };
        }),
      });
    },
  };
}
