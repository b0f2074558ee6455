/** The routes for the review of a run: save, read, delete. */
import { Elysia } from 'elysia';
import { Review, ReviewInput, ReviewReceipt } from '../../contract/review.ts';
import type { ReviewStore } from '../../reviews/review-store.ts';
import type { Runs } from '../../runs/service.ts';
import type { RunSummary } from '../../runs/store/run-store.ts';
import { createBodyBudget } from '../bodies/body-budget.ts';
import { jsonBodies, wireBody } from '../bodies/json-bodies.ts';
import type { Guard } from '../identity/guard.ts';
import { matchesEntityTag } from '../negotiate.ts';
import { answer, bodyExample, detail } from '../openapi/detail.ts';
import { headerRef, response } from '../openapi/responses.ts';
import {
  entityTag,
  ifMatchHeader,
  preconditionFailed,
  preconditionHeader,
  preconditionOf,
} from '../preconditions.ts';
import { rememberNames } from './speakers.ts';
import {
  checkReview,
  reviewReceipt,
  saveReview,
  readReview,
  reviewBytes,
} from './review-requests.ts';
import { speakerRoutes } from './speakers.ts';
import { findSummary, reviewNotFound } from '../runs/run-representation.ts';
import { sendHeld } from '../runs/run-streams.ts';
import type { RunTexts, SharedText } from '../runs/run-texts.ts';
import type { AudioStore } from '../../storage/audio.ts';
import type { Database } from '../../storage/database.ts';
import type { StoredTexts } from '../work/stored-texts.ts';
import type { WorkPool } from '../work/pool.ts';
import { REVIEW } from '../../contract/limits.ts';
import { wireAnswer } from '../wire.ts';

/** The total size of reviews being read. */
const MAX_REVIEWS_BYTES = 4 * REVIEW.maxBytes;

interface ReviewRouteServices {
  guard: Guard;
  runs: Runs;
  texts: RunTexts;
  reviews: ReviewStore;
  stored: StoredTexts;
  database: Database;
  audio: AudioStore;
  pool: WorkPool;
}

/** Thrown if a review was replaced while it was about to be read. */
class ReviewChanged extends Error {
  override readonly name = 'ReviewChanged';
}

