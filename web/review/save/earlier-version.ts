/** What an earlier version of a review changes in the captions as they are now. */
import type { Review as ServiceReview } from '../../../server/contract/review.ts';
import { initialDecisions } from '../model/corrections.ts';
import type { ReviewCue } from '../model/cue.ts';
import { sharedCue } from '../model/cue-speakers.ts';
import type { DecisionChange } from '../model/history.ts';
import { decisionsFrom, regionsOf, splicesFrom } from '../model/merge-reviews.ts';
import { applySplice, type Splice } from '../model/splice.ts';
import type { Review } from '../editing/review.ts';
import { allDecisions, sharedReview } from './save-document.ts';

/** The edit that brings a version back. */
export interface EarlierVersion {
  /** Its captions, with the ids of those that stay the same. */
  readonly cues: readonly ReviewCue[];
  readonly splices: readonly Splice[];
  readonly decisions: readonly DecisionChange[];
}

/** Finds that edit; captions that are the same in both are left alone. */
export function earlierVersion(review: Review, version: ServiceReview): EarlierVersion {
  const { cues, decisions, nextId } = review.state.peek();
  const initial = initialDecisions(review.corrections, review.evidentPacks);
  const then = sharedReview(version, initial);
  const mine = cues.map(sharedCue);
  const regions = regionsOf({ base: mine, mine, theirs: then.cues });
  const isOther = ({ kind }: { kind: string }): boolean => kind !== 'same';
  const { splices } = splicesFrom(regions, cues, then.cues, nextId, isOther);
  return {
    splices,
    cues: splices.reduce(applySplice, cues),
    decisions: decisionsFrom(
      { base: decisions, mine: decisions, theirs: allDecisions(then, initial) },
      () => true,
    ),
  };
}
