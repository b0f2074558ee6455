/** Following a run: its result once it has ended, its events, and the preview of its transcript. */
import { Elysia } from 'elysia';
import { createHash } from 'node:crypto';
import type { Runs } from '../../runs/service.ts';
import type { RunSummary } from '../../runs/store/run-store.ts';
import { type RunUpdate, watchUpdates } from '../../runs/watch.ts';
import { compressed, isCompressed, KeyRevoked, streamed, type StreamOptions } from '../streamed.ts';
import { matchesEntityTag } from '../negotiate.ts';
import { retryAfterOf, envelope, jsonText, summary, findSummary } from './run-representation.ts';
import type { SharedText, RunTexts } from './run-texts.ts';
import { PartialTranscript } from '../../contract/runs.ts';
import { closed, enumeration, Type, type Static } from '../../contract/schema.ts';
import type { Guard } from '../identity/guard.ts';
import { answer, detail, schemaRef } from '../openapi/detail.ts';
import * as examples from '../openapi/examples.ts';
import { headerRef, response } from '../openapi/responses.ts';
import { wireAnswer, wireQuery } from '../wire.ts';
import { headerText } from '../request.ts';
import { comeBack, NOT_STOPPING, type Stopping } from '../stopping.ts';
import type { CaptionerCompletedResult } from '../../contract/results.ts';
import { type StoredText, stringOf } from '../work/stored-texts.ts';
import type { WorkPool } from '../work/pool.ts';

/** The key that opened a stream. */
type Sender = Required<Pick<StreamOptions, 'stillAllowed'>> & Pick<StreamOptions, 'keepAliveMs'>;

const JSON_TYPE = 'application/json; charset=utf-8';

/**
 * A run as JSON, with its envelope once it has ended: 304 to clients that already have this state, and compressed for
 * those that accept it. While the run is in progress, Retry-After says when to ask again.
 * @param hold holds the envelope; default: the whole one
 */
export async function runAnswer(
  request: Request,
  texts: RunTexts,
  run: RunSummary,
  hold = holdEnvelope,
): Promise<Response> {
  const text = JSON.stringify(summary(run));
  const isCoded = run.finishedAt !== null && isCompressed(request, text.length);
  const etag = runTag(text, isCoded);
  const headers = { etag, vary: 'Accept-Encoding', ...retryAfterOf(run) };
  if (matchesEntityTag(request.headers.get('if-none-match'), etag)) {
    return new Response(null, { status: 304, headers });
  }
  const answer = await wholeRun(texts, run, text, 200, headers, hold);
  return isCoded ? compressed(answer) : answer;
}

/** The response to a cancel: the run's current state and its address. */
export const cancelAnswer = (texts: RunTexts, run: RunSummary, location: string) =>
  wholeRun(texts, run, JSON.stringify(summary(run)), 202, { location, ...retryAfterOf(run) });

async function wholeRun(
  texts: RunTexts,
  run: RunSummary,
  text: string,
  status: number,
  headers: Record<string, string>,
  hold = holdEnvelope,
): Promise<Response> {
  if (run.finishedAt === null) return jsonText(text, status, headers);
  const [head, tail] = around(text);
  const held = await hold(texts, run);
  const answer = sendHeld({ type: JSON_TYPE, status }, held, head, tail);
  for (const [name, value] of Object.entries(headers)) answer.headers.set(name, value);
  return answer;
}

/** The tag of a run's current state. The result of an ended run never changes, so its summary is enough. */
function runTag(summaryText: string, isCoded: boolean): string {
  const digest = createHash('sha256').update(summaryText).digest('base64url').slice(0, 22);
  return isCoded ? `"${digest}-gzip"` : `"${digest}"`;
}

/** Sends a text, between a head and a tail, as fast as the client reads, and then releases it. */
export function sendHeld(
  options: Pick<StreamOptions, 'type'> & Partial<Pick<StreamOptions, 'status'>>,
  held: SharedText,
  head = '',
  tail = '',
): Response {
  const size = Buffer.byteLength(head) + held.size + Buffer.byteLength(tail);
  return streamed({ ...options, size }, async ({ write }) => {
    try {
      await write(head, held.read(), tail);
    } finally {
      held.release();
    }
  });
}

