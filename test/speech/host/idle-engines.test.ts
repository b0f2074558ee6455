/** Recogniser processes between requests. */
import { expect, setDefaultTimeout, spyOn, test } from 'bun:test';
import { join } from 'node:path';
import { createEnginePool } from '../../../server/speech/host/engine-pool.ts';
import { never, tinyModelFolder } from './engine-support.ts';

setDefaultTimeout(120_000);

const { tiny } = await tinyModelFolder();
const model = {
  kind: 'nemo_ctc' as const,
  files: { model: join(tiny, 'model.onnx'), tokens: join(tiny, 'tokens.txt') },
};

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
