/** POST /workflows/captioner, and what may be asked of a run afterwards. */
import { Elysia } from 'elysia';
import { MAX_IDEMPOTENCY_KEY } from '../contract/limits.ts';
import type { ReviewStore } from '../learning/review-store.ts';
import type { Runs } from '../runs/service.ts';
import type { RunSummary, StoredRun } from '../runs/stored-run.ts';
import { createBodyBudget } from './body-budget.ts';
import type { Authorize, Routed } from './guard.ts';
import { readJson } from './json-body.ts';
import { invalidPayload } from './problems.ts';
import { queryOf } from './request-path.ts';
import { readPageQuery, runPage } from './run-list.ts';
import {
  CAPTION_VERSIONS,
  captionFormat,
  captionsFile,
  captionsOf,
  describe,
  jsonText,
  type CaptionVersion,
} from './run-representation.ts';
import { createRunEnvelopes } from './run-envelopes.ts';
import { cancelRun, checkPayload, findRun, findSummary, submitRun } from './run-requests.ts';
import { envelopeStream, eventStream, runAnswer } from './run-streams.ts';

/** A payload is small; its glossary may be long. */
const MAX_PAYLOAD_BYTES = 1024 * 1024;
/** Payloads that are being read, all together. */
const MAX_PAYLOADS_BYTES = 32 * 1024 * 1024;

export interface WorkflowRouteServices {
  authorize: Authorize;
  runs: Runs;
  reviews: ReviewStore;
}

/** The routes of runs. */
export function workflowRoutes({ authorize, runs, reviews }: WorkflowRouteServices) {
  const find = async (routed: Routed & { params: { runId: string } }): Promise<StoredRun> => {
    const { organizationId } = await authorize(routed, 'captioner:caption:run');
    return findRun(runs, organizationId, routed.params.runId);
  };
  const bodies = createBodyBudget(MAX_PAYLOADS_BYTES);
  const readPayload = async (request: Request): Promise<unknown> => {
    const share = bodies.open();
    return readJson(request, { maxBytes: MAX_PAYLOAD_BYTES, share }).finally(share.release);
  };
  const findShort = async (routed: Routed & { params: { runId: string } }): Promise<RunSummary> => {
    const { organizationId } = await authorize(routed, 'captioner:caption:run');
    return findSummary(runs, organizationId, routed.params.runId);
  };
  const envelopes = createRunEnvelopes(runs.result);
  return new Elysia()
    .post(
      '/workflows/captioner',
      async ({ request, route }) => {
        const sender = await authorize({ request, route }, 'captioner:caption:run');
        const { organizationId, keyId } = sender;
        const wait = readWait(queryOf(request.url));
        const idempotencyKey = readIdempotencyKey(request.headers);
        const payload = checkPayload(await readPayload(request));
        const runId = await submitRun(runs, { organizationId, keyId, payload, idempotencyKey });
        if (!wait) return Response.json({ status: 'accepted', runId }, { status: 202 });
        return envelopeStream(runs, envelopes, runId, sender);
      },
      { parse: 'none' },
    )
    .get('/workflows/captioner', async ({ request, route }) => {
      const { organizationId } = await authorize({ request, route }, 'captioner:caption:run');
      const query = readPageQuery(queryOf(request.url));
      return Response.json(await runPage(runs, organizationId, query));
    })
    .get('/workflows/captioner/:runId', async (context) =>
      runAnswer(envelopes, await findShort(context)),
    )
    .get('/workflows/captioner/:runId/events', async (context) => {
      const sender = await authorize(context, 'captioner:caption:run');
      const run = await findSummary(runs, sender.organizationId, context.params.runId);
      return eventStream(runs, envelopes, run, sender);
    })
    .get('/workflows/captioner/:runId/:captions', async (context) => {
      const run = await find(context);
      const format = captionFormat(context.params.captions);
      const version = readVersion(queryOf(context.request.url));
      return captionsFile(await captionsOf(run, reviews, version), format);
    })
    .delete('/workflows/captioner/:runId', async (context) => {
      const { run } = await cancelRun(runs, await find(context));
      return jsonText(describe(run), 202);
    });
}

/** The Idempotency-Key of a request: any visible ASCII; without one every request is a run of its own. */
function readIdempotencyKey(headers: Headers): string | null {
  const key = headers.get('idempotency-key');
  if (key === null || (/^[\x21-\x7e]+$/.test(key) && key.length <= MAX_IDEMPOTENCY_KEY)) return key;
  const message = `must be 1 to ${MAX_IDEMPOTENCY_KEY} visible ASCII characters`;
  throw invalidPayload(`The header Idempotency-Key ${message}.`, [
    { path: 'Idempotency-Key', message },
  ]);
}

function readWait(query: URLSearchParams): boolean {
  const values = query.getAll('wait');
  if (values.length === 0) return false;
  if (values.length === 1 && values[0] === 'result') return true;
  throw invalidPayload('The query parameter wait may only be "result".', [
    { path: 'wait', message: 'must be result' },
  ]);
}

/** Which captions are asked for: `version`, once, or none. */
function readVersion(query: URLSearchParams): CaptionVersion | null {
  const values = query.getAll('version');
  if (values.length === 0) return null;
  const version = CAPTION_VERSIONS.find((known) => known === values[0]);
  if (values.length === 1 && version) return version;
  throw invalidPayload('The query parameter version may only be "original" or "reviewed".', [
    { path: 'version', message: 'must be original or reviewed' },
  ]);
}