/** A run of a workspace. */
type Run = Pick<RunSummary, 'id' | 'organizationId'>;

const holdEnvelope = (texts: RunTexts, run: Run): Promise<SharedText> =>
  texts.hold(run, 'envelope', async (result) => envelope(run.id, await result()));

/** Holds the envelope for guests of a link, without the provider's own payloads. */
export const holdShared =
  (pool: WorkPool) =>
  (texts: RunTexts, run: Run): Promise<SharedText> =>
    texts.hold(run, 'shared envelope', async (result) => {
      const whole = await result();
      const load = { workspace: run.organizationId, size: whole.length };
      return envelope(run.id, await pool.do(withoutRaw, whole, load));
    });

/** A result without the provider's own payloads. A task. */
export function withoutRaw(result: StoredText): string {
  const { raw: _raw, ...shared } = JSON.parse(stringOf(result)) as CaptionerCompletedResult;
  return JSON.stringify(shared);
}

/**
 * Responds with the envelope when the run ends; until then it sends spaces, which are valid before JSON. If the client
 * disconnects, the wait ends, but not the run. If its key is revoked, it gets no envelope.
 */
export function envelopeStream(
  runs: Runs,
  texts: RunTexts,
  run: Run,
  { stillAllowed, keepAliveMs }: Sender,
): Response {
  const options = {
    type: JSON_TYPE,
    heartbeat: ' ',
    stillAllowed,
    keepAliveMs,
  };
  const response = streamed(options, async ({ write, signal }) => {
    await runs.wait(run.id, signal);
    if (!(await stillAllowed())) throw new KeyRevoked();
    await withEnvelope(texts, run, write);
  });
  // If the connection breaks, the client can still ask for this run.
  response.headers.set('captioner-run-id', run.id);
  return response;
}

/** The reader of a stream of events, and the position after which it gets the preview; null for no preview. */
type EventsReader = Sender &
  Partial<Pick<Stopping, 'leaving'>> & { transcriptAfter?: number | null };

/**
 * A run as a stream of server-sent events: one immediately, and one whenever the run progresses. The last one has the
 * envelope and ends the stream; so does the revocation of its key, and the end of the process, which says when to come
 * back. After a break no state needs to be replayed, because
 * the first event has the current one. The preview continues after the position in the id of the last event.
 */
export function eventStream(
  runs: Runs,
  texts: RunTexts,
  run: Run,
  {
    stillAllowed,
    keepAliveMs,
    leaving = NOT_STOPPING.leaving,
    transcriptAfter = null,
  }: EventsReader,
): Response {
  const type = 'text/event-stream; charset=utf-8';
  const heartbeat = ': awake\n\n';
  const options = { type, heartbeat, stillAllowed, keepAliveMs };
  return streamed(options, async ({ write, signal }) => {
    const following = AbortSignal.any([signal, leaving]);
    let count = 0;
    let position = transcriptAfter;
    const begin = (event: string) =>
      `id: ${(count += 1)}${position === null ? '' : `-${position}`}\nevent: ${event}\ndata: `;
    const tell = async (update: RunUpdate): Promise<void> => {
      if (!(await stillAllowed())) throw new KeyRevoked();
      if ('heard' in update) {
        position = update.heard.position;
        return write(`${begin('transcript')}${JSON.stringify(update.heard)}\n\n`);
      }
      const text = JSON.stringify(summary(update.run));
      if (update.run.finishedAt === null) return write(begin('run'), text, '\n\n');
      const [head, tail] = around(text);
      // The result is read first: until then the stream is kept alive, which must not happen inside an event.
      return withEnvelope(texts, run, (bytes) => write(begin('run'), head, bytes, tail, '\n\n'));
    };
    try {
      for await (const update of watchUpdates(runs, run, transcriptAfter, following)) {
        await tell(update);
      }
    } catch (error) {
      if (error !== leaving.reason) throw error;
      await write(comeBack());
    }
  });
}

/** The position in the id of an event; 0 if it has none. */
const transcriptPosition = (lastEventId: string): number =>
  Number(/^\d{1,9}-(\d{1,9})$/.exec(lastEventId)?.[1] ?? 0);

/** The JSON of a run before and after its envelope. */
const around = (text: string): [string, string] => [`${text.slice(0, -1)},"envelope":`, '}'];

