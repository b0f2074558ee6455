/** Converts between a review as the service stores it and as this browser has it. */
import type { Review as ServiceReview, ReviewInput } from '../../../server/contract/review.ts';
import { hunksBetween, isSameCue, rangeSize } from '../model/merge-reviews.ts';
import type { SharedCue } from '../model/cue.ts';
import { isDoubtDecision, type Decision } from '../model/history.ts';
import { namedSpeakers, withSpeakerIds, withSpeakerNames } from '../model/cue-speakers.ts';
import { type SharedReview } from '../model/shared-review.ts';

/** Reads a review from the service. */
export const sharedReview = (
  { cues, corrections, speakers, finished }: ServiceReview,
  initial: ReadonlyMap<string, Decision>,
): SharedReview => ({
  cues: withSpeakerNames(
    cues.map(({ start, end, lines, speaker }) => ({
      start,
      end,
      lines,
      ...(speaker === undefined ? {} : { speaker }),
    })),
    speakers,
  ),
  decisions: decidedOnly(
    corrections.map(({ id, decision }) => [id, decision] as const),
    initial,
  ),
  speakers,
  finished,
});

/**
 * The decisions that differ from the run's, in the order of their ids; confirmed words are not
 * shared.
 */
export const decidedOnly = (
  decisions: Iterable<readonly [string, Decision]>,
  initial: ReadonlyMap<string, Decision>,
): SharedReview['decisions'] =>
  [...decisions]
    .filter(([id, decision]) => !isDoubtDecision(id) && initial.get(id) !== decision)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));

/** All decisions of a review. */
export const allDecisions = (
  { decisions }: SharedReview,
  initial: ReadonlyMap<string, Decision>,
): ReadonlyMap<string, Decision> => new Map([...initial, ...decisions]);

/** The request body for saving a review. */
export const reviewInput = ({
  cues,
  decisions,
  speakers,
  finished,
}: SharedReview): ReviewInput => ({
  cues: withSpeakerIds(cues, speakers).map(({ start, end, lines, speaker }) => ({
    start,
    end,
    lines: [...lines],
    ...(speaker === undefined ? {} : { speaker }),
  })),
  corrections: decisions.map(([id, decision]) => ({ id, decision })),
  speakers: [...speakers],
  finished,
});

/** Whether two reviews have the same content. */
export const isSameReview = (a: SharedReview, b: SharedReview): boolean =>
  a.finished === b.finished &&
  a.cues.length === b.cues.length &&
  a.cues.every((cue, at) => isSameCue(cue, b.cues[at] as SharedCue)) &&
  JSON.stringify([a.decisions, namedSpeakers(a.speakers)]) ===
    JSON.stringify([b.decisions, namedSpeakers(b.speakers)]);

/**
 * A review without any speakers, completed with those of an earlier version: a client that leaves
 * out all speakers does not mean to remove them.
 */
export const withKnownSpeakers = (review: SharedReview, before: SharedReview): SharedReview =>
  review.cues.some(({ speaker }) => speaker !== undefined) || review.speakers.length > 0
    ? review
    : { ...review, cues: withSpeakersOf(review.cues, before.cues), speakers: before.speakers };

function withSpeakersOf(
  cues: readonly SharedCue[],
  before: readonly SharedCue[],
): readonly SharedCue[] {
  if (before.every(({ speaker }) => speaker === undefined)) return cues;
  let [at, to] = [0, 0];
  const named: SharedCue[] = [];
  const add = (cue: SharedCue, of: SharedCue | undefined): void => {
    named.push(of?.speaker === undefined ? cue : { ...cue, speaker: of.speaker });
  };
  const same = (end: number): void => {
    for (; at < end; at += 1, to += 1) add(cues[to] as SharedCue, before[at]);
  };
  for (const { base, other } of hunksBetween(
    before.map(({ start, end, lines }) => ({ start, end, lines })),
    cues,
  )) {
    same(base.from);
    // Parts of a split caption, and merged captions, keep the speaker of the first.
    for (let index = 0; index < rangeSize(other); index += 1) {
      const of =
        rangeSize(base) === 0 ? undefined : before[Math.min(base.from + index, base.to - 1)];
      add(cues[other.from + index] as SharedCue, of);
    }
    [at, to] = [base.to, other.to];
  }
  same(before.length);
  return named;
}
