/** Decides on the doubtful word at the cursor, otherwise on the term of the current caption. */
import type { Desk } from './desk.ts';
import { decideTerms } from './decide-terms.ts';
import { currentTerm } from './current-term.ts';
import { text } from './strings.ts';
import { selection } from './text-cursor.ts';

/** Accepts or rejects; accepting a doubtful word confirms it and goes to the next one. */
export function decideHere(desk: Desk, decision: 'accepted' | 'rejected'): void {
  const { review, doubts, walk } = desk;
  const [from, to] = selection() ?? [0, -1];
  const cue = review.cues.peek()[review.currentIndex.peek()];
  const here = cue ? doubts.of(cue).filter((word) => word.from <= to && word.to >= from) : [];
  const term = currentTerm(review);
  if (decision === 'accepted' && here.length > 0) {
    doubts.settle(here);
    walk.go(1, ['doubt']);
  } else if (term) decideTerms(review, [term], decision);
  else review.said.value = text.review.nothingToDecide;
}
