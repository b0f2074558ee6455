/** A recogniser process as the service sees it, with a script in its place that plays its answers. */
import { afterEach, expect, spyOn, test } from 'bun:test';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createEnginePool } from '../../../server/speech/host/engine-pool.ts';
import { startEngineChild } from '../../../server/speech/host/engine-child.ts';
import {
  encodeMessage,
  samplesToBytes,
  type EngineAnswer,
} from '../../../server/speech/host/engine-messages.ts';
import { never, tinyModelFolder } from './engine-support.ts';

const { folder } = await tinyModelFolder();
const own = process.execPath;
afterEach(() => {
  process.execPath = own;
});

/** Puts a script in the place of the program that runs the processes. It gives these answers after each request. */
async function script(request: Uint8Array[], ...answers: EngineAnswer[]): Promise<void> {
  const played = join(folder, 'answers');
  await writeFile(played, Buffer.concat(answers.flatMap((answer) => encodeMessage(answer))));
  process.execPath = join(folder, 'engine');
  const answer = `head -c ${Buffer.concat(request).length} > /dev/null; cat ${played}`;
  await writeFile(process.execPath, `#!/bin/sh\n${answer}; ${answer}; exec cat > /dev/null\n`);
  await chmod(process.execPath, 0o755);
}

const silence = new Float32Array(10 * 16_000);
const LOADED = { type: 'loaded' } as const;
const FAILED = { type: 'error', message: 'out of memory' } as const;
/** Starts a process that gives these answers to a request with silence. */
async function answering(kind: string, ...answers: EngineAnswer[]) {
  await script(encodeMessage({ model: modelOf(kind) }, samplesToBytes(silence)), ...answers);
  return startEngineChild();
}
const modelOf = (kind: string) => ({ kind, files: { model: '/none' } }) as never;

test.each([
  ['vad', 17_000],
  ['speakers', 35_000],
  ['nemo_ctc', 65_000],
  // Whisper pads the window to 30 seconds.
  ['whisper', 165_000],
])('%s: three minutes to load, and %d ms for ten seconds of audio', async (kind, limit) => {
  const [started, cleared] = [spyOn(globalThis, 'setTimeout'), spyOn(globalThis, 'clearTimeout')];
  try {
    const child = await answering(kind, LOADED, { type: 'segments', segments: [] });
    await child.ask(modelOf(kind), silence, never);
    child.kill();
    const timers = started.mock.calls.map(([, pause]) => Number(pause));
    expect(timers.filter((pause) => pause > 10_000)).toEqual([180_000, limit]);
    const ended: unknown[] = cleared.mock.calls.flat();
    for (const [at, pause] of timers.entries())
      if (pause > 10_000) expect(ended).toContain(started.mock.results[at]?.value);
  } finally {
    started.mockRestore();
    cleared.mockRestore();
  }
});

test('an error is an answer once the model is loaded, and a lost process before', async () => {
  const working = await answering('vad', LOADED, FAILED);
  expect(await working.ask(modelOf('vad'), silence, never)).toEqual(FAILED);
  expect(working.alive).toBe(true);
  working.kill();
  const failing = await answering('vad', FAILED);
  await expect(failing.ask(modelOf('vad'), silence, never)).rejects.toMatchObject({
    name: 'EngineLost',
    loading: true,
    message: 'out of memory',
  });
  failing.kill();
});

test('a request that was cancelled before it was sent ends with its reason', async () => {
  const child = await answering('vad', LOADED, FAILED);
  const asked = child.ask(modelOf('vad'), silence, AbortSignal.abort(new RangeError('enough')));
  await expect(asked).rejects.toThrow(RangeError);
  expect(child.alive).toBe(false);
});

test.each([
  // It searches for the terms in the same request.
  ['whisper', 10],
  // Another request has searched without the terms.
  ['nemo_transducer', 0],
])('%s with key terms recognised %d of 10 seconds of audio', async (kind, seconds) => {
  const told: number[] = [];
  const model = modelOf(kind);
  const hints = { terms: ['AuthKit'] };
  const heard = { words: [], language: 'en', languageProbability: 1, dropped: 0 };
  const request = encodeMessage({ model, ...hints }, samplesToBytes(silence));
  await script(request, LOADED, { type: 'words', heard });
  const pool = createEnginePool(1, (_, audio) => told.push(audio));
  for (let time = 0; time < 2; time += 1)
    expect(await pool.hear(model, silence, never, hints)).toEqual(heard);
  pool.close();
  expect(told).toEqual([seconds]);
});

test('the error of a request is passed on without a crash report and the folders of this host', async () => {
  const model = modelOf('vad');
  const message = 'no memory for /srv/models/vad.onnx\n=====\n#0 0x1234 in main';
  await script(encodeMessage({ model }, samplesToBytes(silence)), LOADED, {
    type: 'error',
    message,
  });
  const pool = createEnginePool(1);
  await expect(pool.findSpeech(model, silence, never)).rejects.toMatchObject({
    failure: { code: 'provider_bad_response', debug: { engine: 'no memory for vad.onnx' } },
  });
  pool.close();
});
