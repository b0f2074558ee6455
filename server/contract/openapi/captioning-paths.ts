/** The upload and workflow operations: contract 4, and the run operations beyond it. */
import { MAX_IDEMPOTENCY_KEY, RUNS_PAGE, UPLOAD_LINK_MINUTES } from '../limits.ts';
import { CAPTION_FORMATS } from '../runs.ts';
import * as examples from './examples.ts';
import { json, response, text } from './responses.ts';
import { guarded, needs, runId } from './guarded.ts';
import { schemaRef } from './references.ts';

/** The bytes of an MP3. Without a schema some generators send no body, or JSON. */
const mp3Body = {
  required: true,
  content: { 'audio/mpeg': { schema: { type: 'string', format: 'binary' } } },
};

/** The responses to an upload. */
const uploadAnswers = {
  200: {
    description: 'Stored.',
    content: json('AudioObjectReceipt', {
      ok: true,
      key: 'talks/keynote.mp3',
      size: 14_400_000,
      mediaType: 'audio/mpeg',
    }),
  },
  413: response('Mp3TooLarge'),
  408: response('UploadTooSlow'),
  415: response('Mp3Required'),
  429: response('TooManyUploads'),
  503: response('Unavailable'),
  default: response('Problem'),
};

const run = (description: string) => ({
  description,
  content: json('WorkflowRun', examples.run),
});

