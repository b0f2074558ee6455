/** /resumable: uploads by the tus protocol 1.0.0 (tus.io), which continue where they stopped after a broken connection. */
import type { Static } from '../../contract/schema.ts';
import { Elysia } from 'elysia';
import { ResumableUploadState } from '../../contract/audio.ts';
import type { AudioStore } from '../../storage/audio.ts';
import type { Database } from '../../storage/database.ts';
import {
  createResumableUploads,
  type ResumableUpload,
  type ResumableUploads,
} from '../../storage/resumable-uploads.ts';
import type { Guard } from '../identity/guard.ts';
import { type PublicAddress, pathOf, headerText, isEncoded, mediaTypeOf } from '../request.ts';
import { type Uploads, checkedMp3, notMp3, tooLarge, checkAudioKey } from './mp3-upload.ts';
import { HIDDEN, answer, detail } from '../openapi/detail.ts';
import { Problem } from '../problems.ts';
import { response } from '../openapi/responses.ts';
import { UPLOAD, RESUMABLE } from '../../contract/limits.ts';
import { wireAnswer } from '../wire.ts';

/** The errors that end a body early although the bytes so far are good: the connection broke, or was too slow. */
const BREAKS = new Set(['incomplete_upload', 'upload_too_slow']);

/**
 * Divides a body.
 * @param partBytes the size of every part except the last
 * @param room the most bytes that the body may have
 * @throws from a part: {@link Problem} 400 `upload_too_long` beyond the room; any other error of the body
 */
export function inParts(
  body: AsyncIterable<Uint8Array>,
  { partBytes, room }: { partBytes: number; room: number },
) {
  const source = body[Symbol.asyncIterator]();
  let rest: Uint8Array | null = null;
  let total = 0;
  let isOver = false;
  let failure: Problem | null = null;

  const pull = async (): Promise<Uint8Array | null> => {
    if (rest) {
      const chunk = rest;
      rest = null;
      return chunk;
    }
    while (!isOver) {
      const next = await source.next().catch((error: unknown) => {
        if (!(error instanceof Problem) || !BREAKS.has(error.code)) throw error;
        failure = error;
        return { done: true as const, value: undefined };
      });
      if (next.done) isOver = true;
      else if (next.value.byteLength > 0) {
        total += next.value.byteLength;
        if (total > room) throw tooLong();
        return next.value;
      }
    }
    return null;
  };

  async function* part(first: Uint8Array): AsyncIterable<Uint8Array> {
    let left = partBytes;
    for (let chunk: Uint8Array | null = first; chunk; chunk = left > 0 ? await pull() : null) {
      const taken = chunk.subarray(0, left);
      if (chunk.byteLength > left) rest = chunk.subarray(left);
      left -= taken.byteLength;
      yield taken;
    }
  }

  return {
    /** The next part; null at the end of the body. Read each part to its end before the next one. */
    async next(): Promise<AsyncIterable<Uint8Array> | null> {
      const first = await pull();
      return first && part(first);
    },
    /** The reason why the body ended early; null if it did not. */
    failure: (): Problem | null => failure,
  };
}

/** The problem of a body with more bytes than its upload lacks. */
const tooLong = (): Problem =>
  new Problem(400, 'upload_too_long', 'The body has more bytes than Upload-Length allows.');

/** The size of a part, which is the most that is lost if the process dies. */
const PART_BYTES = 4 * 2 ** 20;
/** The seconds after which clients should request the state of an upload again. */
const BUSY_SECONDS = 2;
const TOO_MANY_SECONDS = 600;

/**
 * Creates the handlers.
 * @param audioTtlMs how long recordings, and so parts, are kept
 */
