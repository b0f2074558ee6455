/** A result and the journal of what was done to it since → a review. */
import type { CaptionerCompletedResult } from '../../server/contract/results.ts';
import { readJournal, type Journal } from '../storage/changes.ts';
import { keepResult } from '../storage/runs.ts';
import { text } from './strings.ts';
import type { Change } from './model/change.ts';
import { initialDecisions } from './model/corrections.ts';
import { reviewCues } from './model/cue.ts';
import { withHeardSpeakers } from './model/heard-speakers.ts';
import { openReview } from './model/history.ts';
import { createReview, type Review } from './review.ts';
import { writingTurn, type WritingTurn } from './writing-turn.ts';

/** A review, and the turn of this tab to write it. */
export interface OpenedReview {
  review: Review;
  turn: WritingTurn;
}

/** Opens the review of a run, as it was left, or as another tab has it. */
export async function openReviewOf(
  runId: string,
  name: string,
  result: CaptionerCompletedResult,
): Promise<OpenedReview> {
  const { corrections } = result.audit;
  const { words } = result.transcript;
  const language = result.input['language'];
  const source = {
    runId,
    name,
    settings: result.captions.settings,
    language: typeof language === 'string' ? language : 'en',
    words,
    corrections,
    original: withHeardSpeakers(reviewCues(result.captions.cues), words),
  };
  const decisions = initialDecisions(corrections);
  const replay = ({ changes, position }: Journal) =>
    openReview(source.original, decisions, changes.map(asOneStep), position);
  let review: Review | null = null;
  const reload = async () => {
    // What is on its way into the journal is newer than what is read.
    if (!review || !(await review.flush())) return;
    review.follow(replay(await readJournal(runId)).state);
  };
  const turn = writingTurn(runId, {
    reload,
    flush: async () => (await review?.flush()) ?? true,
  });
  await turn.join();
  await keepResult(runId, result).catch(() => {});
  const isFollowing = turn.role.peek() === 'following';
  // A browser that keeps nothing opens every review anew.
  const nothing = { changes: [], position: 0 };
  const { state, dropped } = replay(await readJournal(runId).catch(() => nothing));
  review = createReview(source, state, turn);
  // The tab that writes may have gone on meanwhile.
  if (isFollowing) await reload();
  const own = state.changes.slice(0, state.position).filter(({ fixed }) => !fixed).length;
  if (own > 0) review.said.value = text.review.restored(own);
  if (dropped > 0) review.said.value = text.review.dropped;
  return { review, turn };
}

/** A change that was kept: what was typed before a reload is a step of its own. */
const asOneStep = ({ kind, splices, cueId, decisions = [], fixed }: Change): Change => ({
  kind,
  splices,
  cueId,
  decisions,
  ...(fixed ? { fixed } : {}),
});
