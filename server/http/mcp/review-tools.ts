/** The tools for the review of a run: get it, change captions, delete it. */
import {
  Review,
  ReviewDecision,
  ReviewReceipt,
  type ReviewDocument,
} from '../../contract/review.ts';
import { closed, open, Type, type Static } from '../../contract/schema.ts';
import type { TermCorrection } from '../../contract/terminology.ts';
import { replaceSpoken } from '../../captions/divide/replace-spoken.ts';
import { offersOf } from '../../terminology/decide/offers.ts';
import { nameSpeakers, readSpeakers, rememberNames } from '../reviews/speakers.ts';
import type { CaptionerCompletedResult } from '../../contract/results.ts';
import type { PreparedReview, ReviewStore } from '../../reviews/review-store.ts';
import type { Runs } from '../../runs/service.ts';
import type { RunSummary } from '../../runs/store/run-store.ts';
import type { AudioStore } from '../../storage/audio.ts';
import type { Database } from '../../storage/database.ts';
import { entityTag, preconditionOf } from '../preconditions.ts';
import {
  checkReview,
  reviewReceipt,
  saveReview,
  reviewOf,
  untouchedReview,
} from '../reviews/review-requests.ts';
import { findSummary, captionsNotReady, reviewNotFound } from '../runs/run-representation.ts';
import { stringOf, type StoredText, type StoredTexts } from '../work/stored-texts.ts';
import type { WorkPool } from '../work/pool.ts';
import { type Tool, countAnswer } from './tool.ts';
import { REVIEW } from '../../contract/limits.ts';
import { Problem } from '../problems.ts';

const scope = 'captioner:caption:run';
const runId = Type.String();
const etag = Type.Optional(
  Type.String({
    description: 'that of the review you have seen',
  }),
);
const OfRun = closed({ runId });

const ReviewInput = closed({
  runId,
  etag,
  captions: Type.Optional(
    Type.Array(
      closed({
        index: Type.Integer({
          minimum: 1,
          description: 'the number of the caption in get_captions',
        }),
        text: Type.Optional(
          Type.String({
            maxLength: REVIEW.maxLineChars,
            description: 'its lines, separated by \\n',
          }),
        ),
        start: Type.Optional(Type.Number({ description: 'in seconds, like end' })),
        end: Type.Optional(Type.Number()),
        speaker: Type.Optional(Type.String()),
      }),
      { description: 'only the captions that change' },
    ),
  ),
  corrections: Type.Optional(
    Type.Array(ReviewDecision, {
      description: 'decisions on corrections of the audit, by their ids',
    }),
  ),
  offers: Type.Optional(
    Type.Array(closed({ id: Type.String(), decision: ReviewDecision.properties.decision }), {
      maxItems: REVIEW.maxCorrections,
      description: 'the same for all places of a term, by the id of one of them',
    }),
  ),
  finished: Type.Optional(Type.Boolean({ description: 'whether the review is done' })),
});

/**
 * The review of a run with some changes. A decision on a term changes its words in the captions, except where they are not
 * found near their time. A task.
 * @throws {Problem} 422 if they do not fit
 */
export function changedReview({
  result,
  review,
  input,
}: {
  /** As JSON. */
  result: StoredText;
  /** The stored review as JSON; null for none. */
  review: StoredText | null;
  input: Static<typeof ReviewInput>;
}): PreparedReview {
  const made: CaptionerCompletedResult = JSON.parse(stringOf(result));
  const document: ReviewDocument = review ? JSON.parse(stringOf(review)) : untouchedReview(made);
  const { captions = [], finished = document.finished } = input;
  for (const [at, { index, text, ...more }] of captions.entries()) {
    const cue = document.cues[index - 1];
    if (!cue) {
      const issue = { path: `captions.${at}.index`, message: 'does not name a caption' };
      throw Problem.invalidPayload('There is no such caption.', [issue]);
    }
    Object.assign(cue, more, text === undefined ? {} : { lines: text.split('\n') });
  }
  decideOn(document, made, input);
  document.finished = finished;
  return checkReview(document);
}

