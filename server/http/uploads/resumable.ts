/** /resumable: uploads by the tus protocol 1.0.0 (tus.io), which continue where they stopped after a broken connection. */
import { Elysia } from 'elysia';
import { ResumableUploadState } from '../../contract/audio.ts';
import { RESUMABLE, UPLOAD } from '../../contract/limits.ts';
import type { Static } from '../../contract/schema.ts';
import type { AudioStore } from '../../storage/audio.ts';
import type { Database } from '../../storage/database.ts';
import { createResumableUploads } from '../../storage/resumable-uploads.ts';
import type { Guard } from '../identity/guard.ts';
import { answer, detail, HIDDEN } from '../openapi/detail.ts';
import { response } from '../openapi/responses.ts';
import { Problem } from '../problems.ts';
import { mediaTypeOf, type PublicAddress } from '../request.ts';
import { wireAnswer } from '../wire.ts';
import type { Uploads } from './mp3-upload.ts';
import { createResumableUploading } from './store-parts.ts';
import {
  byteCount,
  OFFSET_MEDIA_TYPE,
  progress,
  requireTus,
  RESUMABLE_PATH,
} from './tus-headers.ts';

interface ResumableRouteServices {
  guard: Guard;
  address: PublicAddress;
  database: Database;
  audio: AudioStore;
  uploads: Uploads;
  /** The time for which recordings are kept. */
  audioTtlMs: number;
}

/** The routes. They store the same recordings as PUT /audio/{key}. */
export function resumableRoutes({
  guard,
  address,
  uploads,
  audioTtlMs,
  ...stores
}: ResumableRouteServices) {
  const resumable = createResumableUploads(stores);
  const uploading = createResumableUploading({ resumable, uploads, audioTtlMs });
  const scope = 'captioner:audio:upload';

  const send = async (request: Request, organizationId: string, id: string): Promise<Response> => {
    requireTus(request.headers);
    const offset = byteCount(request.headers, 'Upload-Offset');
    const upload = await uploading.find(organizationId, id);
    const after = await uploading.take(request, upload, offset);
    return new Response(null, { status: 204, headers: progress(after) });
  };
  const terminate = async (request: Request, organizationId: string, id: string) => {
    requireTus(request.headers);
    await resumable.discard(await uploading.find(organizationId, id));
    return new Response(null, { status: 204 });
  };

  return new Elysia()
    .use(guard)
    .post(
      RESUMABLE_PATH,
      async ({ request, sender }) => {
        requireTus(request.headers);
        const upload = await uploading.begin(request, sender.organizationId);
        const location = `${address.of(request)}${RESUMABLE_PATH}/${upload.id}`;
        const isWithBytes = mediaTypeOf(request.headers) === OFFSET_MEDIA_TYPE;
        const after = isWithBytes ? await uploading.take(request, upload, 0) : upload;
        return new Response(null, { status: 201, headers: { location, ...progress(after) } });
      },
      {
        scope,
        detail: detail({
          operationId: 'createResumableUpload',
          summary: 'Start an upload that survives broken connections',
          description: `The tus protocol 1.0.0 (creation, creation-with-upload, termination, expiration), for any tus client. Send the bytes to the \`Location\` with PATCH; after a broken connection, ask with HEAD how many have arrived, and continue from there within ${RESUMABLE.hours} hours. The last byte stores the recording under its key, as \`PUT /audio/{key}\` does.`,
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
        }),
      },
    )
    .get(
      `${RESUMABLE_PATH}/:uploadId`,
      async ({ request, params, sender }) => {
        requireTus(request.headers, true);
        const upload = await uploading.find(sender.organizationId, params.uploadId);
        const { key, metadata, length, received: offset, expiresAt } = upload;
        const state: Static<typeof ResumableUploadState> = {
          key,
          offset,
          length,
          complete: offset === length,
          expiresAt: new Date(expiresAt).toISOString(),
        };
        const headers = { 'upload-length': String(length), 'upload-metadata': metadata };
        return Response.json(state, { headers: { ...progress(upload), ...headers } });
      },
      {
        scope,
        response: { 200: wireAnswer(ResumableUploadState) },
        detail: detail({
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
        }),
      },
    )
    .patch(
      `${RESUMABLE_PATH}/:uploadId`,
      ({ request, params, sender }) => send(request, sender.organizationId, params.uploadId),
      {
        scope,
        detail: detail({
          operationId: 'continueResumableUpload',
          summary: 'Send bytes of an upload',
          description:
            'Bytes that arrive before the connection breaks are kept. With 409, `Upload-Offset` says where the upload continues.',
          tags: ['Captioning'],
          parameters: [
            version,
            header('Upload-Offset', 'The position of the first byte.', count, 0),
          ],
          requestBody: { ...BYTES, required: true },
          responses: {
            204: { description: 'The bytes are stored.', headers: PROGRESS },
            409: response('Problem'),
            ...REFUSALS,
            ...UNKNOWN,
            ...RECEIVING,
          },
        }),
      },
    )
    .delete(
      `${RESUMABLE_PATH}/:uploadId`,
      ({ request, params, sender }) => terminate(request, sender.organizationId, params.uploadId),
      {
        scope,
        detail: detail({
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
        }),
      },
    )
    .post(
      `${RESUMABLE_PATH}/:uploadId`,
      ({ request, params, sender }) => {
        // Clients behind proxies that do not support PATCH name the method in a header.
        const method = request.headers.get('x-http-method-override')?.toUpperCase();
        const act = method === 'PATCH' ? send : method === 'DELETE' ? terminate : null;
        if (!act) throw Problem.methodNotAllowed(['GET', 'HEAD', 'PATCH', 'DELETE', 'OPTIONS']);
        return act(request, sender.organizationId, params.uploadId);
      },
      { scope, detail: { ...HIDDEN } },
    );
}

const header = (name: string, description: string, schema: object, example: unknown) => ({
  name,
  in: 'header',
  required: true,
  description,
  schema,
  example,
});
const count = { type: 'integer', minimum: 0, maximum: UPLOAD.maxBytes };
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
