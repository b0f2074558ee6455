/** Voice activity in the real engine, with a model that takes loud samples for speech. */
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startEngineChild } from '../../../server/speech/host/engine-child.ts';
import { createEnginePool } from '../../../server/speech/host/engine-pool.ts';
import { writeTinyVoiceActivity } from '../../support/doubles/tiny-voice-activity.ts';
import { never, tinyModelFolder } from './engine-support.ts';

setDefaultTimeout(120_000);

const { folder, tiny } = await tinyModelFolder();
const voices = { kind: 'vad' as const, files: { model: join(folder, 'voices.onnx') } };
await writeTinyVoiceActivity(voices.files.model);
const pool = createEnginePool(1);
afterAll(() => pool.close());

/** Sound of a loudness from one second to another, several times; silence elsewhere. */
const sound = (seconds: number, loudness: number, ...parts: [from: number, to: number][]) =>
  Float32Array.from({ length: seconds * 16_000 }, (_, at) =>
    parts.some(([from, to]) => at >= from * 16_000 && at < to * 16_000) ? loudness : 0,
  );
const speechIn = async (samples: Float32Array) =>
  (await pool.findSpeech(voices, samples, never)).map(({ start, end }) => [
    Math.round(start * 10) / 10,
    Math.round(end * 10) / 10,
  ]);

describe('speech', () => {
  test.each<[string, Float32Array, number[][]]>([
    ['has a chance of more than a half', sound(3, 0.55, [1, 2]), [[1, 2.1]]],
    ['does not have a smaller one', sound(3, 0.45, [1, 2]), []],
    ['lasts a quarter of a second', sound(3, 0.8, [1, 1.32]), [[1, 1.4]]],
    ['is not shorter', sound(3, 0.8, [1, 1.2]), []],
    ['goes on after a short pause', sound(4, 0.8, [1, 1.6], [2, 3]), [[1, 3.1]]],
    ['is cut in a pause of half a second', sound(4, 0.8, [1, 1.4], [2, 3]), [[1, 1.5], [2, 3.1]]], // prettier-ignore
    ['may go on to the end', sound(3, 0.8, [2, 3]), [[2, 2.9]]],
  ])('%s', async (_, samples, found) => {
    expect(await speechIn(samples)).toEqual(found);
  });

  test('is cut after 25 seconds where it is less clear', async () => {
    const [first, ...others] = await speechIn(sound(30, 0.7, [1, 29]));
    expect(first![1]).toBeGreaterThan(25);
    expect(first![1]).toBeLessThan(27);
    expect(others).toHaveLength(1);
  });
});

test('nothing is kept from one call to the next', async () => {
  const first = await speechIn(sound(3, 0.8, [1, 2]));
  await speechIn(sound(2, 0.8, [1.5, 2]));
  expect(await speechIn(sound(3, 0.8, [1, 2]))).toEqual(first);
});

test('another model of voice activity is loaded in place of the first', async () => {
  await speechIn(sound(1, 0.8));
  const damaged = join(folder, 'damaged.onnx');
  await writeFile(damaged, 'this is no model');
  const asked = pool.findSpeech({ kind: 'vad', files: { model: damaged } }, sound(1, 0.8), never);
  await expect(asked).rejects.toMatchObject({ failure: { code: 'model_unavailable' } });
});

test('a process holds a model of voice activity beside one that recognises', async () => {
  const recogniser = {
    kind: 'nemo_ctc' as const,
    files: { model: join(tiny, 'model.onnx'), tokens: join(tiny, 'tokens.txt') },
  };
  const child = startEngineChild();
  const held = () => [child.has(voices), child.has(recogniser)];
  await child.ask(voices, sound(1, 0.8), never);
  expect(held()).toEqual([true, false]);
  await child.ask(recogniser, sound(1, 0.8), never);
  expect(held()).toEqual([true, true]);
  child.kill();
});
