/** The review of a run: kept, read, forgotten. */
import { Elysia } from 'elysia';
import { MAX_REVIEW_BYTES } from '../contract/limits.ts';
import type { ReviewStore } from '../learning/review-store.ts';
import type { Runs } from '../runs/service.ts';
import type { RunSummary } from '../runs/stored-run.ts';
import { createBodyBudget } from './body-budget.ts';
import type { Authorize, Routed } from './guard.ts';
import { readJson } from './json-body.ts';
import { matchesEntityTag } from './negotiate.ts';
import { entityTag, expectedOf, preconditionFailed } from './preconditions.ts';
import { checkReview, receiptOf, reviewOf, saveReview } from './review-requests.ts';
import { reviewNotFound } from './run-representation.ts';
import { findSummary } from './run-requests.ts';

/** Reviews that are being read, all together. */
const MAX_REVIEWS_BYTES = 4 * MAX_REVIEW_BYTES;

export interface ReviewRouteServices {
  authorize: Authorize;
  runs: Runs;
  reviews: ReviewStore;
}

/** The routes of reviews. */
export function reviewRoutes({ authorize, runs, reviews }: ReviewRouteServices) {
  const bodies = createBodyBudget(MAX_REVIEWS_BYTES);
  const find = async (routed: Routed & { params: { runId: string } }): Promise<RunSummary> => {
    const { organizationId } = await authorize(routed, 'captioner:caption:run');
    return findSummary(runs, organizationId, routed.params.runId);
  };
  const path = '/workflows/captioner/:runId/review';
  return new Elysia()
    .get(path, async (context) => {
      const run = await find(context);
      const review = await reviews.get(run.id);
      if (!review) throw reviewNotFound();
      const headers = { etag: entityTag(review.tag) };
      const known = matchesEntityTag(context.request.headers.get('if-none-match'), headers.etag);
      if (known) return new Response(null, { status: 304, headers });
      return Response.json(reviewOf(run.id, review), { headers });
    })
    .put(
      path,
      async (context) => {
        const run = await find(context);
        const { request } = context;
        const expected = expectedOf(request.headers);
        const share = bodies.open();
        const body = await readJson(request, { maxBytes: MAX_REVIEW_BYTES, share }).finally(
          share.release,
        );
        const { created, review } = await saveReview(reviews, run, checkReview(body), expected);
        return Response.json(receiptOf(run.id, review), {
          status: created ? 201 : 200,
          headers: { etag: entityTag(review.tag) },
        });
      },
      { parse: 'none' },
    )
    .delete(path, async (context) => {
      const run = await find(context);
      const expected = expectedOf(context.request.headers) ?? 'any';
      if (!(await reviews.forget(run.id, expected))) {
        const tag = (await reviews.get(run.id))?.tag ?? null;
        throw preconditionFailed('Somebody has saved another review of this run.', tag);
      }
      return new Response(null, { status: 204 });
    });
}
