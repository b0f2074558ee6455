/** The term correction that accept and reject shortcuts apply to. */
import type { TermCorrection } from '../../../server/contract/terminology.ts';
import { decisionOn, type Review } from './review.ts';

/** The first open correction in the current cue, otherwise its first one. */
export function currentTerm(review: Review): TermCorrection | undefined {
  const cue = review.cues.peek()[review.currentIndex.peek()];
  if (!cue) return undefined;
  const here = review.corrections.filter(({ start, end }) => start < cue.end && end > cue.start);
  const decisions = review.decisions.peek();
  return here.find(({ id }) => decisionOn(decisions, id) === 'open') ?? here[0];
}
