/** The review of a run: the captions as people corrected them. */
import { headerRef, json, response } from './responses.ts';
import { guarded, needs, runId } from './guarded.ts';

const condition = (name: string, description: string, example: string) => ({
  name,
  in: 'header',
  required: false,
  description,
  schema: { type: 'string' },
  example,
});
const ifMatch = condition(
  'If-Match',
  'The ETag of the review you have seen: another one is then not written over.',
  '"5Vb3pK0sZ2mYyGZr8GQ3bSxEwqk"',
);
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

/** One resource of each completed run. */
export const reviewPaths = {
  '/workflows/captioner/{runId}/review': {
    parameters: [runId],
    get: {
      operationId: 'getReview',
      summary: 'The review of a run',
      description: 'The captions as people corrected them, the terms they settled, who spoke.',
      tags: ['Captioning'],
      security: needs('captioner:caption:run'),
      responses: {
        200: { description: 'The review.', headers: etag, content: json('Review') },
        304: { description: 'It is the one that If-None-Match names.', headers: etag },
        ...guarded,
        404: response('ReviewNotFound'),
        default: response('Problem'),
      },
    },
    put: {
      operationId: 'saveReview',
      summary: 'Keep a review, as a whole',
      description:
        'For a first review send `If-None-Match: *`, after that `If-Match` with the ETag of the one you have seen. What is there already may be sent again, whatever the headers say. The result of the run never changes; `captions.{format}` gives the reviewed captions from then on.',
      tags: ['Captioning'],
      security: needs('captioner:caption:run'),
      parameters: [ifMatch, condition('If-None-Match', '`*`: there must be no review yet.', '*')],
      requestBody: { required: true, content: json('ReviewInput', example) },
      responses: {
        200: { description: 'Kept.', headers: etag, content: json('ReviewReceipt', receipt) },
        201: {
          description: 'Kept, as the first of this run.',
          headers: etag,
          content: json('ReviewReceipt', receipt),
        },
        400: response('BrokenBody'),
        ...guarded,
        404: response('RunNotFound'),
        409: response('CaptionsNotReady'),
        412: response('PreconditionFailed'),
        413: response('BodyTooLarge'),
        415: response('NotJson'),
        422: response('InvalidPayload'),
        428: response('PreconditionRequired'),
        default: response('Problem'),
      },
    },
    delete: {
      operationId: 'deleteReview',
      summary: 'Forget the review of a run',
      description: 'The captions that the service made stay.',
      tags: ['Captioning'],
      security: needs('captioner:caption:run'),
      parameters: [ifMatch],
      responses: {
        204: { description: 'There is no review any more.' },
        ...guarded,
        404: response('RunNotFound'),
        412: response('PreconditionFailed'),
        default: response('Problem'),
      },
    },
  },
};
