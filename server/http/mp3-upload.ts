/** An MP3 on its way into the store, refused by its headers and its bytes. Contract 7.2. */
import { mp3Required, mp3TooLarge, type AudioObjectReceipt } from '../contract/audio.ts';
import { MAX_UPLOAD_BYTES } from '../contract/limits.ts';
import { Mp3Sniffer } from '../mp3/sniff.ts';
import type { AudioName, AudioStore } from '../storage/audio.ts';
import type { Metrics } from '../metrics.ts';
import { Problem, unavailable } from './problems.ts';

/** How long a connection may say nothing. */
export const IDLE_SECONDS = 60;

/** A body has this long, waiting for it alone counted, for each of these bytes. */
const PATIENCE = { ms: 50_000, bytes: 16_384 };

/**
 * Stores the body of a request under a key that has been checked.
 * @throws {Problem} 413, 415, 400 for a body that broke off or hardly comes, 503 while too many others
 *   are under way; then nothing is stored
 */
export type StoreUpload = (request: Request, name: AudioName) => Promise<AudioObjectReceipt>;

/**
 * Tells the runtime how many seconds a connection may be idle; 0: for ever. Bun takes a body that comes
 * slower than 16 KiB a second for idle.
 */
export type SetIdleTimeout = (request: Request, seconds: number) => void;

export interface UploadServices {
  audio: AudioStore;
  metrics: Metrics;
  /** Uploads that this process takes at once. */
  uploadsAtOnce: number;
  setIdleTimeout: SetIdleTimeout;
}

/** Makes the function that takes uploads. */
export function createUploads({
  audio,
  metrics,
  uploadsAtOnce,
  setIdleTimeout,
}: UploadServices): StoreUpload {
  let underWay = 0;
  return async (request, { organizationId, key }) => {
    refuseByHeaders(request.headers);
    if (underWay >= uploadsAtOnce) {
      throw unavailable('Too many uploads are under way. Try again soon.');
    }
    underWay += 1;
    metrics.uploading(1);
    // Whether it comes is seen to below.
    setIdleTimeout(request, 0);
    try {
      const { size } = await audio.put(organizationId, key, wholeBody(request, metrics));
      return { ok: true, key, size, mediaType: 'audio/mpeg' };
    } finally {
      underWay -= 1;
      metrics.uploading(-1);
      setIdleTimeout(request, IDLE_SECONDS);
    }
  };
}

/**
 * Refusals come while the body still does. The connection is left open, and what follows is thrown
 * away: closing it at once would cut off the answer of a client that is still sending.
 */
export const notMp3 = (message: string): Problem =>
  new Problem(415, 'mp3_required', message, { body: mp3Required(message) });

const tooLarge = (): Problem =>
  new Problem(413, 'upload_too_large', 'The upload is too large.', {
    body: mp3TooLarge(),
  });

/** What the headers already tell. */
function refuseByHeaders(headers: Headers): void {
  const type = headers.get('content-type')?.split(';')[0]?.trim().toLowerCase();
  if (type && type !== 'audio/mpeg' && type !== 'audio/mp3') {
    throw notMp3(`The media type ${type} is not audio/mpeg.`);
  }
  const encoding = headers.get('content-encoding')?.trim().toLowerCase();
  if (encoding && encoding !== 'identity') {
    throw notMp3('Send the MP3 as it is, without a content encoding.');
  }
  if (Number(headers.get('content-length') ?? 0) > MAX_UPLOAD_BYTES) throw tooLarge();
}

/** The bytes as they come: counted, and looked into until they are known to be an MP3. */
export async function* checkedMp3(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncIterable<Uint8Array> {
  const sniffer = new Mp3Sniffer();
  let verdict: 'unknown' | 'mp3' | 'not-mp3' = 'unknown';
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.byteLength;
    if (size > MAX_UPLOAD_BYTES) throw tooLarge();
    if (verdict === 'unknown') verdict = sniffer.push(chunk);
    if (verdict === 'not-mp3') throw notMp3('The bytes are not an MP3.');
    yield chunk;
  }
  if (size === 0) throw notMp3('The body is empty.');
  if (verdict === 'unknown' && sniffer.end() !== 'mp3') throw notMp3('The bytes are not an MP3.');
}

/**
 * A body as it comes. One that hardly does gives its place among the uploads to others: not every
 * runtime ends connections that say nothing, and a byte now and then would keep any of them.
 */
async function* arriving(body: ReadableStream<Uint8Array> | null): AsyncIterable<Uint8Array> {
  if (!body) return;
  const reader = body.getReader();
  let waited = 0;
  let received = 0;
  try {
    while (true) {
      const late = Promise.withResolvers<never>();
      const timer = setTimeout(
        () => late.reject(incomplete('The body came too slowly, and was given up.')),
        PATIENCE.ms - waited,
      );
      const asked = performance.now();
      // What fails here is the connection, which each runtime tells in words of its own.
      const read = reader.read().catch(() => {
        throw incomplete('The body broke off.');
      });
      const next = await Promise.race([read, late.promise]).finally(() => clearTimeout(timer));
      if (next.done) return;
      waited += performance.now() - asked;
      received += next.value.byteLength;
      if (received >= PATIENCE.bytes) waited = received = 0;
      yield next.value;
    }
  } finally {
    // Not awaited: a body that has stalled may never let go.
    reader.cancel().catch(() => {});
  }
}

const incomplete = (message: string): Problem => new Problem(400, 'incomplete_upload', message);

/** A connection that broke off must not leave half a talk behind. */
async function* wholeBody(request: Request, metrics: Metrics): AsyncIterable<Uint8Array> {
  let size = 0;
  for await (const chunk of checkedMp3(arriving(request.body))) {
    size += chunk.byteLength;
    metrics.received(chunk.byteLength);
    yield chunk;
  }
  const declared = request.headers.get('content-length');
  if (declared !== null && Number(declared) !== size) {
    throw incomplete('The body is shorter than its Content-Length.');
  }
}
