/** Uploads recordings to a Captioner server, and resumes after a broken connection. */
import type { Requests } from './server-requests.ts';

/** The bytes of one request; progress is reported after each. */
const STEP_BYTES = 4 * 2 ** 20;
/** Smaller MP3s are sent in one request. */
const RESUMABLE_FROM = 2 ** 20;
const TUS = { 'tus-resumable': '1.0.0' };

/**
 * Uploads an MP3 under a key.
 * @param report called with the fraction that has arrived, from 0 to 1
 * @throws {CommandFailure} if the server refuses it, or cannot be reached for too long
 */
export async function uploadRecording(
  requests: Requests,
  audioKey: string,
  mp3: Blob,
  report: (fraction: number) => void,
): Promise<void> {
  const { send, once } = requests;
  const created =
    mp3.size < RESUMABLE_FROM
      ? null
      : await once('POST', '/resumable', {
          headers: {
            ...TUS,
            'upload-length': String(mp3.size),
            'upload-metadata': `key ${Buffer.from(audioKey).toString('base64')}`,
          },
        });
  const id = created?.ok ? created.headers.get('location')?.split('/').pop() : undefined;
  if (id === undefined) {
    // A server of an earlier version supports only this, and sends its own refusals.
    await send('PUT', `/audio/${audioKey}`, () => ({
      headers: { 'content-type': 'audio/mpeg' },
      body: mp3,
    }));
    return;
  }
  await sendSteps(requests, `/resumable/${id}`, mp3, report);
}

async function sendSteps(
  { send, once, refusal, isPassing, mostTries, pause }: Requests,
  path: string,
  mp3: Blob,
  report: (fraction: number) => void,
): Promise<void> {
  let offset = 0;
  let failures = 0;
  while (offset < mp3.size) {
    const response = await once('PATCH', path, {
      headers: {
        ...TUS,
        'content-type': 'application/offset+octet-stream',
        'upload-offset': String(offset),
      },
      body: mp3.slice(offset, offset + STEP_BYTES),
    });
    let next = Number(response?.headers.get('upload-offset') ?? Number.NaN);
    if (!response?.ok) {
      const mayGoOn = isPassing(response) || [409, 423].includes(response?.status ?? 0);
      if (!mayGoOn || failures >= mostTries) throw await refusal(response);
      await response?.body?.cancel();
      await pause(250 * 2 ** Math.min(failures, 5));
      failures += 1;
      const at = await send('HEAD', path, () => ({ headers: TUS }));
      next = Number(at.headers.get('upload-offset'));
    }
    if (next > offset) failures = 0;
    offset = next;
    report(offset / mp3.size);
  }
}
