/** PUT /audio/{key}, and PUT /uploads/{token} for upload links. Contract 4 and 7.2. */
import { Elysia } from 'elysia';
import { AudioObjectReceipt } from '../../contract/audio.ts';
import { Problem } from '../problems.ts';
import type { Guard } from '../identity/guard.ts';
import { type Uploads, audioKey } from './mp3-upload.ts';
import type { AudioStore } from '../../storage/audio.ts';
import { answer, detail } from '../openapi/detail.ts';
import { headerRef, response } from '../openapi/responses.ts';
import type { UploadLinks } from './upload-links.ts';
import { UPLOAD } from '../../contract/limits.ts';
import { wireAnswer } from '../wire.ts';

interface AudioRouteServices {
  guard: Guard;
  audio: AudioStore;
  uploads: Uploads;
  uploadLinks: UploadLinks;
}

/** The upload routes. No body is read until it is known to be allowed. */
export function audioRoutes({ guard, uploadLinks, audio, uploads }: AudioRouteServices) {
  const { store, rateLimit } = uploads;
  return new Elysia()
    .use(guard)
    .put(
      '/audio/*',
      async ({ request, sender, set }) => {
        const { organizationId } = sender;
        const receipt = await store(request, { organizationId, key: audioKey(request.url) });
        Object.assign(set.headers, rateLimit(organizationId));
        return receipt;
      },
      {
        scope: 'captioner:audio:upload',
        response: { 200: wireAnswer(AudioObjectReceipt) },
        detail: detail({
          operationId: 'uploadAudio',
          summary: 'Upload an MP3',
          description:
            'The recording is stored for a short time, for the organization of the API key, under a name of your choice.',
          tags: ['Captioning'],
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
          requestBody: MP3_BODY,
          responses: { ...UPLOAD_ANSWERS, 400: response('BadUpload') },
        }),
      },
    )
    .delete(
      '/audio/*',
      async ({ request, sender }) => {
        const deleted = await audio.delete(sender.organizationId, audioKey(request.url));
        if (deleted) return new Response(null, { status: 204 });
        throw new Problem(
          404,
          'audio_not_found',
          'Your workspace has no recording under this key.',
        );
      },
      {
        scope: 'captioner:audio:upload',
        detail: detail({
          operationId: 'deleteAudio',
          summary: 'Delete a recording at once',
          description: 'A run that still needs the recording fails with `audio_not_found`.',
          tags: ['Captioning'],
          responses: {
            204: { description: 'The recording is deleted.' },
            400: response('BadUpload'),
            404: response('Problem'),
            415: response('Mp3Required'),
          },
        }),
      },
    )
    .put(
      '/uploads/:token',
      async ({ request, params }) =>
        uploadLinks.use(params.token, (grant) => store(request, grant)),
      {
        parse: 'none',
        response: { 200: wireAnswer(AudioObjectReceipt) },
        detail: detail({
          operationId: 'uploadByLink',
          summary: 'Upload an MP3 with an upload link',
          description: `Send it to the URL that the MCP tool \`create_upload_link\` returns, within ${UPLOAD.linkMinutes} minutes. It needs no key, works once, stores the MP3 under the key it was made for, and becomes invalid when the API key it was made with is revoked.`,
          tags: ['Captioning'],
          parameters: [
            {
              name: 'token',
              in: 'path',
              required: true,
              description: 'The signature of the link.',
              schema: { type: 'string' },
            },
          ],
          requestBody: MP3_BODY,
          responses: {
            ...UPLOAD_ANSWERS,
            400: response('BadUpload'),
            403: response('BadUploadLink'),
          },
        }),
      },
    );
}

/** The bytes of an MP3. Without a schema, some generators send no body, or JSON. */
export const MP3_BODY = {
  required: true,
  content: { 'audio/mpeg': { schema: { type: 'string', format: 'binary' } } },
};

/** The refusals of an upload, besides those of its address. */
export const UPLOAD_REFUSALS = {
  413: response('Mp3TooLarge'),
  408: response('UploadTooSlow'),
  415: response('Mp3Required'),
  429: response('TooManyUploads'),
  503: response('Unavailable'),
};

/** The possible responses to an upload. */
const UPLOAD_ANSWERS = {
  200: {
    headers: {
      RateLimit: headerRef('RateLimit'),
      'RateLimit-Policy': headerRef('RateLimitPolicy'),
    },
    ...answer('Stored.', {
      ok: true,
      key: 'talks/keynote.mp3',
      size: 14_400_000,
      mediaType: 'audio/mpeg',
    }),
  },
  ...UPLOAD_REFUSALS,
};
