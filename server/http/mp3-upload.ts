/** An MP3 on its way into the store, refused by its headers and its bytes. Contract 7.2. */
import { mp3Required, mp3TooLarge, type AudioObjectReceipt } from '../contract/audio.ts';
import { MAX_UPLOAD_BYTES } from '../contract/limits.ts';
import { Mp3Sniffer } from '../speech/edge/mp3/sniff.ts';
import type { AudioStore } from '../storage/audio.ts';
import { Problem } from './problems.ts';

/**
 * Stores the body of a request under a key that has been checked.
 * @throws {Problem} 413, 415, or 400 for a body that broke off; then nothing is stored
 */
export async function storeUpload(
  request: Request,
  audio: AudioStore,
  { organizationId, key }: { organizationId: string; key: string },
): Promise<AudioObjectReceipt> {
  refuseByHeaders(request.headers);
  const { size } = await audio.put(organizationId, key, wholeBody(request));
  return { ok: true, key, size, mediaType: 'audio/mpeg' };
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

/** A connection that broke off must not leave half a talk behind. */
async function* wholeBody(request: Request): AsyncIterable<Uint8Array> {
  let size = 0;
  for await (const chunk of checkedMp3(request.body ?? [])) {
    size += chunk.byteLength;
    yield chunk;
  }
  const declared = request.headers.get('content-length');
  if (declared !== null && Number(declared) !== size) {
    throw new Problem(400, 'incomplete_upload', 'The body is shorter than its Content-Length.');
  }
}
