/** PUT /audio/{key}: an MP3 on its way into the store, refused by its bytes. Contract 4 and 7.2. */
import { Elysia } from 'elysia';
import { mp3Required, mp3TooLarge, type AudioObjectReceipt } from '../contract/audio.ts';
import { MAX_UPLOAD_BYTES } from '../contract/limits.ts';
import { Mp3Sniffer } from '../speech/edge/mp3/sniff.ts';
import type { AudioStore } from '../storage/audio.ts';
import { audioKey } from './audio-key.ts';
import type { Authorize } from './guard.ts';
import { Problem } from './problems.ts';

export interface AudioRouteServices {
  authorize: Authorize;
  audio: AudioStore;
}

/** The route of uploads. The body is never read before the key is known to be allowed. */
export function audioRoutes({ authorize, audio }: AudioRouteServices) {
  return new Elysia().put(
    '/audio/*',
    async ({ request, route }) => {
      const { organizationId } = await authorize({ request, route }, 'captioner:audio:upload');
      const key = audioKey(request.url);
      if (!key.endsWith('.mp3')) throw notMp3('The key must end in .mp3.');
      refuseByHeaders(request.headers);
      const { size } = await audio.put(organizationId, key, checkedBody(request));
      const receipt: AudioObjectReceipt = { ok: true, key, size, mediaType: 'audio/mpeg' };
      return Response.json(receipt);
    },
    { parse: 'none' },
  );
}

/**
 * Refusals come while the body still does. The connection is left open, and what follows is thrown
 * away: closing it at once would cut off the answer of a client that is still sending.
 */
const notMp3 = (message: string): Problem =>
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

/** The body as it comes: counted, and looked into until it is known to be an MP3. */
async function* checkedBody(request: Request): AsyncIterable<Uint8Array> {
  const sniffer = new Mp3Sniffer();
  let verdict: 'unknown' | 'mp3' | 'not-mp3' = 'unknown';
  let size = 0;
  for await (const chunk of request.body ?? []) {
    size += chunk.byteLength;
    if (size > MAX_UPLOAD_BYTES) throw tooLarge();
    if (verdict === 'unknown') verdict = sniffer.push(chunk);
    if (verdict === 'not-mp3') throw notMp3('The bytes are not an MP3.');
    yield chunk;
  }
  if (size === 0) throw notMp3('The body is empty.');
  if (verdict === 'unknown' && sniffer.end() !== 'mp3') throw notMp3('The bytes are not an MP3.');
  const declared = request.headers.get('content-length');
  // A connection that broke off must not leave half a talk behind.
  if (declared !== null && Number(declared) !== size) {
    throw new Problem(400, 'incomplete_upload', 'The body is shorter than its Content-Length.');
  }
}