/** Makes the decisions on terms in a review, and changes the words of its captions with them. */
function decideOn(
  document: ReviewDocument,
  { audit, captions: { settings }, transcript: { metadata } }: CaptionerCompletedResult,
  { corrections = [], offers = [] }: Static<typeof ReviewInput>,
): void {
  const known = (audit['corrections'] ?? []) as readonly TermCorrection[];
  const byId = new Map(known.map((correction) => [correction.id, correction]));
  const together = offers.length > 0 ? offersOf(known) : [];
  const offered = offers.flatMap(({ id, decision }) => {
    const places = together.find((offer) => offer.places.some((place) => place.id === id))?.places;
    return places ? places.map((place) => ({ id: place.id, decision })) : [{ id, decision }];
  });
  const language = typeof metadata['language'] === 'string' ? metadata['language'] : 'en';
  const decided = new Map(document.corrections.map(({ id, decision }) => [id, decision]));
  for (const { id, decision } of [...offered, ...corrections]) {
    const correction = byId.get(id);
    const [found, wanted] = [decided.get(id), decision].map((one) =>
      one === 'accepted' ? correction?.after : correction?.before,
    );
    decided.set(id, decision);
    if (!correction || found === undefined || wanted === undefined || found === wanted) continue;
    const replaced = replaceSpoken(document.cues, found, wanted, correction, settings, language);
    if (replaced) {
      const { at, removed, inserted } = replaced;
      document.cues.splice(at, removed.length, ...inserted);
    }
  }
  document.corrections = [...decided].map(([id, decision]) => ({ id, decision }));
}

interface ReviewToolServices {
  runs: Runs;
  reviews: ReviewStore;
  stored: StoredTexts;
  database: Database;
  audio: AudioStore;
  pool: WorkPool;
}

/** Reads a review. Throws a Problem: 404 if there is none. */
const getReviewTool = ({ runs, stored: texts, pool }: ReviewToolServices): Tool<typeof OfRun> => ({
  name: 'get_review',
  title: 'Read the review of a run',
  description: 'The corrected captions, the decisions on terms, and the speakers.',
  input: OfRun,
  output: closed({ etag: Type.String(), review: Review }),
  scope,
  hints: { readOnlyHint: true },
  async run(input, call) {
    const { principal } = call;
    const run = await findSummary(runs, principal.organizationId, input.runId);
    const stored = await texts.review(run.id);
    if (!stored) throw reviewNotFound();
    countAnswer(stored.text.length, `/workflows/captioner/${run.id}/review`, call);
    const load = { workspace: principal.organizationId, size: stored.text.length };
    const review = await pool.do(reviewOf, { ...stored, runId: run.id }, load);
    const settled = review.corrections.filter(({ decision }) => decision !== 'open').length;
    const text = `A review of ${review.cues.length} captions, ${settled} terms decided, saved ${review.savedAt}.`;
    return { text: [text], value: { etag: entityTag(stored.tag), review } };
  },
});

