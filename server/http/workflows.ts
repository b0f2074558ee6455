/** POST /workflows/captioner, and what may be asked of a run afterwards. */
import { Elysia } from 'elysia';
import { toPlainText } from '../captions/text.ts';
import { toSrt } from '../captions/srt.ts';
import { toVtt } from '../captions/vtt.ts';
import type { CaptionCue } from '../contract/captions.ts';
import { CaptionerPayload } from '../contract/payload.ts';
import type { CaptionerResult } from '../contract/results.ts';
import type { WorkflowRun } from '../contract/runs.ts';
import { validator } from '../contract/schema.ts';
import type { Runs } from '../runs/service.ts';
import type { StoredRun } from '../runs/run-store.ts';
import type { Authorize, Routed } from './guard.ts';
import { readJson } from './json-body.ts';
import { Problem } from './problems.ts';

/** While a result is waited for, a space goes out this often: valid before JSON, it keeps proxies awake. */
const KEEP_AWAKE_MS = 5000;
/** A payload is small; its glossary may be long. */
const MAX_PAYLOAD_BYTES = 1024 * 1024;

export interface WorkflowRouteServices {
  authorize: Authorize;
  runs: Runs;
}

/** The routes of runs. */
export function workflowRoutes({ authorize, runs }: WorkflowRouteServices) {
  const payloads = validator(CaptionerPayload);
  const find = async (routed: Routed & { params: { runId: string } }): Promise<StoredRun> => {
    const { organizationId } = await authorize(routed, 'captioner:caption:run');
    const run = await runs.get(organizationId, routed.params.runId);
    if (!run) throw new Problem(404, 'run_not_found', 'There is no run of this id.');
    return run;
  };
  return new Elysia()
    .post(
      '/workflows/captioner',
      async ({ request, route }) => {
        const sender = await authorize({ request, route }, 'captioner:caption:run');
        const { organizationId, keyId } = sender;
        const wait = readWait(new URL(request.url).searchParams);
        const payload = await readJson(request, MAX_PAYLOAD_BYTES);
        if (!payloads.check(payload)) {
          throw new Problem(422, 'invalid_payload', 'The payload does not fit the contract.', {
            details: payloads.faults(payload),
          });
        }
        const runId = await runs.submit({ organizationId, keyId, payload });
        if (!wait) return Response.json({ status: 'accepted', runId }, { status: 202 });
        return waitForEnvelope(runs, organizationId, runId);
      },
      { parse: 'none' },
    )
    .get('/workflows/captioner/:runId', async (context) => jsonText(describe(await find(context))))
    .get('/workflows/captioner/:runId/:captions', async (context) =>
      captionsOf(await find(context), context.params.captions),
    )
    .delete('/workflows/captioner/:runId', async (context) => {
      const run = await find(context);
      await runs.cancel(run.id);
      const after = (await runs.get(run.organizationId, run.id)) ?? run;
      return jsonText(describe(after), 202);
    });
}

function readWait(query: URLSearchParams): boolean {
  const values = query.getAll('wait');
  if (values.length === 0) return false;
  if (values.length === 1 && values[0] === 'result') return true;
  throw new Problem(422, 'invalid_payload', 'The query parameter wait may only be "result".', {
    details: [{ path: 'wait', message: 'must be result' }],
  });
}

/** The envelope of a finished run, as JSON text: the stored result goes into it as it is. */
const envelope = (runId: string, result: string): string =>
  `{"result":${result},"_meta":${JSON.stringify({ runId })}}`;

/** A run as its owner sees it, as JSON text. */
function describe(run: StoredRun): string {
  const instant = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString());
  const head: WorkflowRun = {
    runId: run.id,
    state: run.state,
    stage: run.stage,
    progress: run.progress,
    createdAt: new Date(run.createdAt).toISOString(),
    startedAt: instant(run.startedAt),
    finishedAt: instant(run.finishedAt),
    timingsMs: run.timingsMs,
  };
  const text = JSON.stringify(head);
  if (run.result === null) return text;
  return `${text.slice(0, -1)},"envelope":${envelope(run.id, run.result)}}`;
}

const jsonText = (text: string, status = 200): Response =>
  new Response(text, {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8' },
  });

/**
 * Answers with the envelope when the run ends. A client that goes away ends the wait, not the run.
 */
function waitForEnvelope(runs: Runs, organizationId: string, runId: string): Response {
  const gone = new AbortController();
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      const awake = setInterval(() => controller.enqueue(encoder.encode(' ')), KEEP_AWAKE_MS);
      try {
        await runs.wait(runId, gone.signal);
        const run = await runs.get(organizationId, runId);
        if (!run?.result) throw new Error(`the run ${runId} has ended without a result`);
        controller.enqueue(encoder.encode(envelope(runId, run.result)));
        controller.close();
      } catch (error) {
        if (!gone.signal.aborted) controller.error(error);
      } finally {
        clearInterval(awake);
      }
    },
    cancel: () => gone.abort(),
  });
  return new Response(body, {
    headers: { 'content-type': 'application/json; charset=utf-8' },
  });
}

const FORMATS: Record<string, { type: string; write(cues: CaptionCue[]): string }> = {
  'captions.srt': { type: 'application/x-subrip; charset=utf-8', write: toSrt },
  'captions.vtt': { type: 'text/vtt; charset=utf-8', write: toVtt },
  'captions.txt': { type: 'text/plain; charset=utf-8', write: toPlainText },
  'captions.json': {
    type: 'application/json; charset=utf-8',
    write: (cues) => JSON.stringify({ cues }),
  },
};

function captionsOf(run: StoredRun, name: string): Response {
  const format = FORMATS[name];
  if (!format) throw new Problem(404, 'not_found', 'There is nothing at this address.');
  if (run.state !== 'completed' || run.result === null) {
    throw new Problem(409, 'captions_not_ready', `The run is ${run.state}: it has no captions.`);
  }
  const { captions }: Extract<CaptionerResult, { status: 'completed' }> = JSON.parse(run.result);
  return new Response(format.write(captions.cues), {
    headers: { 'content-type': format.type },
  });
}
