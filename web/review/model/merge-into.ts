/**
 * Turns the regions of a merge into changes to the open review: captions keep their ids, and
 * decisions go with their captions.
 */
import type { SharedCue } from './align-cues.ts';
import type { Decision, DecisionChange } from './change.ts';
import type { ReviewCue } from './cue.ts';
import { cuesIn, type Region, type Versions } from './merge-reviews.ts';
import { editorSpeakers } from './shared-speakers.ts';
import type { Splice } from './splice.ts';

/** A range of captions replaced by the other side's. */
export interface AcceptedChange {
  readonly before: readonly ReviewCue[];
  readonly after: readonly ReviewCue[];
}

/**
 * The splices, to be applied in order, that bring the other side's captions into a review.
 * @param isTaken whether a region gets the other side's captions
 * @param nextId the id of the next new caption
 */
export function splicesFrom(
  regions: readonly Region[],
  cues: readonly ReviewCue[],
  theirs: readonly SharedCue[],
  nextId: number,
  isTaken: (region: Region) => boolean,
): { splices: Splice[]; taken: AcceptedChange[] } {
  const splices: Splice[] = [];
  const taken: AcceptedChange[] = [];
  let shift = 0;
  let id = nextId;
  for (const region of regions) {
    if (!isTaken(region)) continue;
    const removed = cuesIn(cues, region.mine);
    const wanted = region.joined ? [region.joined] : cuesIn(theirs, region.theirs);
    const inserted = wanted.map((cue, at): ReviewCue => {
      const { start, end, lines } = cue;
      const { speakers: _, ...own } = removed[at] ?? { id: id++ };
      return { ...own, start, end, lines, ...editorSpeakers(cue) };
    });
    splices.push({ at: region.mine.from + shift, removed, inserted });
    taken.push({ before: removed, after: inserted });
    shift += inserted.length - removed.length;
  }
  return { splices, taken };
}

/** Decisions in three versions, by correction id. */
export interface DecisionVersions {
  readonly base: ReadonlyMap<string, Decision>;
  readonly mine: ReadonlyMap<string, Decision>;
  readonly theirs: ReadonlyMap<string, Decision>;
}

/**
 * The decisions to take over from the other side.
 * @param wins whether the other side's decision counts if both decided differently
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

/** Whether a region taken from the other side has a caption at a time, in seconds. */
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
