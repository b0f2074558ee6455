/**
 * The doubts of a review: phrases, stretches without captions and turns of uncertain speakers, except those that somebody
 * has confirmed.
 */
import { computed, signal, type ReadonlySignal } from '@preact/signals';
import { doubtfulPhrases } from '../../../server/captions/doubtful-phrases.ts';
import { type Decision, turnDecision, unheardDecision, wordDecision } from '../model/history.ts';
import { lastStartedAt, type ReviewCue } from '../model/cue.ts';
import { doubtfulWords, type DoubtfulWord } from '../model/doubtful-words.ts';
import type { Review } from './review.ts';
import type { Stretch } from '../../../server/contract/unheard.ts';
import { mapChanged, sameList } from '../model/splice.ts';
import { settings } from './settings.ts';
import { withoutCues } from '../../../server/captions/unheard.ts';

/** A doubtful word with the position of its caption. */
interface Doubt extends DoubtfulWord {
  readonly index: number;
}

/** A doubtful stretch, with the id of the decision that it is right. */
interface DoubtfulStretch extends Stretch {
  readonly decision: string;
}

/** A turn of a speaker who is uncertain by the voice, with the position of its first caption. */
export interface UncertainTurn extends DoubtfulStretch {
  readonly index: number;
}

export interface Doubts {
  /** Stretches of sound without captions, in order. */
  unheard: ReadonlySignal<readonly DoubtfulStretch[]>;
  /** Turns of uncertain speakers that have captions, in order. */
  uncertain: ReadonlySignal<readonly UncertainTurn[]>;
  /** Confirms that nothing is missing in a stretch. */
  settleUnheard(stretch: DoubtfulStretch): void;
  /** Confirms the speaker of a turn. */
  settleSpeaker(turn: UncertainTurn): void;
  /** All unconfirmed doubtful words, in order. */
  open: ReadonlySignal<readonly Doubt[]>;
  /** The unconfirmed doubtful words of one caption. */
  of(cue: ReviewCue): readonly DoubtfulWord[];
  /** All unconfirmed doubtful words that were recognised as the same word, the given one included. */
  like(doubt: DoubtfulWord): readonly Doubt[];
  /** Confirms words as they stand. */
  settle(doubts: readonly DoubtfulWord[]): void;
}

/** The ids of the decisions that the words of a phrase are right. */
const idsOf = ({ word, last }: DoubtfulWord): string[] =>
  Array.from({ length: last - word + 1 }, (_, at) => wordDecision(word + at));

const isSettled = (decisions: ReadonlyMap<string, Decision>, phrase: DoubtfulWord): boolean =>
  idsOf(phrase).every((id) => decisions.get(id) === 'accepted');

/**
 * Finds the doubts of a review; a caption is searched for doubtful words only after it changes.
 * @param stretches those that had sound but no captions at first, in order
 * @param turns those whose speakers were uncertain at first, in order
 */
export function createDoubts(
  review: Review,
  stretches: ReadonlySignal<readonly Stretch[]> = signal([]),
  turns: readonly Stretch[] = [],
): Doubts {
  const known = computed(() => {
    const phrases = doubtfulPhrases(review.words, settings.doubtBelow.value);
    const found = new WeakMap<ReviewCue, DoubtfulWord[]>();
    return (cue: ReviewCue): DoubtfulWord[] => {
      const before = found.get(cue);
      if (before) return before;
      const words = doubtfulWords(cue, review.words, phrases);
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
        if (taken.has(word.last) || isSettled(decisions, word)) continue;
        taken.add(word.last);
        found.push(doubtAt(word, index));
      }
    }
    return found;
  });
  const heardAs = ({ word, last }: DoubtfulWord) =>
    review.words
      .slice(word, last + 1)
      .map(({ text }) => text.toLowerCase())
      .join(' ');
  const listed = computed(() =>
    stretches.value.map((stretch) => ({ ...stretch, decision: unheardDecision(stretch.start) })),
  );
  const isOpen = ({ decision }: DoubtfulStretch): boolean =>
    review.decisions.value.get(decision) !== 'accepted';
  const accepted = ({ decision: id }: DoubtfulStretch) => ({
    decisions: [{ id, before: 'open', after: 'accepted' } as const],
  });
  const heardTurns = turns.map((turn) => ({ ...turn, decision: turnDecision(turn.start) }));
  return {
    open,
    unheard: computed(() => withoutCues(listed.value.filter(isOpen), review.cues.value)),
    uncertain: sameList(() =>
      heardTurns.filter(isOpen).flatMap((turn) => {
        const cues = review.cues.value;
        const before = lastStartedAt(cues, turn.start);
        const index = (cues[before]?.end ?? 0) > turn.start ? before : before + 1;
        const cue = cues[index];
        return cue && cue.start < turn.end ? [{ ...turn, index }] : [];
      }),
    ),
    settleUnheard: (stretch) => review.edit('nothing', [], accepted(stretch)),
    settleSpeaker: (turn) => review.edit('sure', [], accepted(turn)),
    like(doubt) {
      const heard = heardAs(doubt);
      return open.peek().filter((other) => heardAs(other) === heard);
    },
    of(cue) {
      const words = known.value(cue);
      const decisions = review.decisions.value;
      return words.filter((word) => !isSettled(decisions, word));
    },
    settle(doubts) {
      const decisions = review.decisions.peek();
      review.edit('sure', [], {
        decisions: doubts.flatMap(idsOf).map((id) => {
          return { id, before: decisions.get(id) ?? 'open', after: 'accepted' };
        }),
      });
    },
  };
}
