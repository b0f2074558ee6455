/** The pool of recogniser processes when requests are cancelled, fail, hang or arrive too late. */
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  expect,
  setDefaultTimeout,
  spyOn,
  test,
} from 'bun:test';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { EngineLost, startEngineChild } from '../../../server/speech/host/engine-child.ts';
import { createEnginePool, type EnginePool } from '../../../server/speech/host/engine-pool.ts';
import { createLimiter } from '../../../server/concurrency.ts';
import { until } from '../../support/servers/client.ts';
import { needs, needsShared, shared } from '../../support/requirements.ts';
import { removeFolder, temporaryFolder } from '../../support/servers/server-process.ts';
import { writeTinyModel } from '../../support/doubles/tiny-model.ts';

setDefaultTimeout(300_000);

const onLinux = needs(process.platform === 'linux', 'child processes are read from /proc');
const never = new AbortController().signal;
/** A hiss, in which the tiny model recognises something. */
const hiss = (seconds: number): Float32Array => {
  let state = 1;
  return Float32Array.from({ length: seconds * 16_000 }, () => {
    state = (state * 16_807) % 2_147_483_647;
    return 0.3 * (state / 1_073_741_823.5 - 1);
  });
};

let folder = '';
const pools: EnginePool[] = [];
beforeAll(async () => {
  folder = await temporaryFolder();
  await writeTinyModel(folder);
});
beforeEach(async () => {
  others = [];
  if (process.platform === 'linux') others = await enginePids();
});
afterEach(() => {
  for (const pool of pools.splice(0)) pool.close();
});
afterAll(() => removeFolder(folder));

const model = (inside = folder) => ({
  kind: 'nemo_ctc' as const,
  files: { model: join(inside, 'model.onnx'), tokens: join(inside, 'tokens.txt') },
});

const poolOf = (slots: number): EnginePool => {
  const pool = createEnginePool(slots);
  pools.push(pool);
  return pool;
};

/** Engine processes of other tests in this process. */
let others: number[] = [];

/** The running engine processes that this test has started. */
async function enginePids(): Promise<number[]> {
  const path = `/proc/${process.pid}/task/${process.pid}/children`;
  const children = (await readFile(path, 'utf8')).trim().split(/\s+/).filter(Boolean);
  const commands = await Promise.all(
    children.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')),
  );
  return children
    .filter((_, at) => commands[at]?.includes('engine-process'))
    .map(Number)
    .filter((pid) => !others.includes(pid));
}

/** The only engine process that this test has started. */
const enginePid = (): Promise<number> => until(async () => (await enginePids())[0]);

/** Suspends the only engine of a pool, with a request that it will never answer. */
async function stuck(pool: EnginePool): Promise<{ pid: number; asked: Promise<unknown> }> {
  await pool.recognize(model(), hiss(1), never);
  const pid = await enginePid();
  process.kill(pid, 'SIGSTOP');
  return { pid, asked: pool.recognize(model(), hiss(1), never) };
}

onLinux(
  'a cancel while all slots are taken rejects at once, and the next request takes its place',
  async () => {
    const pool = poolOf(1);
    const { pid, asked } = await stuck(pool);
    const cancel = new AbortController();
    const waiting = pool.recognize(model(), hiss(1), cancel.signal);
    const behind = pool.recognize(model(), hiss(1), never);
    cancel.abort(new Error('cancelled'));
    await expect(waiting).rejects.toThrow('cancelled');
    expect(process.kill(pid, 'SIGCONT')).toBe(true);
    expect(await asked).toEqual(await behind);
  },
);

onLinux(
  'close ends what is asked and what waits, starts nothing, and leaves no process',
  async () => {
    const pool = poolOf(1);
    const { asked } = await stuck(pool);
    const waiting = pool.recognize(model(), hiss(1), never);
    pool.close();
    const stopped = {
      failure: {
        code: 'provider_unavailable',
        retryable: true,
        provider: 'edge',
        suggestions: [{ label: 'Start the run again' }],
      },
    };
    const late = pool.recognize(model(), hiss(1), never);
    for (const outcome of await Promise.allSettled([asked, waiting, late])) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: stopped });
    }
    await until(async () => (await enginePids()).length === 0);
  },
);

onLinux(
  'a crash fails one request as retryable; the slot has a new process for the next',
  async () => {
    const pool = poolOf(1);
    const { pid, asked } = await stuck(pool);
    const behind = pool.recognize(model(), hiss(1), never);
    process.kill(pid, 'SIGKILL');
    await expect(asked).rejects.toMatchObject({
      failure: { code: 'provider_unavailable', retryable: true, provider: 'edge' },
    });
    expect((await behind).tokens.length).toBeGreaterThan(0);
  },
);

