/** Decides on the doubtful word at the cursor, otherwise on the term of the current caption. */
import { offersOf } from '../../../server/terminology/decide/offers.ts';
import { decide, initialDecisions } from '../model/corrections.ts';
import { text } from '../../texts/review.ts';
import type { EvidentPack } from '../../../server/contract/terminology.ts';
import { packDecision, withoutUndone } from '../../../server/contract/evident-packs.ts';
import type { TermCorrection } from '../../../server/contract/terminology.ts';
import type { Decision, DecisionChange } from '../model/history.ts';
import { applySplice, type Splice } from '../model/splice.ts';
import type { Desk } from './desk.ts';
import { selection } from '../editing/selection.ts';
import { decisionOn, type Review } from '../editing/review.ts';

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

/** Decides on all places alike: of the doubtful word under the cursor, otherwise of the term. */
export function decideSame(desk: Desk, decision: 'accepted' | 'rejected'): void {
  const { review, doubts, navigation } = desk;
  const { words, term } = here(desk);
  const [doubt] = words;
  if (decision === 'accepted' && doubt) {
    doubts.settle(doubts.like(doubt));
    navigation.go(1, ['doubt']);
  } else if (term) decideTerms(review, placesLike(review, term), decision);
  else review.message.value = text.review.nothingToDecide;
}

/** The places at which the same was heard for the same term. */
export const placesLike = (review: Review, term: TermCorrection): readonly TermCorrection[] =>
  offersOf(review.corrections).find(({ places }) => places.includes(term))?.places ?? [term];

/** The first open correction in the current cue, otherwise its first one. */
function currentTerm(review: Review): TermCorrection | undefined {
  const cue = review.cues.peek()[review.currentIndex.peek()];
  if (!cue) return undefined;
  const here = review.corrections.filter(({ start, end }) => start < cue.end && end > cue.start);
  const decisions = review.decisions.peek();
  return here.find(({ id }) => decisionOn(decisions, id) === 'open') ?? here[0];
}

/** Decides on corrections, together as one undo step. */
export const decideTerms = (
  review: Review,
  corrections: readonly TermCorrection[],
  to: Exclude<Decision, 'open'>,
): void =>
  decideEach(
    review,
    to === 'accepted' ? 'accept' : 'reject',
    corrections.map((correction) => [correction, to]),
  );

/**
 * Does without a pack that the run used because of what its talk speaks of, or uses it again: what rests on it goes
 * back to what was heard, or to what the run made of it. One undo step.
 */
export function decidePack(review: Review, pack: EvidentPack, isUsed: boolean): void {
  const { corrections, evidentPacks = [] } = review;
  const now = review.decisions.peek();
  const id = packDecision(pack);
  const undoneWith = (isRejected: (decision: string) => boolean): ReadonlySet<string> =>
    withoutUndone(evidentPacks, isRejected).undone;
  const before = undoneWith((decision) => now.get(decision) === 'rejected');
  const after = undoneWith((decision) =>
    decision === id ? !isUsed : now.get(decision) === 'rejected',
  );
  const initial = initialDecisions(corrections);
  const decided = corrections.flatMap((correction): (readonly [TermCorrection, Decision])[] => {
    if (before.has(correction.id) === after.has(correction.id)) return [];
    return [[correction, isUsed ? initial.get(correction.id)! : 'rejected']];
  });
  decideEach(review, isUsed ? 'pack' : 'noPack', decided, [
    { id, before: isUsed ? 'rejected' : 'accepted', after: isUsed ? 'accepted' : 'rejected' },
  ]);
}

/** Makes decisions, and others that change no words, as one undo step. */
function decideEach(
  review: Review,
  kind: string,
  decided: readonly (readonly [TermCorrection, Decision])[],
  others: readonly DecisionChange[] = [],
): void {
  const { settings, language } = review;
  const splices: Splice[] = [];
  const decisions: DecisionChange[] = [...others];
  let cues = review.cues.peek();
  let gone = false;
  for (const [correction, to] of decided) {
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
  review.edit(kind, splices, { decisions });
  if (gone) review.message.value = text.review.termGone;
}
