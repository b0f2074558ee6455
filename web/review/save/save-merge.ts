/** Merges the service's version of a review into the one that is open. */
import type { Decision } from '../model/history.ts';
import {
  type AcceptedChange,
  cuesIn,
  decisionsFrom,
  isTakenAt,
  type Region,
  regionsOf,
  seenCues,
  splicesFrom,
  type Versions,
} from '../model/merge-reviews.ts';
import type { SharedCue } from '../model/align-cues.ts';
import { sharedCue } from '../model/cue-speakers.ts';
import type { ReviewCue } from '../model/cue.ts';
import type { Review } from '../desk/review.ts';
import { allDecisions, type SharedReview } from './save-document.ts';

/** Captions that two people have changed differently. */
export interface Conflict {
  /** Identifies the place in the other version; stable as long as that version is. */
  readonly key: string;
  readonly mine: readonly ReviewCue[];
  readonly theirs: readonly SharedCue[];
}

/** The last version that both have seen, and the other side's version. */
export interface Sides {
  readonly seen: SharedReview;
  readonly theirs: SharedReview;
  /** The decisions as the run left them. */
  readonly initial: ReadonlyMap<string, Decision>;
}

/** The result of a merge. */
interface MergedReview {
  taken: readonly AcceptedChange[];
  conflicts: readonly Conflict[];
  /** The version that both have seen from now on. */
  seen: SharedReview;
}

const keyOf = ({ theirs }: Region): string => `${theirs.from}-${theirs.to}`;
const isTaken = ({ kind }: Region): boolean => kind === 'theirs' || kind === 'joined';

/** Takes over the other side's changes where only they made any, and returns the conflicts. */
export function mergeReviews(review: Review, { seen, theirs, initial }: Sides): MergedReview {
  const { state } = review;
  const { cues, decisions, nextId, position } = state.peek();
  const versions = versionsOf(review, seen, theirs);
  const regions = regionsOf(versions);
  const { splices, taken } = splicesFrom(regions, cues, theirs.cues, nextId, isTaken);
  const timeOf = timesOf(review);
  const decided = decisionsFrom(
    {
      base: allDecisions(seen, initial),
      mine: decisions,
      theirs: allDecisions(theirs, initial),
    },
    (id) => isTakenAt(regions, versions, isTaken, timeOf(id)),
  );
  if (splices.length + decided.length > 0) {
    const isFirst = position === 0;
    review.edit(isFirst ? 'opened' : 'colleague', splices, {
      decisions: decided,
      quiet: true,
      fixed: isFirst,
      arrived: true,
    });
  }
  return {
    taken,
    conflicts: conflictsOf(regions, review, theirs),
    seen: { ...theirs, cues: seenCues(regions, versions) },
  };
}

/**
 * Resolves one conflict. Taking the other side's captions also takes the decisions on terms in
 * them; keeping mine counts from now on as a change to theirs.
 */
export function chooseSide(
  review: Review,
  { seen, theirs, initial }: Sides,
  key: string,
  side: 'mine' | 'theirs',
): Pick<MergedReview, 'conflicts' | 'seen'> {
  const versions = versionsOf(review, seen, theirs);
  const regions = regionsOf(versions);
  const chosen = regions.find((region) => region.kind === 'conflict' && keyOf(region) === key);
  if (chosen && side === 'theirs') {
    const { cues, decisions, nextId } = review.state.peek();
    const isChosen = (region: Region): boolean => region === chosen;
    const { splices } = splicesFrom(regions, cues, theirs.cues, nextId, isChosen);
    const timeOf = timesOf(review);
    const theirDecisions = [...allDecisions(theirs, initial)].filter(([id]) =>
      isTakenAt(regions, versions, isChosen, timeOf(id)),
    );
    review.edit('colleague', splices, {
      quiet: true,
      decisions: decisionsFrom(
        { base: decisions, mine: decisions, theirs: new Map(theirDecisions) },
        () => true,
      ),
    });
  }
  const settled = regions.map((region): Region =>
    region === chosen ? { ...region, kind: 'mine' } : region,
  );
  const now = { ...theirs, cues: seenCues(settled, versions) };
  const left = regionsOf(versionsOf(review, now, theirs));
  return { seen: now, conflicts: conflictsOf(left, review, theirs) };
}

const versionsOf = (review: Review, seen: SharedReview, theirs: SharedReview): Versions => ({
  base: seen.cues,
  mine: review.cues.peek().map(sharedCue),
  theirs: theirs.cues,
});

const conflictsOf = (
  regions: readonly Region[],
  review: Review,
  theirs: SharedReview,
): Conflict[] =>
  regions
    .filter(({ kind }) => kind === 'conflict')
    .map((region) => ({
      key: keyOf(region),
      mine: cuesIn(review.cues.peek(), region.mine),
      theirs: cuesIn(theirs.cues, region.theirs),
    }));

const timesOf = ({ corrections }: Review): ((id: string) => number) => {
  const times = new Map(corrections.map(({ id, start, end }) => [id, (start + end) / 2]));
  return (id) => times.get(id) ?? -1;
};
