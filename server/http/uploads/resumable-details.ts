/** The OpenAPI details of resumable uploads. They are functions, because the router modifies the objects it gets. */
import { MAX_UPLOAD_BYTES, RESUMABLE_HOURS } from '../../contract/limits.ts';
import { answer, detail } from '../openapi/detail.ts';
import { response } from '../openapi/responses.ts';
import { OFFSET_MEDIA_TYPE } from './tus-headers.ts';

const header = (name: string, description: string, schema: object, example: unknown) => ({
  name,
  in: 'header',
  required: true,
  description,
  schema,
  example,
});
const count = { type: 'integer', minimum: 0, maximum: MAX_UPLOAD_BYTES };
const version = header(
  'Tus-Resumable',
  'The version of the protocol.',
  // An enum of one value, because some generators do not support constants in headers.
  { type: 'string', enum: ['1.0.0'] },
  '1.0.0',
);

const OFFSET = { description: 'The number of bytes received.', schema: count };
const EXPIRES = {
  description: 'The time until which the upload can continue, as an HTTP date.',
  schema: { type: 'string' },
};
const PROGRESS = { 'Upload-Offset': OFFSET, 'Upload-Expires': EXPIRES };

/** Refusals that all of these operations share. */
const REFUSALS = { 400: response('Problem'), 412: response('Problem') };
const UNKNOWN = { 404: response('Problem'), 410: response('Problem') };
/** Refusals while bytes arrive. */
const RECEIVING = {
  408: response('UploadTooSlow'),
  413: response('Mp3TooLarge'),
  415: response('Mp3Required'),
  423: response('Problem'),
  429: response('TooManyUploads'),
  503: response('Unavailable'),
};
const BYTES = {
  content: { [OFFSET_MEDIA_TYPE]: { schema: { type: 'string', format: 'binary' } } },
};

/** POST /resumable. */
export const createDetail = () =>
  detail({
    operationId: 'createResumableUpload',
    summary: 'Start an upload that survives broken connections',
    description: `The tus protocol 1.0.0 (creation, creation-with-upload, termination, expiration), for any tus client. Send the bytes to the \`Location\` with PATCH; after a broken connection, ask with HEAD how many have arrived, and continue from there within ${RESUMABLE_HOURS} hours. The last byte stores the recording under its key, as \`PUT /audio/{key}\` does.`,
    tags: ['Captioning'],
    parameters: [
      version,
      header(
        'Upload-Length',
        'The size of the whole recording in bytes.',
        { ...count, minimum: 1 },
        14_400_000,
      ),
      header(
        'Upload-Metadata',
        'Pairs of a name and a base64 value, separated by commas. `key` is the key of the recording: it ends in `.mp3`.',
        { type: 'string' },
        'key dGFsa3Mva2V5bm90ZS5tcDM=',
      ),
    ],
    requestBody: { ...BYTES, required: false },
    responses: {
      201: {
        description: 'The upload has started; its address is in `Location`.',
        headers: {
          Location: { description: 'The address of the upload.', schema: { type: 'string' } },
          ...PROGRESS,
        },
      },
      ...REFUSALS,
      ...RECEIVING,
    },
  });

/** GET and HEAD /resumable/{uploadId}. */
export const findDetail = () =>
  detail({
    operationId: 'getResumableUpload',
    summary: 'Get the state of an upload',
    description: 'HEAD returns the same in headers, as the protocol requires.',
    tags: ['Captioning'],
    responses: {
      200: {
        headers: PROGRESS,
        ...answer('The state of the upload.', {
          key: 'talks/keynote.mp3',
          offset: 4_194_304,
          length: 14_400_000,
          complete: false,
          expiresAt: '2026-11-23T12:00:00.000Z',
        }),
      },
      ...UNKNOWN,
      412: response('Problem'),
    },
  });

/** PATCH /resumable/{uploadId}. */
export const sendDetail = () =>
  detail({
    operationId: 'continueResumableUpload',
    summary: 'Send bytes of an upload',
    description:
      'Bytes that arrive before the connection breaks are kept. With 409, `Upload-Offset` says where the upload continues.',
    tags: ['Captioning'],
    parameters: [version, header('Upload-Offset', 'The position of the first byte.', count, 0)],
    requestBody: { ...BYTES, required: true },
    responses: {
      204: { description: 'The bytes are stored.', headers: PROGRESS },
      409: response('Problem'),
      ...REFUSALS,
      ...UNKNOWN,
      ...RECEIVING,
    },
  });

/** DELETE /resumable/{uploadId}. */
export const terminateDetail = () =>
  detail({
    operationId: 'deleteResumableUpload',
    summary: 'Cancel an upload',
    description: 'If the upload is complete, its recording stays.',
    tags: ['Captioning'],
    parameters: [version],
    responses: {
      204: { description: 'The received bytes are deleted.' },
      ...UNKNOWN,
      412: response('Problem'),
    },
  });
