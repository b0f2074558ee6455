/** DELETE /workflows/captioner/{runId}/data: erases an ended run and everything it produced. */
import { Elysia } from 'elysia';
import { RunErasure } from '../../contract/runs.ts';
import { closed, type Static } from '../../contract/schema.ts';
import { type RunErasures, TranslationNotEnded } from '../../runs/run-erasure.ts';
import type { Runs } from '../../runs/service.ts';
import type { RunSummary } from '../../runs/store/run-store.ts';
import type { Guard } from '../identity/guard.ts';
import { answer, detail } from '../openapi/detail.ts';
import { response } from '../openapi/responses.ts';
import { Problem } from '../problems.ts';
import { retryAfterOf, findSummary, unknownRun } from './run-representation.ts';
import { wireAnswer, wireQuery } from '../wire.ts';

interface ErasureRouteServices {
  guard: Guard;
  runs: Runs;
  erasure: RunErasures;
}

/** The route that erases a run. DELETE on the run itself only cancels it. */
export function erasureRoutes({ guard, runs, erasure }: ErasureRouteServices) {
  return new Elysia().use(guard).delete(
    '/workflows/captioner/:runId/data',
    async ({ params, sender }) => {
      const run = await findSummary(runs, sender.organizationId, params.runId);
      return Response.json(await eraseRun(erasure, run));
    },
    {
      scope: 'captioner:caption:run',
      query: wireQuery(closed({})),
      response: { 200: wireAnswer(RunErasure) },
      detail: detail({
        operationId: 'eraseRun',
        summary: 'Erase an ended run and everything it produced',
        description:
          'Deletes the request, the result, the review, moderation events, webhook deliveries, stored answers of language models and intermediate results, immediately and permanently. Rules learned from a review stay, and so does a recording that was kept: the response says whether there is one.',
        tags: ['Captioning'],
        responses: {
          200: answer('The run is erased; the response counts what was deleted.', {
            runId: 'run_2b1c7a0e-53a5-4f4e-9a55-2f1f6c2b9b10',
            erased: {
              result: true,
              review: true,
              moderationEvents: 1,
              webhookDeliveries: 2,
              modelAnswers: 4,
              steps: 9,
            },
            recording: 'none',
          }),
          404: response('RunNotFound'),
          409: response('RunNotEnded'),
          422: response('InvalidPayload'),
        },
      }),
    },
  );
}

/**
 * Erases a run.
 * @throws {Problem} 409 for a run or a translation that has not ended, 404 if it was erased meanwhile
 */
export async function eraseRun(
  erasure: RunErasures,
  run: RunSummary,
): Promise<Static<typeof RunErasure>> {
  if (run.finishedAt === null) {
    const message = `The run is ${run.state}. Cancel it, or wait until it has ended, then erase it.`;
    throw new Problem(409, 'run_not_ended', message, { headers: retryAfterOf(run) });
  }
  const erased = await erasure.erase(run).catch((error: unknown) => {
    if (!(error instanceof TranslationNotEnded)) throw error;
    const message = 'A translation of the run is being cancelled. Try again soon.';
    throw new Problem(409, 'run_not_ended', message, { headers: { 'retry-after': '3' } });
  });
  if (!erased) throw unknownRun();
  return erased;
}
