/** Recogniser processes between requests. */
import { expect, setDefaultTimeout, spyOn, test } from 'bun:test';
import { join } from 'node:path';
import { onChild } from '../../../server/speech/host/child-processes.ts';
import { createEnginePool } from '../../../server/speech/host/engine-pool.ts';
import { writeTinyModel } from '../../support/doubles/tiny-model.ts';
import { until } from '../../support/servers/client.ts';
import { never, tinyModelFolder } from './engine-support.ts';

setDefaultTimeout(120_000);

const { folder, tiny } = await tinyModelFolder();
const modelIn = (inside: string) => ({
  kind: 'nemo_ctc' as const,
  files: { model: join(inside, 'model.onnx'), tokens: join(inside, 'tokens.txt') },
});
const model = modelIn(tiny);

test('a process that is used again is not ended as an idle one', async () => {
  const pool = createEnginePool(1);
  const handles: ReturnType<typeof setTimeout>[] = [];
  const start = globalThis.setTimeout;
  const timers = spyOn(globalThis, 'setTimeout').mockImplementation(((
    run: () => void,
    pause: number,
  ) => {
    const handle = start(run, pause);
    if (pause === 60_000) handles.push(handle);
    return handle;
  }) as never);
  const cleared = spyOn(globalThis, 'clearTimeout');
  try {
    await pool.recognize(model, new Float32Array(16_000), never);
    expect(handles).toHaveLength(1);
    await pool.recognize(model, new Float32Array(16_000), never);
    expect(cleared.mock.calls.flat()).toContain(handles[0]);
  } finally {
    timers.mockRestore();
    cleared.mockRestore();
    pool.close();
  }
});

test('of several idle processes, the one that has the model is used', async () => {
  await writeTinyModel(folder);
  const other = modelIn(folder);
  const warm: string[] = [];
  const pool = createEnginePool(2, ({ files }) => warm.push(Object.values(files)[0]!));
  const recognise = (each: typeof model) => pool.recognize(each, new Float32Array(16_000), never);
  await Promise.all([recognise(model), recognise(other)]);
  const asked = [other, model, model, other, other];
  for (const each of asked) await recognise(each);
  expect(warm).toEqual(asked.map(({ files }) => files.model));
  pool.close();
});

test('an idle process ends with its pool', async () => {
  const running = new Set<number>();
  onChild(({ pid, alive }) => (alive ? running.add(pid) : running.delete(pid)));
  const pool = createEnginePool(1);
  await pool.recognize(model, new Float32Array(16_000), never);
  expect(running.size).toBe(1);
  pool.close();
  // Long before an idle process would end by itself.
  await until(async () => running.size === 0, 10_000);
});
