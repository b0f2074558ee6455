/** A result and the journal of what was done to it since → a review. */
import type { CaptionerCompletedResult } from '../../server/contract/results.ts';
import type { TermCorrection } from '../../server/contract/terminology.ts';
import { readJournal } from '../storage/changes.ts';
import { keepResult } from '../storage/runs.ts';
import { text } from '../strings.ts';
import { initialDecisions } from './model/corrections.ts';
import { reviewCues } from './model/cue.ts';
import type { TimedWord } from './model/edits.ts';
import { openReview } from './model/history.ts';
import { createReview, type Review } from './review.ts';

/** Opens the review of a run, as it was left. */
export async function openReviewOf(
  runId: string,
  name: string,
  result: CaptionerCompletedResult,
): Promise<Review> {
  // A browser that keeps nothing opens every review anew.
  const empty = { changes: [], position: 0 };
  const journal = await readJournal(runId).catch(() => empty);
  await keepResult(runId, result).catch(() => {});
  // The contract leaves these open; they are what the service writes.
  const corrections = (result.audit['corrections'] ?? []) as readonly TermCorrection[];
  const words = result.transcript.words as readonly unknown[] as readonly TimedWord[];
  const language = result.input['language'];
  const source = {
    runId,
    name,
    settings: result.captions.settings,
    language: typeof language === 'string' ? language : 'en',
    words,
    corrections,
    original: reviewCues(result.captions.cues),
  };
  // What was typed before a reload is a step of its own.
  const changes = journal.changes.map(({ kind, splices, cueId, decisions = [] }) => ({
    kind,
    splices,
    cueId,
    decisions,
  }));
  const { state, dropped } = openReview(
    source.original,
    initialDecisions(corrections),
    changes,
    journal.position,
  );
  const review = createReview(source, state);
  if (state.position > 0) review.said.value = text.review.restored(state.position);
  if (dropped > 0) review.said.value = text.review.dropped;
  return review;
}