/** The routes of reviews, and of the speakers that they name. */
export function reviewRoutes(services: ReviewRouteServices) {
  const { guard, runs, texts, reviews, stored, pool } = services;
  /** Holds a version of a review; null if another one was saved meanwhile. */
  const holdReview = (run: RunSummary, tag: string): Promise<SharedText | null> =>
    texts
      .hold(run, `review ${tag}`, async () => {
        const review = await stored.review(run.id);
        if (review?.tag !== tag) throw new ReviewChanged();
        const load = { workspace: run.organizationId, size: review.text.length };
        return pool.do(reviewBytes, { ...review, runId: run.id }, load);
      })
      .catch((error: unknown) => {
        if (error instanceof ReviewChanged) return null;
        throw error;
      });
  const json = {
    maxBytes: REVIEW.maxBytes,
    budget: createBodyBudget(MAX_REVIEWS_BYTES),
    large: { pool, read: readReview },
  };
  const path = '/workflows/captioner/:runId/review';
  return new Elysia()
    .use(guard)
    .use(jsonBodies)
    .use(speakerRoutes(services))
    .get(
      path,
      async ({ request, params, sender }) => {
        const run = await findSummary(runs, sender.organizationId, params.runId);
        for (;;) {
          const tag = await reviews.tagOf(run.id);
          if (tag === null) {
            const asked = new URL(request.url).searchParams.get('absent');
            if (asked === '204') return new Response(null, { status: 204 });
            throw reviewNotFound();
          }
          const headers = { etag: entityTag(tag) };
          if (matchesEntityTag(request.headers.get('if-none-match'), headers.etag)) {
            return new Response(null, { status: 304, headers });
          }
          const held = await holdReview(run, tag);
          if (!held) continue;
          const answer = sendHeld({ type: JSON_TYPE }, held);
          answer.headers.set('etag', headers.etag);
          return answer;
        }
      },
      {
        scope: { key: 'captioner:caption:run', link: 'view' },
        response: { 200: wireAnswer(Review) },
        detail: detail({
          operationId: 'getReview',
          summary: 'Get the review of a run',
          // It is said here alone: as a parameter with a status of its own, it would change what generated clients return.
          description:
            'The corrected captions, the decisions on terms, and the speakers. A page that looks for it again and again may ask with `?absent=204` for an empty answer in place of the 404.',
          tags: ['Captioning'],
          responses: {
            200: { description: 'The review.', headers: etag },
            304: {
              description:
                'Not modified: the client already has the version that If-None-Match names.',
              headers: etag,
            },
            404: response('ReviewNotFound'),
          },
        }),
      },
    )
    .put(
      path,
      async ({ request, params, body, sender }) => {
        const run = await findSummary(runs, sender.organizationId, params.runId);
        const expected = preconditionOf(request.headers);
        const { created, review } = await saveReview(
          services,
          run,
          { ...body, keepsMedia: sender.link !== null, keyId: sender.keyId },
          expected,
        );
        if (sender.link === null) await rememberNames(services, run);
        return Response.json(reviewReceipt(run.id, review, body), {
          status: created ? 201 : 200,
          headers: { etag: entityTag(review.tag) },
        });
      },
      {
        scope: { key: 'captioner:caption:run', link: 'edit' },
        json,
        body: wireBody(ReviewInput, checkReview),
        response: { 200: wireAnswer(ReviewReceipt), 201: wireAnswer(ReviewReceipt) },
        detail: detail({
          operationId: 'saveReview',
          summary: 'Save a review as a whole',
          description:
            'A review that is `finished` deletes the sound and the video that stay with the run until then, unless a guest saves it. For a first review send `If-None-Match: *`, afterwards `If-Match` with the ETag of the one you have seen. A review that is already stored may be sent again, whatever the headers say. The result of the run never changes; from then on `captions.{format}` returns the reviewed captions.',
          tags: ['Captioning'],
          parameters: [
            ifMatchHeader,
            preconditionHeader('If-None-Match', '`*`: there must be no review yet.', '*'),
          ],
          requestBody: bodyExample(example),
          responses: {
            200: { ...answer('Saved.', receipt), headers: etag },
            201: { ...answer('Saved as the first review of this run.', receipt), headers: etag },
            404: response('RunNotFound'),
            409: response('CaptionsNotReady'),
            412: response('PreconditionFailed'),
            428: response('PreconditionRequired'),
          },
        }),
      },
    )
    .delete(
      path,
      async ({ request, params, sender }) => {
        const run = await findSummary(runs, sender.organizationId, params.runId);
        const expected = preconditionOf(request.headers) ?? 'any';
        if (!(await reviews.forget(run.id, expected))) {
          const tag = await reviews.tagOf(run.id);
          throw preconditionFailed('Somebody has saved another review of this run.', tag);
        }
        return new Response(null, { status: 204 });
      },
      {
        scope: 'captioner:caption:run',
        detail: detail({
          operationId: 'deleteReview',
          summary: 'Delete the review of a run',
          description: 'The captions made by the service are not affected.',
          tags: ['Captioning'],
          parameters: [ifMatchHeader],
          responses: {
            204: { description: 'The review is deleted.' },
            404: response('RunNotFound'),
            412: response('PreconditionFailed'),
            422: response('InvalidPayload'),
          },
        }),
      },
    );
}

const JSON_TYPE = 'application/json; charset=utf-8';
const etag = { ETag: headerRef('ETag') };
const example = {
  cues: [{ start: 0.2, end: 2.4, lines: ['Welcome to MCP Night.'] }],
  corrections: [{ id: 'c1', decision: 'accepted' }],
  speakers: [],
  finished: true,
};
const receipt = {
  runId: 'run_6f1c9d1e-2a57-4b57-9b1e-0c7a3f6f2f11',
  savedAt: '2026-11-21T18:00:00.000Z',
  etag: '"5Vb3pK0sZ2mYyGZr8GQ3bSxEwqk"',
  cueCount: 1,
  finished: true,
};
