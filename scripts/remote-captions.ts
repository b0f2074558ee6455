/** Captions recordings on a Captioner server instead of this machine. */
import { randomUUID } from 'node:crypto';
import { openAsBlob } from 'node:fs';
import type { CaptionerResult } from '../server/contract/results.ts';
import type { Translation } from '../server/contract/translations.ts';
import { CommandFailure } from './command-line.ts';
import type { Waiting } from '../server/concurrency.ts';
import type { Work } from './caption-recordings.ts';
import { uploadRecording } from './remote-upload.ts';
import { requestsTo } from './server-requests.ts';

/** The interval at which the state of a run is polled. */
const LOOK_EVERY_MS = 1000;

/** Connects to a server; nothing is sent before the first recording. */
export function connect(address: URL, key: string, waiting?: Pick<Waiting, 'pause'>): Work {
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
      const started = await send('POST', '/workflows/captioner', () => ({
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
        body: JSON.stringify(target),
      }));
      const { id } = (await started.json()) as Translation;
      for (;;) {
        const seen = (await (await send('GET', `${path}/${id}`)).json()) as Translation;
        if (seen.result) return seen.result;
        if (seen.finishedAt !== null) {
          throw new CommandFailure(seen.error?.message ?? `The translation is ${seen.state}.`);
        }
        report(seen.progress);
        await pause(LOOK_EVERY_MS);
      }
    },
  };
}