/** Changes some captions and saves the whole review. Throws a Problem if it was changed meanwhile. */
const reviewTool = ({
  runs,
  stored: texts,
  pool,
  database,
  audio,
}: ReviewToolServices): Tool<typeof ReviewInput> => ({
  name: 'review_captions',
  title: 'Correct captions',
  description:
    'Changes captions of a completed run and saves them as its review, which get_captions then returns. A decision on a term also changes its words. The service learns from it. Pass only what changes.',
  input: ReviewInput,
  output: ReviewReceipt,
  scope,
  hints: { readOnlyHint: false, idempotentHint: true, destructiveHint: false },
  async run(input, { principal }) {
    const workspace = principal.organizationId;
    const run = await findSummary(runs, workspace, input.runId);
    const stored = await texts.review(run.id);
    const seen =
      input.etag === undefined ? null : preconditionOf(new Headers({ 'if-match': input.etag }));
    const result = await resultOf(texts, run);
    const review = stored?.text ?? null;
    const size = result.length + (review?.length ?? 0);
    const changed = await pool.do(changedReview, { result, review, input }, { workspace, size });
    const expected = seen ?? (stored ? [stored.tag] : 'none');
    const saved = await saveReview(
      { stored: texts, database, audio },
      run,
      { ...changed, keyId: principal.keyId },
      expected,
    );
    await rememberNames({ stored: texts, pool, database }, run);
    const receipt = reviewReceipt(run.id, saved.review, changed);
    return { text: [`Saved: ${receipt.cueCount} captions.`], value: { ...receipt } };
  },
});

/** The result of a completed run, as JSON. @throws {Problem} 409 for any other run */
async function resultOf(texts: StoredTexts, run: RunSummary): Promise<StoredText> {
  const result = run.state === 'completed' ? await texts.result(run.id) : null;
  if (result === null) throw captionsNotReady(run);
  return result;
}

const SpeakersInput = closed({
  runId,
  names: Type.Optional(
    Type.Record(Type.String(), Type.String({ minLength: 1, maxLength: REVIEW.maxSpeakerChars }), {
      minProperties: 1,
      maxProperties: REVIEW.maxSpeakers,
      description: 'by id',
    }),
  ),
});

/** Lists the speakers of a run, and names them. */
const speakersTool = ({ runs, ...services }: ReviewToolServices): Tool<typeof SpeakersInput> => ({
  name: 'speakers',
  title: 'Who speaks',
  description: 'Who speaks how much in a completed run; names are stored with its review first.',
  input: SpeakersInput,
  output: open({}),
  scope,
  operation: ({ names }) => `${names ? 'PUT' : 'GET'} /workflows/captioner/{runId}/speakers`,
  hints: { readOnlyHint: false, idempotentHint: true, destructiveHint: false },
  async run({ runId: id, names }, { principal }) {
    const run = await findSummary(runs, principal.organizationId, id);
    const value = names
      ? await nameSpeakers(
          services,
          run,
          { speakers: Object.entries(names).map(([each, name]) => ({ id: each, name })) },
          { keyId: principal.keyId, isGuest: false },
        )
      : await readSpeakers(services, run, false);
    const lines = value.speakers.map(({ id: each, name, proposal, share }) => {
      const shown = proposal ? `perhaps ${proposal.name}` : (name ?? 'no name');
      return `${each}: ${shown}, ${Math.round(100 * share)} %`;
    });
    const places = value.atOnce?.length ?? 0;
    if (places > 0)
      lines.push(`Several speak at once in ${places} ${places === 1 ? 'place' : 'places'}.`);
    return { text: [lines.join('\n') || 'Speakers were not told apart.'], value: { ...value } };
  },
});

/** Deletes a review; the captions made by the service stay. */
const deleteReviewTool = ({ runs, reviews }: ReviewToolServices): Tool<typeof OfRun> => ({
  name: 'delete_review',
  title: 'Delete the review of a run',
  description: 'Deletes only the corrected captions.',
  input: OfRun,
  output: closed({ runId }),
  scope,
  operation: () => 'DELETE /workflows/captioner/{runId}/review',
  hints: { readOnlyHint: false, idempotentHint: true },
  async run(input, { principal }) {
    const run = await findSummary(runs, principal.organizationId, input.runId);
    await reviews.forget(run.id, 'any');
    return { text: ['The review is deleted.'], value: { runId: run.id } };
  },
});

/** The tools for reviews. */
export const reviewTools = (services: ReviewToolServices) => [
  getReviewTool(services),
  reviewTool(services),
  speakersTool(services),
  deleteReviewTool(services),
];
