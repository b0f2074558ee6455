/** Captions recordings on a Captioner server instead of this machine. */
import { randomUUID } from 'node:crypto';
import { openAsBlob } from 'node:fs';
import type { CaptionerResult } from '../server/contract/results.ts';
import { sentCue } from '../server/captions/cue.ts';
import type { Translation } from '../server/contract/translations.ts';
import { CommandFailure } from './command-line.ts';
import type { Waiting } from '../server/base/concurrency.ts';
import type { Work } from './caption-recordings.ts';
import { requestsTo, type Requests } from './server-requests.ts';
import type { FileTranslator } from './translate-files.ts';

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
async function uploadRecording(
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

/** Waits for a translation. @throws {CommandFailure} it has failed */
async function awaitTranslation(
  { send, pause }: Requests,
  path: string,
  report: (progress: number) => void,
) {
  for (;;) {
    const seen = (await (await send('GET', path)).json()) as Translation;
    if (seen.result) return seen.result;
    if (seen.finishedAt !== null) {
      throw new CommandFailure(seen.error?.message ?? `The translation is ${seen.state}.`);
    }
    report(seen.progress);
    await pause(LOOK_EVERY_MS);
  }
}

/** How a server is used. */
interface ServerOptions {
  /** What translates; default: the first that is configured there. */
  engine?: string | undefined;
  /** The number of speakers; default: found. */
  speakers?: number;
  /** Default: real time. */
  waiting?: Pick<Waiting, 'pause'>;
}

/** Connects to a server to translate captions. */
export function connectTranslator(
  address: URL,
  key: string,
  { engine, waiting }: ServerOptions = {},
): FileTranslator {
  const requests = requestsTo(address, key, waiting);
  return {
    engine: address.host,
    async translate(captions, { language, profile, from }, report) {
      const cues = captions.map(sentCue);
      const body = {
        language,
        profile,
        ...(engine && { provider: engine }),
        ...(from !== null && { sourceLanguage: from }),
        cues,
      };
      const started = await requests.send('POST', '/translations', () => ({
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }));
      const { id } = (await started.json()) as Translation;
      return awaitTranslation(requests, `/translations/${id}`, report);
    },
  };
}

/** The interval at which the state of a run is polled. */
const LOOK_EVERY_MS = 1000;

/** Connects to a server; nothing is sent before the first recording. */
export function connect(
  address: URL,
  key: string,
  { engine, speakers, waiting }: ServerOptions = {},
): Work {
  const requests = requestsTo(address, key, waiting);
  const { send, pause } = requests;

  return {
    async caption(mp3, payload, report, words) {
      const audioKey = `shell/${randomUUID()}.mp3`;
      const recording = await openAsBlob(mp3, { type: 'audio/mpeg' });
      report('storage', 0);
      await uploadRecording(requests, audioKey, recording, (fraction) =>
        report('storage', fraction),
      );
      const idempotencyKey = randomUUID();
      const start = `/workflows/captioner${speakers ? `?speakers=${speakers}` : ''}`;
      const started = await send('POST', start, () => ({
        headers: { 'content-type': 'application/json', 'idempotency-key': idempotencyKey },
        body: JSON.stringify({ ...payload, audio: { ...payload.audio, key: audioKey } }),
      }));
      const { runId } = (await started.json()) as { runId: string };
      let heardUntil = 0;
      /** Shows new words; a server of an earlier version has none. */
      const listen = async () => {
        const path = `/workflows/captioner/${runId}/partial-transcript?after=${heardUntil}`;
        const heard = (await send('GET', path)
          .then((response) => response.json())
          .catch(() => null)) as { position: number; parts: { text: string }[] } | null;
        heardUntil = heard?.position ?? NaN;
        for (const { text } of heard?.parts ?? []) words(text);
      };
      for (;;) {
        const run = (await (await send('GET', `/workflows/captioner/${runId}`)).json()) as {
          stage: string | null;
          progress: number;
          envelope?: { result: CaptionerResult };
        };
        if (run.envelope) return run.envelope.result;
        report(run.stage ?? 'payload', run.progress);
        if (process.stderr.isTTY && heardUntil >= 0) await listen();
        await pause(LOOK_EVERY_MS);
      }
    },
    async translate({ id: runId }, _payload, target, report) {
      const path = `/workflows/captioner/${runId}/translations`;
      const started = await send('POST', path, () => ({
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ ...target, ...(engine && { provider: engine }) }),
      }));
      const { id } = (await started.json()) as Translation;
      return awaitTranslation(requests, `${path}/${id}`, report);
    },
  };
}
