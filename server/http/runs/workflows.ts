/** POST /workflows/captioner, and the requests about a run afterwards. Contract 4. */
import { Elysia } from 'elysia';
import { CaptionerPayload } from '../../contract/payload.ts';
import { WorkflowAccepted, WorkflowResultEnvelope } from '../../contract/results.ts';
import { SpeakerCount } from '../../contract/speakers.ts';
import { RUN_STATES, RunName, WorkflowRun, WorkflowRunList } from '../../contract/runs.ts';
import { closed, enumeration, open, Type } from '../../contract/schema.ts';
import type { Runs } from '../../runs/service.ts';
import { createBodyBudget } from '../bodies/body-budget.ts';
import { jsonBodies, wireBody } from '../bodies/json-bodies.ts';
import type { Guard } from '../identity/guard.ts';
import { answer, bodyExample, detail } from '../openapi/detail.ts';
import * as examples from '../openapi/examples.ts';
import { headerRef, response } from '../openapi/responses.ts';
import type { AudioStore } from '../../storage/audio.ts';
import { Problem } from '../problems.ts';
import type { PublicAddress } from '../request.ts';
import {
  PageQuery,
  runPage,
  summary,
  cancelRun,
  checkPayload,
  findSummary,
  readPayload,
  submitRun,
} from './run-representation.ts';
import { cancelAnswer, envelopeStream, holdShared, runAnswer } from './run-streams.ts';
import type { TermPackList } from '../../contract/terminology.ts';
import type { RunTexts } from './run-texts.ts';
import type { WorkPool } from '../work/pool.ts';
import { MAX_CHARS } from '../../contract/limits.ts';
import { wireAnswer, wireHeaders, wireInput, wireQuery } from '../wire.ts';

/** The largest payload; payloads are small, but a glossary may be long. */
const MAX_PAYLOAD_BYTES = 1024 * 1024;
/** The largest body with a name, which may be escaped. */
const MAX_NAME_BYTES = 4096;
/** The seconds after which a run that was just accepted may have progressed. */
const FIRST_LOOK_SECONDS = 2;
/** The total size of payloads being read. */
const MAX_PAYLOADS_BYTES = 32 * 1024 * 1024;

interface WorkflowRouteServices {
  address: PublicAddress;
  guard: Guard;
  runs: Runs;
  texts: RunTexts;
  pool: WorkPool;
  packs: TermPackList;
  audio: Pick<AudioStore, 'stat'>;
}

