/** Accepts an MP3 upload under a key, or refuses it by its headers and content. Contract 7.2. */
import type { Static } from '../../contract/schema.ts';
import { randomUUID } from 'node:crypto';
import { mp3Required, mp3TooLarge, type AudioObjectReceipt } from '../../contract/audio.ts';
import { Mp3Sniffer } from '../../mp3/sniff.ts';
import type { AudioName, AudioStore } from '../../storage/audio.ts';
import type { Metrics } from '../../base/metrics.ts';
import { type Stopping } from '../stopping.ts';
import { type UploadClock, incomingBody, incomplete } from '../bodies/incoming-body.ts';
import { createUploadSlots } from './upload-slots.ts';
import { pathOf, isEncoded, mediaTypeOf } from '../request.ts';
import { Problem } from '../problems.ts';
import { UPLOAD } from '../../contract/limits.ts';
import { remoteNetwork } from '../../identity/networks.ts';

/** The time for which a connection without an upload may be silent. */
export const IDLE_SECONDS = 60;

/**
 * Stores the body of a request under a validated key. The body is read only after a slot and space are reserved for
 * it. If it throws, nothing is stored.
 * @throws {Problem} 413, 415, 400 for an incomplete body, 408 for one that is too slow, 429 if the workspace or its
 *   network uses all its slots, 503 if all are taken
 * @throws {QuotaExceeded} @throws {DiskReserveReached}
 */
type StoreUpload = (
  request: Request,
  name: AudioName,
) => Promise<Static<typeof AudioObjectReceipt>>;

export type Uploads = ReturnType<typeof createUploads>;

/**
 * Sets the seconds for which a connection may be idle; 0 for no limit. To Bun, a body slower than 16 KiB a second is
 * idle.
 */
export type SetIdleTimeout = (request: Request, seconds: number) => void;

interface UploadServices {
  audio: AudioStore;
  metrics: Metrics;
  /** Simultaneous uploads to this process. */
  uploadsAtOnce: number;
  /** The share of these for one workspace. */
  uploadsPerWorkspace: number;
  /** The share of these for one network (an IPv4 /24, an IPv6 /48). */
  uploadsPerNetwork: number;
  /** The address of the client that sent a request. */
  clientAddress(request: Request): string;
  setIdleTimeout: SetIdleTimeout;
  /** Default: the process does not stop. */
  stopping?: Stopping;
  /** For tests; default: the machine's clock. */
  uploadClock?: UploadClock;
}

/** Creates the function that accepts uploads, and the headers about their limit. */
export function createUploads({
  audio,
  metrics,
  uploadsAtOnce,
  uploadsPerWorkspace,
  uploadsPerNetwork,
  clientAddress,
  setIdleTimeout,
  stopping,
  uploadClock,
}: UploadServices) {
  const slots = createUploadSlots({
    atOnce: uploadsAtOnce,
    perWorkspace: uploadsPerWorkspace,
    perNetwork: uploadsPerNetwork,
  });
  /**
   * Passes the body of a request to `work`, with one of the upload slots and a minimum speed.
   * @throws {Problem} 429 if the workspace or its network uses all its slots, 503 if all are taken; any error of
   *   reading the body
   */
  const receive = async <T>(
    request: Request,
    organizationId: string,
    work: (body: AsyncIterable<Uint8Array>) => Promise<T>,
  ): Promise<T> => {
    const leave = slots.take(organizationId, remoteNetwork(clientAddress(request)));
    metrics.uploading(1);
    // incomingBody enforces the minimum speed instead.
    setIdleTimeout(request, 0);
    try {
      return await work(
        incomingBody(request.body, uploadClock, stopping?.closing, metrics.received),
      );
    } finally {
      leave();
      metrics.uploading(-1);
      setIdleTimeout(request, IDLE_SECONDS);
    }
  };
  const store: StoreUpload = async (request, { organizationId, key }) => {
    refuseByHeaders(request.headers);
    const declared = declaredBytes(request.headers);
    const announced = Number.isSafeInteger(declared) ? declared : undefined;
    return receive(request, organizationId, async (body) => {
      const mp3 = checkedMp3(body, { bytes: declared });
      const { size } = await audio.put(organizationId, key, mp3, announced);
      return { ok: true, key, size, mediaType: 'audio/mpeg' };
    });
  };
  return {
    store,
    receive /** The RateLimit headers: the number of further uploads that a workspace may run at the same time. */,
    rateLimit: slots.rateLimit,
  };
}