async function withEnvelope(
  texts: RunTexts,
  run: Run,
  send: (bytes: AsyncIterable<Uint8Array>) => Promise<void>,
): Promise<void> {
  const held = await holdEnvelope(texts, run);
  try {
    await send(held.read());
  } finally {
    held.release();
  }
}

/** The parts in one response: a quarter of an hour of speech, or more. */
const PARTS = 200;
/** The largest number that every database can compare with a position. */
const MAX_POSITION = 2_147_483_647;

interface RunWatchingServices {
  guard: Guard;
  runs: Runs;
  texts: RunTexts;
  stopping: Stopping;
}

/** The routes. */
export function runWatchingRoutes({ guard, runs, texts, stopping }: RunWatchingServices) {
  return new Elysia()
    .use(guard)
    .get(
      '/workflows/captioner/:runId/events',
      async ({ request, params, query, sender }) => {
        const run = await findSummary(runs, sender.organizationId, params.runId);
        const last = headerText(request.headers, 'last-event-id');
        const transcriptAfter = query.include === undefined ? null : transcriptPosition(last);
        return eventStream(runs, texts, run, { ...sender, ...stopping, transcriptAfter });
      },
      {
        scope: 'captioner:caption:run',
        query: wireQuery(EventsQuery),
        detail: detail({
          operationId: 'watchRun',
          summary: 'Follow a run as a stream of events',
          description:
            'Sends an event immediately, and another whenever the run progresses. The last event has the envelope and ends the stream. If the connection breaks, request the stream again: its first event has the current state. A process that stops ends the stream without the envelope, after a `retry:` that says when to request it again. With `include=transcript` there are `transcript` events too: the words as they are recognised, before they are moderated and corrected; after a break, send the id of the last event as `Last-Event-ID` to get only the words that are new.',
          tags: ['Captioning'],
          parameters: [LAST_EVENT_ID],
          responses: {
            200: {
              description: 'Server-sent events.',
              content: {
                'text/event-stream': {
                  itemSchema: {
                    anyOf: [schemaRef('WorkflowRunEvent'), schemaRef('RunTranscriptEvent')],
                  },
                },
              },
            },
            404: response('RunNotFound'),
            422: response('InvalidPayload'),
          },
        }),
      },
    )
    .get(
      '/workflows/captioner/:runId/partial-transcript',
      async ({ params, query, sender }) => {
        const run = await findSummary(runs, sender.organizationId, params.runId);
        const { after = 0 } = query;
        const parts = await runs.heard(run, after, PARTS);
        const position = parts.at(-1)?.position ?? after;
        const body: Static<typeof PartialTranscript> = {
          runId: run.id,
          state: run.state,
          position,
          parts,
        };
        return Response.json(body, { headers: retryAfterOf(run) });
      },
      {
        scope: 'captioner:caption:run',
        query: wireQuery(PartialQuery),
        response: { 200: wireAnswer(PartialTranscript) },
        detail: detail({
          operationId: 'getPartialTranscript',
          summary: 'Get the words that a run in progress has recognised so far',
          description:
            'A preview during transcription, in parts of up to half a minute: as recognised, before moderation and correction. Send the `position` of a response as `after` in the next request to get only what is new; a response without parts is up to date. Once the run has ended there is nothing here: its result has the transcript.',
          tags: ['Captioning'],
          responses: {
            200: {
              ...answer('The words recognised after that position.', examples.partialTranscript),
              headers: { 'Retry-After': headerRef('RetryAfter') },
            },
            404: response('RunNotFound'),
            422: response('InvalidPayload'),
          },
        }),
      },
    );
}

const EventsQuery = closed({
  include: Type.Optional(
    enumeration(['transcript'], { description: 'Adds the words as they are recognised.' }),
  ),
});

const PartialQuery = closed({
  after: Type.Optional(
    Type.Integer({
      description: 'The `position` of the previous response.',
      minimum: 0,
      maximum: MAX_POSITION,
    }),
  ),
});

/** The Last-Event-ID header. It is not validated: an id that is not ours is ignored, as the standard says. */
const LAST_EVENT_ID = {
  name: 'Last-Event-ID',
  in: 'header',
  required: false,
  description:
    'The id of the last event received, after a break; only `include=transcript` uses it.',
  schema: { type: 'string' },
};