function createResumableUploading(
  {
    resumable,
    uploads,
    audioTtlMs,
  }: {
    resumable: ResumableUploads;
    uploads: Uploads;
    audioTtlMs: number;
  },
  now: () => number = Date.now,
) {
  const lifetimeMs = Math.min(RESUMABLE.hours * 3_600_000, audioTtlMs);
  /**
   * Uploads of which this process is storing a part or the recording. A client whose connection broke immediately asks
   * for the offset, and would otherwise get one that is about to change.
   */
  const storing = new Map<string, Promise<void>>();

  const find = async (organizationId: string, id: string): Promise<ResumableUpload> => {
    await storing.get(id);
    const upload = await resumable.find(organizationId, id);
    if (!upload) throw unknownUpload();
    if (upload.expiresAt <= now()) {
      throw new Problem(410, 'upload_expired', 'This upload has expired. Start another.');
    }
    return upload;
  };

  /** Appends a part. Requests about the upload wait while its bytes are being stored. */
  const append = async (upload: ResumableUpload, part: AsyncIterable<Uint8Array>) => {
    const { id, length, received } = upload;
    const done = Promise.withResolvers<void>();
    async function* watched() {
      yield* part;
      storing.set(id, done.promise);
    }
    try {
      const mostBytes = Math.min(PART_BYTES, length - received);
      return await resumable.append(upload, watched(), mostBytes, checkedMp3);
    } finally {
      done.resolve();
      if (storing.get(id) === done.promise) storing.delete(id);
    }
  };

  const takeParts = async (upload: ResumableUpload, body: AsyncIterable<Uint8Array>) => {
    let current = upload;
    const parts = inParts(upload.received === 0 ? checkedMp3(body, false) : body, {
      partBytes: PART_BYTES,
      room: upload.length - upload.received,
    });
    for (let part = await parts.next(); part; part = await parts.next()) {
      const after = await append(current, part);
      if (typeof after === 'string') {
        const { received } = await find(upload.organizationId, upload.id);
        throw after === 'busy' ? busy() : elsewhere(received);
      }
      current = after;
    }
    const failure = parts.failure();
    if (failure) throw failure;
    return current;
  };

  return {
    /** An upload that can continue. @throws {Problem} 404, 410 once it has expired */
    find,
    /** Starts an upload from the headers of a request. @throws {Problem} 400, 413, 415, 429 */
    async begin({ headers }: Request, organizationId: string): Promise<ResumableUpload> {
      if (headers.has('upload-defer-length')) {
        throw invalidHeader('Upload-Defer-Length is not supported: send Upload-Length.');
      }
      const key = metadataValue(headers, 'key');
      if (key === null) {
        throw invalidHeader(
          'Upload-Metadata must have a key, in base64: the name of the recording.',
        );
      }
      checkAudioKey(key);
      const length = byteCount(headers, 'Upload-Length');
      if (length > UPLOAD.maxBytes) throw tooLarge();
      if (length === 0) throw notMp3('The recording is empty.');
      const upload = await resumable.create(
        {
          organizationId,
          key,
          metadata: headerText(headers, 'upload-metadata'),
          length,
          expiresAt: now() + lifetimeMs,
        },
        RESUMABLE.maxUploads,
      );
      if (upload) return upload;
      throw new Problem(
        429,
        'rate_limited',
        `This workspace has ${RESUMABLE.maxUploads} unfinished uploads. Finish or delete some.`,
        { headers: { 'retry-after': String(TOO_MANY_SECONDS) } },
      );
    },
    /**
     * Takes the body of a request; the last byte completes the recording.
     * @returns the upload afterwards
     * @throws {Problem} 409 if the upload is at another offset, 423 while another process finishes it, 400 for too many
     *   bytes or parts, 415 if the recording is not MP3, in which case the upload is deleted; any error of receiving a
     *   body
     */
    async take(
      request: Request,
      upload: ResumableUpload,
      offset: number,
    ): Promise<ResumableUpload> {
      refuseByHeaders(request.headers, upload, offset);
      if ((await resumable.countParts(upload.id)) >= RESUMABLE.maxParts) {
        throw new Problem(400, 'too_many_parts', 'Send more bytes in each request.');
      }
      try {
        return await uploads.receive(request, upload.organizationId, (body) =>
          takeParts(upload, body),
        );
      } catch (error) {
        // More bytes cannot make it an MP3.
        if (error instanceof Problem && error.status === 415) await resumable.discard(upload);
        throw error;
      }
    },
  };
}