onLinux('an idle process that dies costs no slot', async () => {
  const pool = poolOf(1);
  const first = await pool.recognize(model(), hiss(1), never);
  const pid = await enginePid();
  process.kill(pid, 'SIGKILL');
  await until(async () => (await enginePids()).length === 0);
  // The pool may notice the death only at the next request.
  await pool.recognize(model(), hiss(1), never).catch((error: unknown) => {
    expect(error).toMatchObject({ failure: { retryable: true } });
  });
  expect(await pool.recognize(model(), hiss(1), never)).toEqual(first);
});

test('a hanging process times out and is killed', async () => {
  const child = startEngineChild({ load: 200, answer: 200 });
  try {
    process.kill(child.pid, 'SIGSTOP');
    const asked = child.ask(model(), hiss(1), never);
    await expect(asked).rejects.toThrow('did not load its model in time');
    expect(child.alive).toBe(false);
  } finally {
    child.kill();
  }
});

test('killing a process fails the request in progress', async () => {
  const child = startEngineChild();
  const asked = child.ask(model(), hiss(1), never);
  child.kill();
  await expect(asked).rejects.toBeInstanceOf(EngineLost);
});

for (const part of ['model', 'tokens'] as const) {
  test(`a missing ${part} is reported as a missing model, without the host's folders`, async () => {
    const files = { ...model().files, [part]: '/no/such/folder/file' };
    const asked = poolOf(1).recognize({ kind: 'nemo_ctc', files }, hiss(1), never);
    await expect(asked).rejects.toMatchObject({ failure: { code: 'model_unavailable' } });
    const error = await asked.catch((thrown: unknown) => thrown as { failure: object });
    expect(JSON.stringify(error)).not.toContain('/no/such');
  });
}

test('a missing voice-activity model is a failure, not silence', async () => {
  const missing = { kind: 'vad' as const, files: { model: join(folder, 'none.onnx') } };
  await expect(poolOf(1).findSpeech(missing, hiss(1), never)).rejects.toMatchObject({
    failure: { code: 'model_unavailable' },
  });
});

needsShared('models/silero_vad.onnx')(
  'voice activity keeps nothing from one call to the next',
  async () => {
    const pool = poolOf(1);
    const silero = { kind: 'vad' as const, files: { model: shared('models/silero_vad.onnx') } };
    const buzz = Float32Array.from({ length: 160_000 }, (_, at) => {
      const voiced = Math.sin((2 * Math.PI * 140 * at) / 16_000) ** 9;
      return at % 48_000 < 24_000 ? 0 : 0.4 * voiced * Math.sin((2 * Math.PI * 3 * at) / 16_000);
    });
    const first = await pool.findSpeech(silero, buzz, never);
    await pool.findSpeech(silero, hiss(3), never);
    expect(await pool.findSpeech(silero, buzz, never)).toEqual(first);
  },
);

test('requests are handled in order, within the limit, and a cancel leaves the queue', async () => {
  const limited = createLimiter(2);
  const order: number[] = [];
  const opened: (() => void)[] = [];
  const work = (id: number, signal = never) =>
    limited(() => {
      order.push(id);
      return new Promise<void>((resolve) => opened.push(resolve));
    }, signal);
  const cancel = new AbortController();
  const jobs = [work(1), work(2), work(3, cancel.signal), work(4)];
  cancel.abort(new Error('cancelled'));
  await expect(jobs[2]).rejects.toThrow('cancelled');
  await until(async () => order.length === 2);
  expect(order).toEqual([1, 2]);
  opened[0]?.();
  await until(async () => order.length === 3);
  expect(order).toEqual([1, 2, 4]);
  for (const open of opened) open();
  await Promise.all([jobs[0], jobs[1], jobs[3]]);
});

test('the speed of a model is measured with each request but the one that loads it', async () => {
  const told: string[] = [];
  const other = await temporaryFolder();
  const pool = createEnginePool(1, (_, audio, seconds) => void told.push(`${audio} ${seconds}`));
  pools.push(pool);
  let now = 0;
  const clock = spyOn(performance, 'now').mockImplementation(() => (now += 5000));
  try {
    await pool.recognize(model(), hiss(1), never);
    expect(told).toEqual([]);
    await pool.recognize(model(), hiss(2), never);
    // A second recognition with key terms takes time, but the audio is not counted again.
    await pool.recognize(model(), hiss(2), never, { terms: ['AuthKit'] });
    expect(told.splice(0)).toEqual(['2 5', '0 5']);
    // A process holds one model at a time, so the first one has to be loaded again.
    await writeTinyModel(other);
    await pool.recognize(model(other), hiss(1), never);
    await pool.recognize(model(), hiss(1), never);
    expect(told).toEqual([]);
  } finally {
    clock.mockRestore();
    await removeFolder(other);
  }
});