/**
 * The refusal of a recording that is not MP3. Refusals are sent while the body is still arriving; the connection stays
 * open and the rest is discarded, because closing it would cut off the response to a client that is still sending.
 */
export const notMp3 = (message: string): Problem =>
  new Problem(415, 'mp3_required', message, { body: mp3Required(message) });

/** The refusal of a recording beyond the size limit. */
export const tooLarge = (): Problem =>
  new Problem(413, 'upload_too_large', 'The upload is too large.', {
    body: mp3TooLarge(),
  });

/** Refuses a request by its headers alone. */
function refuseByHeaders(headers: Headers): void {
  if (Number(headers.get('content-length')) > UPLOAD.maxBytes) throw tooLarge();
  const type = mediaTypeOf(headers);
  if (type === '') throw notMp3('Send the header Content-Type: audio/mpeg.');
  if (type !== 'audio/mpeg') throw notMp3(`The media type ${type} is not audio/mpeg.`);
  if (isEncoded(headers)) throw notMp3('Send the MP3 without a content encoding.');
}

/** The size of a body according to its headers; undefined if they do not give it. */
function declaredBytes(headers: Headers): number | undefined {
  const length = headers.get('content-length');
  return length === null ? undefined : Number(length);
}

/**
 * Passes bytes on as they arrive, counting them, and inspecting them until they are known to be MP3. A body that is
 * shorter than announced is refused, so that a broken connection does not leave half a talk behind.
 * @param whole the announced size, if there is one; null if the recording does not end with these bytes, and may not yet
 *   be known to be MP3 then
 */
export async function* checkedMp3(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  whole: { bytes?: number | undefined } | null = {},
): AsyncIterable<Uint8Array> {
  const sniffer = new Mp3Sniffer();
  let verdict: 'unknown' | 'mp3' | 'not-mp3' = 'unknown';
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.byteLength;
    if (size > UPLOAD.maxBytes) throw tooLarge();
    if (verdict === 'unknown') verdict = sniffer.push(chunk);
    if (verdict === 'not-mp3') throw notMp3('The file is not an MP3.');
    yield chunk;
  }
  if (!whole) return;
  if (size === 0) throw notMp3('The body is empty.');
  if (verdict === 'unknown' && sniffer.end() !== 'mp3') throw notMp3('The file is not an MP3.');
  if (size !== (whole.bytes ?? size)) {
    throw incomplete('The body is shorter than its Content-Length.');
  }
}

/**
 * The key in an address under /audio/. It may contain slashes and any Unicode, and ends in .mp3.
 * @throws {Problem} 400 `invalid_key` for escapes that are not UTF-8, control characters, empty
 *   segments, `.` and `..`, and for more than 1,024 bytes; 415 for one that does not end in .mp3
 */
export function audioKey(url: string): string {
  return checkAudioKey(decode(pathOf(url).slice('/audio/'.length)));
}

/** A key for a recording without a name. */
export const newAudioKey = (): string => `mcp/${randomUUID()}.mp3`;

/**
 * Validates a key, whatever its source.
 * @throws {Problem} as above
 */
export function checkAudioKey(key: string): string {
  if (key === '') throw invalid('The key is empty.');
  if (new TextEncoder().encode(key).byteLength > UPLOAD.maxKeyBytes) {
    throw invalid(`The key is longer than ${UPLOAD.maxKeyBytes} bytes.`);
  }
  // oxlint-disable-next-line no-control-regex
  if (/[\u0000-\u001f\u007f]/.test(key)) throw invalid('The key contains a control character.');
  for (const segment of key.split('/')) {
    if (segment === '') throw invalid('The key has an empty segment.');
    if (segment === '.' || segment === '..')
      throw invalid('The key must not have a segment "." or "..".');
  }
  if (!key.endsWith('.mp3')) throw notMp3('The key must end in .mp3.');
  return key;
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    throw invalid('The key is not valid percent-encoded UTF-8.');
  }
}

const invalid = (message: string): Problem => new Problem(400, 'invalid_key', message);
