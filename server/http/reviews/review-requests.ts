/**
 * Shared parts of review requests over HTTP and MCP: validates a review, and saves it over the version that the client
 * has seen.
 */
import type { Static } from '../../contract/schema.ts';
import type { CaptionerCompletedResult } from '../../contract/results.ts';
import type { TermCorrection } from '../../contract/terminology.ts';
import { makeCue } from '../../captions/cue.ts';
import { REVIEW } from '../../contract/limits.ts';
import {
  reviewDocument,
  reviewIssues,
  type Review,
  type ReviewDocument,
  type ReviewInput,
  type ReviewReceipt,
} from '../../contract/review.ts';
import {
  preparedReview,
  type Expected,
  type PreparedReview,
  type Saved,
  type SavedReview,
} from '../../reviews/review-store.ts';
import type { RunSummary } from '../../runs/store/run-store.ts';
import { entityTag, preconditionFailed, preconditionRequired } from '../preconditions.ts';
import type { AudioStore } from '../../storage/audio.ts';
import type { Database } from '../../storage/database.ts';
import { deleteFile, mediaOf } from '../../storage/run-media.ts';
import { storesDocument } from '../../storage/write-limit.ts';
import { Problem } from '../problems.ts';
import { captionsNotReady, unknownRun } from '../runs/run-representation.ts';
import { type LargeReview, stringOf, type StoredTexts } from '../work/stored-texts.ts';
import { jsonOfBody } from '../bodies/read-body.ts';

/**
 * Validates a review and returns its stored form.
 * @throws {Problem} 422 with every error
 */
export function checkReview(value: unknown): PreparedReview {
  const issues = reviewIssues(value);
  if (issues.length > 0) throw Problem.invalidPayload('The review is invalid.', issues);
  return preparedReview(reviewDocument(value as ReviewInput));
}

/** Reads the body of a save. @throws {Problem} 400 for anything but JSON, 422 with every error */
export const readReview = (body: Uint8Array): PreparedReview =>
  checkReview(jsonOfBody(body, { most: REVIEW.most }));

/** The initial review: the captions as the service made them. */
export function untouchedReview({ captions, audit }: CaptionerCompletedResult): ReviewDocument {
  const corrections = (audit['corrections'] ?? []) as readonly TermCorrection[];
  return {
    cues: captions.cues.map(({ start, end, lines }) => ({ start, end, lines })),
    corrections: corrections.map(({ id, decision }) => ({
      id,
      decision: decision === 'needs_review' ? 'open' : decision,
    })),
    speakers: [],
    finished: false,
  };
}

/**
 * Saves a review of a run; a finished one ends what stays with the run until then.
 * @param expected the versions that the sender has seen; null if unknown, in which case only a first review is accepted
 * @throws {Problem} 404 if the run does not exist, 409 if it has no captions, 412 if the stored version is another than
 *   the sender has seen, 428 if one is stored and the sender names none
 */
export async function saveReview(
  {
    stored,
    ...files
  }: { stored: Pick<StoredTexts, 'saveReview'>; database: Database; audio: AudioStore },
  run: RunSummary,
  review: PreparedReview,
  expected: Expected | null,
): Promise<Extract<Saved, { outcome: 'saved' }>> {
  if (run.state !== 'completed') {
    throw captionsNotReady(run);
  }
  storesDocument();
  const ends = review.finished && !review.keepsMedia ? await mediaOf(files.database, run) : [];
  const saved = await stored.saveReview(run, review, expected ?? 'none');
  if (saved.outcome === 'saved') {
    for (const media of ends) await deleteFile(files.audio, media);
    return saved;
  }
  if (saved.outcome === 'no-run') {
    throw unknownRun();
  }
  if (expected === null && saved.tag !== null) throw preconditionRequired(saved.tag);
  const message =
    saved.tag === null
      ? 'There is no review of this run.'
      : 'Somebody has saved another review of this run. Read it, merge the two, and save again.';
  throw preconditionFailed(message, saved.tag);
}

/** A stored review in the contract's format. */
export function reviewOf({ runId, savedAt, text }: LargeReview & { runId: string }): Review {
  const { cues, ...settled }: ReviewDocument = JSON.parse(stringOf(text));
  return {
    runId,
    savedAt: new Date(savedAt).toISOString(),
    cues: cues.map(({ start, end, lines, speaker }, at) => ({
      ...makeCue(at + 1, start, end, lines),
      ...(speaker === undefined ? {} : { speaker }),
    })),
    ...settled,
  };
}

/** The same as the bytes of its JSON. */
export const reviewBytes = (review: LargeReview & { runId: string }): Uint8Array =>
  new TextEncoder().encode(JSON.stringify(reviewOf(review)));

/** The response to a save. */
export const reviewReceipt = (
  runId: string,
  { tag, savedAt }: SavedReview,
  { cueCount, finished }: PreparedReview,
): Static<typeof ReviewReceipt> => ({
  runId,
  savedAt: new Date(savedAt).toISOString(),
  etag: entityTag(tag),
  cueCount,
  finished,
});