function refuseByHeaders(headers: Headers, upload: ResumableUpload, offset: number): void {
  if (mediaTypeOf(headers) !== OFFSET_MEDIA_TYPE || isEncoded(headers)) {
    throw new Problem(
      415,
      'unsupported_media_type',
      `Send the bytes as ${OFFSET_MEDIA_TYPE}, without a content encoding.`,
    );
  }
  if (offset !== upload.received) throw elsewhere(upload.received);
  if (Number(headers.get('content-length')) > upload.length - offset) throw tooLong();
}

/** 404: the workspace has no such upload. */
const unknownUpload = (): Problem =>
  new Problem(404, 'upload_not_found', 'There is no such upload.');

const elsewhere = (received: number): Problem =>
  new Problem(409, 'offset_mismatch', `The upload continues at byte ${received}.`, {
    headers: { 'upload-offset': String(received) },
  });

const busy = (): Problem =>
  new Problem(423, 'upload_busy', 'The upload is being completed. Request its state again soon.', {
    headers: { 'retry-after': String(BUSY_SECONDS) },
  });

/** The address of resumable uploads. */
const RESUMABLE_PATH = '/resumable';
/** The media type of bytes that continue an upload. */
const OFFSET_MEDIA_TYPE = 'application/offset+octet-stream';

const VERSION = '1.0.0';
const SPOKEN: [string, string][] = [['tus-resumable', VERSION]];
const CAPABILITIES: [string, string][] = [
  ...SPOKEN,
  ['tus-version', VERSION],
  ['tus-extension', 'creation,creation-with-upload,expiration,termination'],
  ['tus-max-size', String(UPLOAD.maxBytes)],
];

/** The headers of every response under RESUMABLE_PATH, including errors; OPTIONS adds what the server supports. */
export function tusHeaders(request: Request): readonly [string, string][] {
  const path = pathOf(request.url);
  if (!path.startsWith(RESUMABLE_PATH)) return [];
  const rest = path.charAt(RESUMABLE_PATH.length);
  if (rest !== '' && rest !== '/') return [];
  return request.method === 'OPTIONS' ? CAPABILITIES : SPOKEN;
}

/**
 * Refuses other versions of the protocol.
 * @param mayBeMissing whether the header is optional, as for a plain GET that only asks for the state
 * @throws {Problem} 412
 */
function requireTus(headers: Headers, mayBeMissing = false): void {
  const asked = headers.get('tus-resumable');
  if (asked === VERSION || (asked === null && mayBeMissing)) return;
  throw new Problem(412, 'tus_version', `Send the header Tus-Resumable: ${VERSION}.`, {
    headers: { 'tus-version': VERSION },
  });
}

/** A number of bytes in a header. @throws {Problem} 400 `invalid_header` if it is missing or not a number */
function byteCount(headers: Headers, name: 'Upload-Length' | 'Upload-Offset'): number {
  const given = headers.get(name);
  if (given !== null && /^\d{1,15}$/.test(given)) return Number(given);
  throw invalidHeader(`${name} must be a number of bytes.`);
}

/**
 * A value of Upload-Metadata, which holds pairs of a name and a base64 value, separated by commas.
 * @throws {Problem} 400 `invalid_header`
 */
export function metadataValue(headers: Headers, name: string): string | null {
  const header = headerText(headers, 'upload-metadata');
  if (header.length > RESUMABLE.maxMetadataChars) {
    throw invalidHeader(`Upload-Metadata is longer than ${RESUMABLE.maxMetadataChars} characters.`);
  }
  for (const pair of header.split(',')) {
    const [found, value = '', ...more] = pair.trim().split(' ');
    if (found !== name) continue;
    if (more.length > 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(value) || value.length % 4 !== 0) {
      throw invalidHeader(`${name} in Upload-Metadata must be in base64.`);
    }
    try {
      return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(value, 'base64'));
    } catch {
      throw invalidHeader(`${name} in Upload-Metadata must be UTF-8.`);
    }
  }
  return null;
}

/** The problem of a missing or invalid header. */
const invalidHeader = (message: string): Problem => new Problem(400, 'invalid_header', message);

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

/** The headers that say how far an upload is, and until when it can continue. */
const progress = ({ received, expiresAt }: ResumableUpload): Record<string, string> => ({
  'upload-offset': String(received),
  'upload-expires': new Date(expiresAt).toUTCString(),
});

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
