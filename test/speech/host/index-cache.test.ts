/** The indexes of recordings between the pieces of their runs. */
import { expect, test } from 'bun:test';
import { uncounted } from '../../../server/compute.ts';
import { createIndexCache } from '../../../server/speech/host/pieces.ts';
import { source } from '../../mp3/support.ts';
import { never } from './engine-support.ts';
import { silentMp3 } from './silent-mp3.ts';

const audio = silentMp3(16, 1);

test('an index is built once per recording; the oldest of more than eight is built again', async () => {
  const indexOf = createIndexCache();
  let built = 0;
  const ask = (recording: string) =>
    indexOf(recording, audio, never, async (work) => {
      built += 1;
      return work();
    });
  const eight = Array.from({ length: 8 }, (_, at) => `recording ${at}`);
  for (const recording of [...eight, ...eight]) await ask(recording);
  expect(built).toBe(8);
  await ask('a ninth');
  await ask(eight[1]!);
  expect(built).toBe(9);
  await ask(eight[0]!);
  expect(built).toBe(10);
});

test('an index that could not be built is built again', async () => {
  const indexOf = createIndexCache();
  const silence = source(new Uint8Array(5000));
  await expect(indexOf('a', silence, never, uncounted)).rejects.toThrow();
  expect((await indexOf('a', audio, never, uncounted)).duration).toBeCloseTo(1, 1);
});
