/** The real engine in its processes, with a model of a few hundred bytes. */
import {
  afterAll,
  afterEach,
  beforeEach,
  describe,
  expect,
  jest,
  setDefaultTimeout,
  test,
} from 'bun:test';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { getPriority } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  onChild,
  type ChildNews,
  watchProgress,
} from '../../../server/speech/host/child-processes.ts';
import { startEngineChild } from '../../../server/speech/host/engine-child.ts';
import { encodeMessage, MessageReader } from '../../../server/speech/host/engine-messages.ts';
import { createEnginePool } from '../../../server/speech/host/engine-pool.ts';
import { until } from '../../support/servers/client.ts';
import { never, tinyModelFolder } from './engine-support.ts';

setDefaultTimeout(300_000);

const pool = createEnginePool(2);
afterAll(() => pool.close());

const { folder, tiny } = await tinyModelFolder();

const model = () => ({
  kind: 'nemo_ctc' as const,
  files: { model: join(tiny, 'model.onnx'), tokens: join(tiny, 'tokens.txt') },
});

/** A hiss that swells once a second, always the same. */
function swells(seconds: number): Float32Array {
  let state = 1;
  const hiss = () => (state = (state * 16_807) % 2_147_483_647) / 1_073_741_823.5 - 1;
  return Float32Array.from({ length: seconds * 16_000 }, (_, at) => {
    const swell = Math.max(0, Math.sin((2 * Math.PI * at) / 16_000));
    return 0.3 * hiss() * swell;
  });
}

const running = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

describe('the engine process', () => {
  test('recognises the same every time, with times that follow the sound', async () => {
    const [one, two] = await Promise.all(
      [0, 1].map(() => pool.recognize(model(), swells(4), never)),
    );
    expect(one).toEqual(two as never);
    expect(one?.tokens.length).toBeGreaterThan(3);
    for (const time of one?.timestamps ?? []) expect(time % 1).toBeLessThan(0.65);
    expect((await pool.recognize(model(), new Float32Array(64_000), never)).tokens).toEqual([]);
  });

  test('a damaged model causes a clear failure, and the next request works', async () => {
    const damaged = join(folder, 'damaged.onnx');
    await writeFile(damaged, 'this is no model');
    const bad = { kind: 'nemo_ctc' as const, files: { ...model().files, model: damaged } };
    await expect(pool.recognize(bad, swells(1), never)).rejects.toMatchObject({
      failure: { code: 'model_unavailable' },
    });
    expect((await pool.recognize(model(), swells(4), never)).tokens.length).toBeGreaterThan(3);
  });

  test('errors keep their message, and the process ends with its input', async () => {
    const script = fileURLToPath(
      new URL('../../../server/speech/host/engine-process.ts', import.meta.url),
    );
    const child = spawn(process.execPath, [script], { stdio: ['pipe', 'pipe', 'inherit'] });
    const missing = { kind: 'vad', files: { model: join(folder, 'missing.onnx') } };
    for (const part of encodeMessage({ model: missing })) child.stdin.write(part);
    const told = await new Promise<unknown>((resolve) => {
      const reader = new MessageReader((json) => resolve(json));
      child.stdout.on('data', (chunk: Uint8Array) => reader.push(chunk));
    });
    expect(told).toEqual({ type: 'error', message: expect.stringMatching(/^ENOENT/) });
    child.stdin.end();
    expect(await once(child, 'exit')).toEqual([0, null]);
  });

  test('it yields to the service, and its start and end are reported', async () => {
    const news: ChildNews[] = [];
    onChild((told) => news.push(told));
    const child = startEngineChild();
    const { pid } = child;
    const about = () => news.filter((told) => told.pid === pid).map(({ alive }) => alive);
    expect(getPriority(pid)).toBe(Math.max(5, getPriority()));
    expect(about()).toEqual([true]);
    child.kill();
    await until(async () => about().length > 1);
    expect(about()).toEqual([true, false]);
  });

  test('a cancel rejects immediately and kills the process', async () => {
    const child = startEngineChild();
    await child.ask(model(), swells(1), never);
    process.kill(child.pid, 'SIGSTOP');
    const cancel = new AbortController();
    const asked = child.ask(model(), swells(1), cancel.signal);
    setTimeout(() => cancel.abort(new Error('cancelled')), 50);
    await expect(asked).rejects.toThrow('cancelled');
    await until(async () => !running(child.pid));
  });

  test('a killed process fails its request with a retryable error', async () => {
    const child = startEngineChild();
    await child.ask(model(), swells(1), never);
    process.kill(child.pid, 'SIGSTOP');
    const asked = child.ask(model(), swells(1), never);
    process.kill(child.pid, 'SIGKILL');
    await expect(asked).rejects.toMatchObject({ name: 'EngineLost' });
    expect(child.alive).toBe(false);
    await expect(child.ask(model(), swells(1), never)).rejects.toMatchObject({
      name: 'EngineLost',
      loading: false,
    });
  });

  test('a crash is explained by the end of what it wrote', async () => {
    const damaged = join(folder, 'damaged.txt');
    await writeFile(damaged, `${'long '.repeat(1000)}end`);
    const files = { ...model().files, tokens: damaged };
    const asked = startEngineChild().ask({ kind: 'nemo_ctc', files }, swells(1), never);
    const { message } = (await asked.catch((error: unknown) => error)) as Error;
    expect(message).toMatch(/^the speech engine ended \(.*\): .*long end$/s);
    expect(message.length).toBeLessThan(2100);
  });

  test('it ends when the service is killed', async () => {
    const script = fileURLToPath(
      new URL('../../support/servers/engine-parent.ts', import.meta.url),
    );
    const parent = spawn(process.execPath, [script, tiny], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = (await once(parent.stdout, 'data')) as [Buffer];
    const pid = Number(line.toString());
    expect(running(pid)).toBe(true);
    parent.kill('SIGKILL');
    await until(async () => !running(pid));
  });
});

describe('the progress of a process', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  /** The time after which a process counts as stuck that uses this share of the processor; null if it never does. */
  function stuckAfter(share: (second: number) => number | null, heard: number[] = []) {
    let [seconds, used] = [0, 0];
    const stuck: number[] = [];
    const timeOf = () => (share(seconds) === null ? null : used);
    const watch = watchProgress(1, 100_000, () => void stuck.push(seconds), timeOf);
    for (; seconds < 2000 && stuck.length === 0;) {
      seconds += 1;
      used += (share(seconds) ?? 0) * 1000;
      jest.advanceTimersByTime(1000);
      if (heard.includes(seconds)) watch.progressed();
    }
    watch.stop();
    return stuck[0] ?? null;
  }

  test.each<[string, (second: number) => number | null, number[], number | null]>([
    ['does nothing', () => 0, [], 100],
    ['computes all the time', () => 0.95, [], 100],
    ['computes with four threads', () => 4, [], 100],
    // It needs 90 seconds of the processor; a wall clock would have ended it.
    ['gets a twentieth of a busy processor', () => 0.05, [], 1800],
    ['gets a twentieth, and is heard of', () => 0.05, [1500], null],
    ['computes, and then waits for ever', (second) => (second < 50 ? 1 : 0), [], 200],
    ['was heard of at the last moment', () => 0, [99], 199],
    ['reports no time', () => null, [], 100],
    ['reports no time, but was heard of', () => null, [60], 160],
  ])('one that %s', (_name, share, heard, expected) => {
    expect(stuckAfter(share, heard)).toEqual(expected);
  });
});
