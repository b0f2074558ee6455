/** Stores the parts of resumable uploads as they arrive. */
import { RESUMABLE, UPLOAD } from '../../contract/limits.ts';
import type { ResumableUpload, ResumableUploads } from '../../storage/resumable-uploads.ts';
import { Problem } from '../problems.ts';
import { headerText, isEncoded, mediaTypeOf } from '../request.ts';
import { inParts, tooLong } from './divided-body.ts';
import { checkAudioKey, checkedMp3, notMp3, tooLarge, type Uploads } from './mp3-upload.ts';
import { byteCount, invalidHeader, metadataValue, OFFSET_MEDIA_TYPE } from './tus-headers.ts';

/** The size of a part, which is the most that is lost if the process dies. */
const PART_BYTES = 4 * 2 ** 20;
/** The seconds after which clients should request the state of an upload again. */
const BUSY_SECONDS = 2;
const TOO_MANY_SECONDS = 600;

/**
 * Creates the handlers.
 * @param audioTtlMs how long recordings, and so parts, are kept
 */
export function createResumableUploading(
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
    const parts = inParts(upload.received === 0 ? checkedMp3(body, null) : body, {
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
