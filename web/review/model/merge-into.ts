/** Regions of a merge → changes of the review that is open: captions keep their ids, decisions go with their captions. */
import type { SharedCue } from './align-cues.ts';
import type { Decision, DecisionChange } from './change.ts';
import type { ReviewCue } from './cue.ts';
import { cuesIn, type Region, type Versions } from './merge-reviews.ts';
import type { Splice } from './splice.ts';

/** A stretch that the other side changed. */
export interface Taken {
  readonly before: readonly ReviewCue[];
  readonly after: readonly ReviewCue[];
}

/**
 * The splices, to be applied in order, that bring the other side's captions into a review.
 * @param isTaken which regions are to have the other side's captions
 * @param nextId the id of the next new caption
 */
export function splicesFrom(
  regions: readonly Region[],
  cues: readonly ReviewCue[],
  theirs: readonly SharedCue[],
  nextId: number,
  isTaken: (region: Region) => boolean,
): { splices: Splice[]; taken: Taken[] } {
  const splices: Splice[] = [];
  const taken: Taken[] = [];
  let shift = 0;
  let id = nextId;
  for (const region of regions) {
    if (!isTaken(region)) continue;
    const removed = cuesIn(cues, region.mine);
    const wanted = region.joined ? [region.joined] : cuesIn(theirs, region.theirs);
    const inserted = wanted.map(({ start, end, lines }, at): ReviewCue => {
      const own = removed[at];
      return own ? { ...own, start, end, lines } : { id: id++, start, end, lines };
    });
    splices.push({ at: region.mine.from + shift, removed, inserted });
    taken.push({ before: removed, after: inserted });
    shift += inserted.length - removed.length;
  }
  return { splices, taken };
}

/** Decisions of three versions, by the ids of corrections. */
export interface DecisionVersions {
  readonly base: ReadonlyMap<string, Decision>;
  readonly mine: ReadonlyMap<string, Decision>;
  readonly theirs: ReadonlyMap<string, Decision>;
}

/**
 * The decisions that the other side's bring.
 * @param wins whether theirs counts where both decided, and not alike
 */
export const decisionsFrom = (
  { base, mine, theirs }: DecisionVersions,
  wins: (id: string) => boolean,
): DecisionChange[] =>
  [...mine].flatMap(([id, before]) => {
    const was = base.get(id) ?? before;
    const after = theirs.get(id) ?? was;
    const isTaken = after !== was && after !== before && (before === was || wins(id));
    return isTaken ? { id, before, after } : [];
  });

/** Whether a region that is taken has captions of the other side at an instant, in seconds. */
export const isTakenAt = (
  regions: readonly Region[],
  { theirs }: Versions,
  isTaken: (region: Region) => boolean,
  time: number,
): boolean =>
  regions.some(
    (region) =>
      isTaken(region) &&
      cuesIn(theirs, region.theirs).some(({ start, end }) => start <= time && time <= end),
  );
