/** Decides on the doubtful word at the cursor, otherwise on the term of the current caption. */
import type { Desk } from './desk.ts';
import { decideTerms } from './decide-terms.ts';
import { currentTerm } from './current-term.ts';
import { sameKind } from '../model/corrections.ts';
import { text } from '../../texts/review.ts';
import { selection } from './text-cursor.ts';

/** The doubtful words under the cursor, and the term of the caption. */
function here(desk: Desk) {
  const { review, doubts } = desk;
  const [from, to] = selection() ?? [0, -1];
  const cue = review.cues.peek()[review.currentIndex.peek()];
  return {
    words: cue ? doubts.of(cue).filter((word) => word.from <= to && word.to >= from) : [],
    term: currentTerm(review),
  };
}

/** Accepts or rejects; accepting a doubtful word confirms it and goes to the next one. */
export function decideHere(desk: Desk, decision: 'accepted' | 'rejected'): void {
  const { review, doubts, navigation } = desk;
  const { words, term } = here(desk);
  if (decision === 'accepted' && words.length > 0) {
    doubts.settle(words);
    navigation.go(1, ['doubt']);
  } else if (term) decideTerms(review, [term], decision);
  else review.message.value = text.review.nothingToDecide;
}

/** Decides on all identical places: of the doubtful word under the cursor, otherwise of the term. */
export function decideSame(desk: Desk, decision: 'accepted' | 'rejected'): void {
  const { review, doubts, navigation } = desk;
  const { words, term } = here(desk);
  const [doubt] = words;
  if (decision === 'accepted' && doubt) {
    doubts.settle(doubts.like(doubt));
    navigation.go(1, ['doubt']);
  } else if (term) decideTerms(review, sameKind(review.corrections, term), decision);
  else review.message.value = text.review.nothingToDecide;
}
