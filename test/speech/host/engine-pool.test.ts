/** The recogniser processes as the service sees them: requests, failures, and processes without work. */
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  expect,
  setDefaultTimeout,
  spyOn,
  test,
  describe,
} from 'bun:test';
import { readFile, chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startEngineChild } from '../../../server/speech/host/engine-child.ts';
import { createEnginePool, type EnginePool } from '../../../server/speech/host/engine-pool.ts';
import {
  encodeMessage,
  type EngineAnswer,
  MessageReader,
} from '../../../server/speech/host/engine-messages.ts';
import { writeTinyModel } from '../../support/doubles/tiny-model.ts';
import { failureOf } from '../../support/failure-of.ts';
import { needs, needsShared, shared } from '../../support/requirements.ts';
import { until } from '../../support/servers/client.ts';
import { removeFolder, temporaryFolder } from '../../support/servers/server-process.ts';
import { never, tinyModelFolder } from './engine-support.ts';

describe('the pool of recogniser processes when requests are cancelled, fail, hang or arrive too late', async () => {
  setDefaultTimeout(300_000);

  const onLinux = needs(process.platform === 'linux', 'child processes are read from /proc');
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

  test.each([
    {
      kind: 'nemo_ctc' as const,
      files: { ...model('/here').files, model: '/no/such/folder/file' },
    },
    {
      kind: 'nemo_ctc' as const,
      files: { ...model('/here').files, tokens: '/no/such/folder/file' },
    },
    { kind: 'vad' as const, files: { model: '/no/such/folder/file' } },
  ])(
    "a missing file is reported as a missing model, without the host's folders: %j",
    async (missing) => {
      const pool = poolOf(1);
      const asked =
        missing.kind === 'vad'
          ? pool.findSpeech(missing, hiss(1), never)
          : pool.recognize(missing, hiss(1), never);
      const failure = await failureOf(asked);
      expect(failure.code).toBe('model_unavailable');
      expect(JSON.stringify(failure)).not.toContain('/no/such');
    },
  );

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
      // Another process may look at the clock meanwhile.
      expect(told.splice(0)).toEqual([
        expect.stringMatching(/^2 [1-9]\d*$/),
        expect.stringMatching(/^0 [1-9]\d*$/),
      ]);
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
});

describe('a recogniser process as the service sees it, with a script in its place that plays its answers', async () => {
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
    await script(encodeMessage({ model: modelOf(kind) }, silence), ...answers);
    return startEngineChild();
  }
  const modelOf = (kind: string) => ({ kind, files: { model: '/none' } }) as never;

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

  test.each([
    ['out of memory', /too little free memory/],
    ['Exception during initialization: std::bad_alloc', /too little free memory/],
    ['libonnxruntime.so.1: failed to map segment from shared object', /too little free memory/],
    ['not a Protocol Buffers message', /files may be damaged/],
  ])('a model that fails to load with “%s” is told by its cause', async (said, told) => {
    await script(encodeMessage({ model: modelOf('vad') }, silence), {
      type: 'error',
      message: said,
    });
    const pool = createEnginePool(1);
    const failure = await failureOf(pool.findSpeech(modelOf('vad'), silence, never));
    expect(failure).toMatchObject({
      code: 'model_unavailable',
      message: expect.stringMatching(told),
    });
    pool.close();
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
    const request = encodeMessage({ model, ...hints }, silence);
    await script(request, LOADED, { type: 'words', heard });
    const pool = createEnginePool(1, (_, audio) => told.push(audio));
    for (let time = 0; time < 2; time += 1)
      expect(await pool.hear(model, silence, never, hints)).toEqual(heard);
    pool.close();
    expect(told).toEqual([seconds]);
  });
});

describe('messages between the service and its recogniser processes, in bytes that arrive in any portions', () => {
  const whole = (...parts: Uint8Array[]): Uint8Array => new Uint8Array(Buffer.concat(parts));
  /** Reads bytes in portions of a size. */
  function read(bytes: Uint8Array, size = bytes.length) {
    const received: [unknown, number[]][] = [];
    const reader = new MessageReader((json, body) => void received.push([json, [...body]]));
    for (let at = 0; at < bytes.length; at += size) reader.push(bytes.slice(at, at + size));
    return received;
  }

  test('messages are received whole and in order, whatever portions they arrive in', () => {
    const sent: [unknown, number[]][] = [
      [{ type: 'loaded' }, []],
      ['', [1]],
      [[1, 2], Array.from({ length: 50 }, (_, at) => at)],
      [null, []],
    ];
    const bytes = whole(
      ...sent.flatMap(([json, body]) => encodeMessage(json, Uint8Array.from(body))),
    );
    for (let size = 1; size <= bytes.length; size += 1) expect(read(bytes, size)).toEqual(sent);
  });
});
