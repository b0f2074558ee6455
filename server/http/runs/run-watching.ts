/** Following a run: the stream of its events, and the preview of its transcript. */
import { Elysia } from 'elysia';
import { PartialTranscript } from '../../contract/runs.ts';
import { closed, enumeration, Type } from '../../contract/schema.ts';
import type { Runs } from '../../runs/service.ts';
import type { Guard } from '../guard.ts';
import { headerText } from '../request.ts';
import { answer, detail } from '../openapi/detail.ts';
import * as examples from '../openapi/examples.ts';
import { schemaRef } from '../openapi/references.ts';
import { headerRef, response } from '../openapi/responses.ts';
import { retryAfterOf } from './run-representation.ts';
import { findSummary } from './run-requests.ts';
import { eventStream, transcriptPosition } from './run-streams.ts';
import type { RunTexts } from './run-texts.ts';
import { wireAnswer, wireQuery } from '../wire.ts';

/** The parts in one response: a quarter of an hour of speech, or more. */
const PARTS = 200;
/** The largest number that every database can compare with a position. */
const MAX_POSITION = 2_147_483_647;

interface RunWatchingServices {
  guard: Guard;
  runs: Runs;
  texts: RunTexts;
}

/** The routes. */
export function runWatchingRoutes({ guard, runs, texts }: RunWatchingServices) {
  return new Elysia()
    .use(guard)
    .get(
      '/workflows/captioner/:runId/events',
      async ({ request, params, query, sender }) => {
        const run = await findSummary(runs, sender.organizationId, params.runId);
        const last = headerText(request.headers, 'last-event-id');
        const transcriptAfter = query.include === undefined ? null : transcriptPosition(last);
        return eventStream(runs, texts, run, { ...sender, transcriptAfter });
      },
      {
        scope: 'captioner:caption:run',
        query: wireQuery(EventsQuery),
        detail: detail({
          operationId: 'watchRun',
          summary: 'Follow a run as a stream of events',
          description:
            'Sends an event immediately, and another whenever the run progresses. The last event has the envelope and ends the stream. If the connection breaks, request the stream again: its first event has the current state. With `include=transcript` there are `transcript` events too: the words as they are recognised, before they are moderated and corrected; after a break, send the id of the last event as `Last-Event-ID` to get only the words that are new.',
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
        const body: PartialTranscript = { runId: run.id, state: run.state, position, parts };
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
