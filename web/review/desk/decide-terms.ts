/** Decides on term corrections, as edits of a review. */
import type { TermCorrection } from '../../../server/contract/terminology.ts';
import { text } from '../../texts/review.ts';
import { decide } from '../model/corrections.ts';
import type { Decision, DecisionChange } from '../model/history.ts';
import { applySplice, type Splice } from '../model/splice.ts';
import { decisionOn, type Review } from './review.ts';

/** Decides on corrections, together as one undo step. */
export function decideTerms(
  review: Review,
  corrections: readonly TermCorrection[],
  to: Exclude<Decision, 'open'>,
): void {
  const { settings, language } = review;
  const splices: Splice[] = [];
  const decisions: DecisionChange[] = [];
  let cues = review.cues.peek();
  let gone = false;
  for (const correction of corrections) {
    const from = decisionOn(review.decisions.peek(), correction.id);
    if (from === to) continue;
    const made = decide(cues, correction, from, to, settings, language);
    gone ||= made === null;
    for (const splice of made ?? []) {
      cues = applySplice(cues, splice);
      splices.push(splice);
    }
    decisions.push({ id: correction.id, before: from, after: to });
  }
  review.edit(to === 'accepted' ? 'accept' : 'reject', splices, { decisions });
  if (gone) review.message.value = text.review.termGone;
}
