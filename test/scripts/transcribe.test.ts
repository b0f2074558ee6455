/** The pipeline of the caption command: a file on this machine is captioned, stays, and can be interrupted. */
import { afterAll, afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openTranscriber } from '../../scripts/transcribe.ts';
import { readConfig } from '../../server/config.ts';
import { resolvePayload } from '../../server/contract/payload.ts';
import { startHttpDouble } from '../support/doubles/http-double.ts';
import { DEEPGRAM_KEY } from '../support/doubles/provider-keys.ts';
import { deepgramAnswer, deepgramWire, TALK } from '../support/doubles/speech-doubles.ts';
import type { Any } from '../support/servers/client.ts';
import { chirp } from '../support/servers/pipeline-run.ts';
import { removeFolder, temporaryFolder } from '../support/servers/server-process.ts';

const folder = await temporaryFolder();
const temporary = join(folder, 'temporary');
const mp3 = join(folder, 'talk.mp3');
await mkdir(temporary);
await writeFile(mp3, chirp);
const deepgram = await startHttpDouble(deepgramWire(deepgramAnswer(TALK)));
const { TMPDIR } = process.env;
beforeEach(() => void (process.env['TMPDIR'] = temporary));
afterEach(() => {
  deepgram.behave(null);
  if (TMPDIR === undefined) delete process.env['TMPDIR'];
  else process.env['TMPDIR'] = TMPDIR;
});
afterAll(async () => {
  await deepgram.close();
  await removeFolder(folder);
});

const config = readConfig({
  DEEPGRAM_API_KEY: DEEPGRAM_KEY,
  DEEPGRAM_BASE_URL: deepgram.origin,
  MODELS_DIR: join(folder, 'models'),
  LOG_LEVEL: 'error',
});
const request = resolvePayload({
  audio: { key: 'talk.mp3' },
  transcription: { provider: 'deepgram' },
});

test('a recording is captioned and stays; its stages and words are reported', async () => {
  const transcriber = await openTranscriber(config);
  expect(await readdir(temporary)).toHaveLength(1);
  const stages = new Set<string>();
  const words: string[] = [];
  const began = Date.now();
  const results = [];
  for (let count = 0; count < 2; count += 1) {
    results.push(
      await transcriber.caption(
        mp3,
        request,
        (stage, progress) => {
          stages.add(stage);
          expect(progress).toBeWithin(0, 1.001);
        },
        (text) => words.push(text),
      ),
    );
  }
  await transcriber.close();
  const [first, second]: Any[] = results;
  expect(first).toMatchObject({
    status: 'completed',
    transcript: { text: expect.stringContaining('Welcome to') },
    input: { source: { key: 'talk.mp3' } },
  });
  expect(first.id).toMatch(/^run_/);
  expect(second.id).not.toBe(first.id);
  expect(first.metadata.timingsMs.total).toBeWithin(0, Date.now() - began + 1);
  expect([...stages]).toEqual(expect.arrayContaining(['payload', 'transcription', 'captioning']));
  expect(words.join(' ')).toContain('Thank you.');
  expect(Buffer.compare(await readFile(mp3), chirp)).toBe(0);
  expect(await readdir(temporary)).toEqual([]);
});

test.each(['SIGINT', 'SIGTERM'] as const)('%s cancels the recording under way', async (signal) => {
  deepgram.behave(() => ({ fault: 'hang' }));
  const sent = deepgram.requests.length;
  const transcriber = await openTranscriber(config);
  const done = transcriber.caption(
    mp3,
    request,
    () => {},
    () => {},
  );
  while (deepgram.requests.length === sent) await new Promise((resolve) => setImmediate(resolve));
  process.emit(signal);
  expect(await done).toMatchObject({
    status: 'failed',
    error: { code: 'cancelled', message: 'Cancelled.', retryable: false },
  });
  await transcriber.close();
});