/** The routes of runs. */
export function workflowRoutes(services: WorkflowRouteServices) {
  const { address, guard, runs, texts, pool } = services;
  const budget = createBodyBudget(MAX_PAYLOADS_BYTES);
  const ofGuest = holdShared(pool);
  return new Elysia()
    .use(guard)
    .use(jsonBodies)
    .post(
      '/workflows/captioner',
      async ({ request, body: payload, query, headers: given, sender }) => {
        const { organizationId, keyId } = sender;
        const idempotencyKey = given['idempotency-key'] ?? null;
        const sound =
          query.sound === 'keep' ? await soundOf(services, organizationId, payload) : null;
        const runId = await submitRun(services, {
          organizationId,
          keyId,
          payload,
          idempotencyKey,
          sound,
          ...(query.speakers !== undefined && { speakers: query.speakers }),
        });
        if (query.wait === 'result') {
          return envelopeStream(runs, texts, { id: runId, organizationId }, sender);
        }
        const accepted: WorkflowAccepted = { status: 'accepted', runId };
        const location = runUrl(address.of(request), runId);
        const headers = { location, 'retry-after': String(FIRST_LOOK_SECONDS) };
        return Response.json(accepted, { status: 202, headers });
      },
      {
        scope: 'captioner:caption:run',
        json: { maxBytes: MAX_PAYLOAD_BYTES, budget, large: { pool, read: readPayload } },
        body: wireBody(CaptionerPayload, checkPayload),
        query: wireQuery(StartQuery),
        headers: wireHeaders(StartHeaders),
        response: { 200: wireAnswer(WorkflowResultEnvelope), 202: wireAnswer(WorkflowAccepted) },
        detail: detail({
          operationId: 'startCaptioner',
          summary: 'Start a run',
          description:
            'With `wait=result` the connection stays open until the run has ended, however long it takes; spaces sent before the JSON keep it alive.',
          tags: ['Captioning'],
          requestBody: bodyExample(examples.payload),
          responses: {
            200: {
              description: 'The run has ended: completed, blocked or failed (with `wait=result`).',
              content: {
                'application/json': {
                  examples: {
                    completed: { value: examples.completed },
                    blocked: { value: examples.blocked },
                    failed: { value: examples.failed },
                  },
                },
              },
            },
            202: { ...answer('The run was accepted.', examples.accepted), headers: GOING_ON },
            409: response('IdempotencyConflict'),
            429: response('TooManyResults'),
          },
        }),
      },
    )
    .get(
      '/workflows/captioner',
      ({ query, sender }) => runPage(runs, sender.organizationId, query),
      {
        scope: 'captioner:caption:run',
        query: wireQuery(ListQuery),
        response: { 200: wireAnswer(WorkflowRunList) },
        detail: detail({
          operationId: 'listRuns',
          summary: 'List the runs of your workspace, newest first',
          tags: ['Captioning'],
          responses: {
            200: answer('A page of runs, without their envelopes.', examples.runs),
            422: response('InvalidPayload'),
          },
        }),
      },
    )
    .get(
      '/workflows/captioner/:runId',
      async ({ request, params, sender }) => {
        const run = await findSummary(runs, sender.organizationId, params.runId);
        return runAnswer(request, texts, run, sender.link ? ofGuest : undefined);
      },
      {
        scope: { key: 'captioner:caption:run', link: 'view' },
        query: wireQuery(NoQuery),
        response: { 200: wireAnswer(WorkflowRun) },
        detail: detail({
          operationId: 'getRun',
          summary: 'Get the state of a run, and its result',
          description: 'Guests of a link get no `raw`.',
          tags: ['Captioning'],
          responses: {
            200: {
              ...answer('The run; `envelope` once it has ended.', examples.run),
              headers: { ETag: headerRef('ETag'), 'Retry-After': headerRef('RetryAfter') },
            },
            304: response('Unchanged'),
            404: response('RunNotFound'),
          },
        }),
      },
    )
    .put(
      '/workflows/captioner/:runId/name',
      async ({ params, body: { name }, sender }) => {
        const run = await findSummary(runs, sender.organizationId, params.runId);
        await runs.rename(run, name);
        return Response.json(summary({ ...run, name }));
      },
      {
        scope: 'captioner:caption:run',
        json: { maxBytes: MAX_NAME_BYTES, budget },
        body: wireInput(RunName),
        query: wireQuery(NoQuery),
        response: { 200: wireAnswer(WorkflowRun) },
        detail: detail({
          operationId: 'nameRun',
          summary: 'Name a run, for everyone in your workspace',
          description:
            'Until then, a run has the name of its recording: `audio.filename`, or the last part of the key.',
          tags: ['Captioning'],
          requestBody: bodyExample({ name: 'Keynote, MCP Night' }),
          responses: {
            200: answer('The run with its new name.', examples.run),
            404: response('RunNotFound'),
          },
        }),
      },
    )
    .delete(
      '/workflows/captioner/:runId',
      async ({ request, params, sender }) => {
        const found = await findSummary(runs, sender.organizationId, params.runId);
        const { run } = await cancelRun(runs, found);
        const location = runUrl(address.of(request), run.id);
        return cancelAnswer(texts, run, location);
      },
      {
        scope: 'captioner:caption:run',
        query: wireQuery(NoQuery),
        response: { 202: wireAnswer(WorkflowRun) },
        detail: detail({
          operationId: 'cancelRun',
          summary: 'Cancel a run',
          tags: ['Captioning'],
          responses: {
            202: answer(
              'The run is being cancelled; a run that has ended does not change.',
              examples.run,
            ),
            404: response('RunNotFound'),
          },
        }),
      },
    );
}

/** The headers of a 202. */
const GOING_ON = { Location: headerRef('Location'), 'Retry-After': headerRef('RetryAfter') };

/** The query of routes that take none, so that they refuse parameters instead of ignoring them. */
const NoQuery = closed({});

/** Unknown parameters are ignored, because a client or a proxy may add its own. */
const StartQuery = open({
  wait: Type.Optional(enumeration(['result'])),
  speakers: Type.Optional(SpeakerCount),
  sound: Type.Optional(
    enumeration(['keep'], {
      description:
        '`keep`, together with `storage.retainSourceAudio`: the recording stays with the run as its sound until the review is finished or the run is deleted, and is deleted then',
    }),
  ),
});

/**
 * The recording that is to stay with a run; null if there is none, so that the run fails.
 * @throws {Problem} 422 if the payload wants it deleted after its transcription
 */
async function soundOf(
  { audio }: Pick<WorkflowRouteServices, 'audio'>,
  organizationId: string,
  { audio: { key }, storage }: CaptionerPayload,
): Promise<{ size: number; version: string } | null> {
  if (storage?.retainSourceAudio === true) return audio.stat(organizationId, key);
  const message = 'must be true if the sound is to stay with the run';
  throw Problem.invalidPayload(`The field storage.retainSourceAudio ${message}.`, [
    { path: 'storage.retainSourceAudio', message },
  ]);
}

/** The headers of requests that start something. */
export const StartHeaders = open({
  'idempotency-key': Type.Optional(
    Type.String({
      description:
        'A name of your choice for this request. The same key with the same payload returns the same run.',
      minLength: 1,
      maxLength: MAX_CHARS.idempotencyKey,
      pattern: '^[!-~]+$',
      example: 'a0c9b1e2-keynote',
    }),
  ),
});

const ListQuery = closed({
  state: Type.Optional(enumeration(RUN_STATES, { description: 'Only runs in this state.' })),
  ...PageQuery.properties,
});

/** The address of a run. */
const runUrl = (baseUrl: string, runId: string): string =>
  `${baseUrl}/workflows/captioner/${runId}`;