/** The operations that need a key, and uploads by link. */
export const captioningPaths = {
  '/audio/{key}': {
    put: {
      operationId: 'uploadAudio',
      summary: 'Upload an MP3',
      description:
        'The recording is stored for a short time, for the organization of the API key, under a name of your choice.',
      tags: ['Captioning'],
      security: needs('captioner:audio:upload'),
      parameters: [
        {
          name: 'key',
          in: 'path',
          required: true,
          description: 'Ends in `.mp3`; may contain slashes.',
          allowReserved: true,
          schema: { type: 'string', pattern: '\\.mp3$' },
          example: 'talks/keynote.mp3',
        },
      ],
      requestBody: mp3Body,
      responses: {
        ...uploadAnswers,
        400: response('BadUpload'),
        ...guarded,
      },
    },
  },
  '/uploads/{token}': {
    put: {
      operationId: 'uploadByLink',
      summary: 'Upload an MP3 by a link',
      description: `Send it to the URL that the MCP tool \`create_upload_link\` returns, within ${UPLOAD_LINK_MINUTES} minutes. It needs no key, works once, stores the MP3 under the key it was made for, and is void when the API key it was made with is revoked.`,
      tags: ['Captioning'],
      security: [],
      parameters: [
        {
          name: 'token',
          in: 'path',
          required: true,
          description: 'The signature of the link.',
          schema: { type: 'string' },
        },
      ],
      requestBody: mp3Body,
      responses: {
        ...uploadAnswers,
        400: response('BadUpload'),
        403: response('BadUploadLink'),
      },
    },
  },
  '/workflows/captioner': {
    post: {
      operationId: 'startCaptioner',
      summary: 'Start a run',
      description:
        'With `wait=result` the connection stays open until the run has ended, however long it takes; spaces sent before the JSON keep it alive.',
      tags: ['Captioning'],
      security: needs('captioner:caption:run'),
      parameters: [
        {
          name: 'wait',
          in: 'query',
          required: false,
          schema: { type: 'string', enum: ['result'] },
        },
        {
          name: 'Idempotency-Key',
          in: 'header',
          required: false,
          description:
            'A name of your choice for this request. The same key with the same payload returns the same run.',
          schema: {
            type: 'string',
            minLength: 1,
            maxLength: MAX_IDEMPOTENCY_KEY,
            pattern: '^[!-~]+$',
          },
          example: 'a0c9b1e2-keynote',
        },
      ],
      requestBody: { required: true, content: json('CaptionerPayload', examples.payload) },
      responses: {
        200: {
          description: 'The run has ended: completed, blocked or failed (with `wait=result`).',
          content: {
            'application/json': {
              schema: schemaRef('WorkflowResultEnvelope'),
              examples: {
                completed: { value: examples.completed },
                blocked: { value: examples.blocked },
                failed: { value: examples.failed },
              },
            },
          },
        },
        202: {
          description: 'The run was accepted.',
          content: json('WorkflowAccepted', examples.accepted),
        },
        400: response('BrokenBody'),
        ...guarded,
        409: response('IdempotencyConflict'),
        413: response('BodyTooLarge'),
        415: response('NotJson'),
        422: response('InvalidPayload'),
        429: response('TooManyResults'),
        default: response('Problem'),
      },
    },
    get: {
      operationId: 'listRuns',
      summary: 'List the runs of your workspace, newest first',
      tags: ['Captioning'],
      security: needs('captioner:caption:run'),
      parameters: [
        {
          name: 'limit',
          in: 'query',
          required: false,
          description: 'Number of runs on a page.',
          schema: { type: 'integer', ...RUNS_PAGE },
        },
        {
          name: 'cursor',
          in: 'query',
          required: false,
          description: 'The `nextCursor` of the previous page.',
          schema: { type: 'string' },
        },
      ],
      responses: {
        200: {
          description: 'A page of runs, without their envelopes.',
          content: json('WorkflowRunList', examples.runs),
        },
        ...guarded,
        422: response('InvalidPayload'),
        default: response('Problem'),
      },
    },
  },
  '/workflows/captioner/{runId}': {
    parameters: [runId],
    get: {
      operationId: 'getRun',
      summary: 'Get the state of a run, and its result',
      tags: ['Captioning'],
      security: needs('captioner:caption:run'),
      responses: {
        200: run('The run; `envelope` once it has ended.'),
        ...guarded,
        404: response('RunNotFound'),
        default: response('Problem'),
      },
    },
    delete: {
      operationId: 'cancelRun',
      summary: 'Cancel a run',
      tags: ['Captioning'],
      security: needs('captioner:caption:run'),
      responses: {
        202: run('The run is being cancelled; a run that has ended does not change.'),
        ...guarded,
        404: response('RunNotFound'),
        default: response('Problem'),
      },
    },
  },
  '/workflows/captioner/{runId}/events': {
    parameters: [runId],
    get: {
      operationId: 'watchRun',
      summary: 'Follow a run as a stream of events',
      description:
        'Sends one event at once and one whenever the run progresses. The last event has the envelope and ends the stream. If the connection breaks, request the stream again: its first event has the current state.',
      tags: ['Captioning'],
      security: needs('captioner:caption:run'),
      responses: {
        200: {
          description: 'Server-sent events.',
          content: {
            'text/event-stream': { itemSchema: schemaRef('WorkflowRunEvent') },
          },
        },
        ...guarded,
        404: response('RunNotFound'),
        default: response('Problem'),
      },
    },
  },
  '/workflows/captioner/{runId}/captions.{format}': {
    parameters: [
      runId,
      {
        name: 'format',
        in: 'path',
        required: true,
        schema: { type: 'string', enum: CAPTION_FORMATS },
      },
    ],
    get: {
      operationId: 'getCaptions',
      summary: 'Get the captions of a completed run',
      description: 'As people corrected them, where a review is kept.',
      tags: ['Captioning'],
      security: needs('captioner:caption:run'),
      parameters: [
        {
          name: 'version',
          in: 'query',
          required: false,
          description: '`original`: as the service made them; `reviewed`: of a review alone.',
          schema: { type: 'string', enum: ['reviewed', 'original'] },
        },
      ],
      responses: {
        200: {
          description: 'The captions in the requested format.',
          content: {
            ...text('application/x-subrip'),
            ...text('text/vtt'),
            ...text('text/plain'),
            'application/json': {
              schema: {
                type: 'object',
                required: ['cues'],
                properties: { cues: { type: 'array', items: schemaRef('CaptionCue') } },
              },
            },
          },
        },
        ...guarded,
        404: response('RunNotFound'),
        409: response('CaptionsNotReady'),
        422: response('InvalidPayload'),
        default: response('Problem'),
      },
    },
  },
};
