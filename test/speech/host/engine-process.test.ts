/** The recogniser process itself: what it asks of sherpa-onnx, and what it answers. */
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
import { existsSync, readFileSync } from 'node:fs';
import { writeFile, mkdir } from 'node:fs/promises';
import { getPriority } from 'node:os';
import { join, dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onChild, watchProgress } from '../../../server/base/child-processes.ts';
import { startEngineChild } from '../../../server/speech/host/engine-child.ts';
import { createEnginePool } from '../../../server/speech/host/engine-pool.ts';
import { encodeMessage, MessageReader } from '../../../server/speech/host/engine-messages.ts';
import { recognizerOf } from '../../../server/speech/host/sherpa-recognisers.ts';
import { createWindowRecognisers } from '../../../server/speech/host/window-recognisers.ts';
import { writeTinySenseVoice } from '../../support/doubles/tiny-sense-voice.ts';
import { writeTinyVoiceActivity } from '../../support/doubles/tiny-voice-activity.ts';
import { until } from '../../support/servers/client.ts';
import { removeFolder, temporaryFolder } from '../../support/servers/server-process.ts';
import { never, tinyModelFolder } from './engine-support.ts';
import { findModel } from '../../../server/models/installed.ts';

type ChildNews = Parameters<Parameters<typeof onChild>[0]>[0];

describe('the real engine in its processes, with a model of a few hundred bytes', async () => {
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

  test('the engine process recognises the same every time, with times that follow the sound', async () => {
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
});

describe('the recognisers that a process loads', async () => {
  const folder = await temporaryFolder();
  afterAll(() => removeFolder(folder));
  const tokens = join(folder, 'tokens.txt');
  await writeFile(
    tokens,
    ['▁ 0', 'V 1', 'e 2', 'r 3', 'c 4', 'l 5', 'cel 6', '<blk> 7'].join('\n'),
  );

  /** For each recogniser: its language, its vocabulary of terms, and the folder of that. */
  let made: { language?: unknown; vocabulary?: string; place?: string }[] = [];
  let terms: string[] = [];
  beforeEach(() => void (made = []));
  class Library {
    constructor({ modelConfig }: { modelConfig: Record<string, any> }) {
      const { bpeVocab: path, senseVoice } = modelConfig;
      made.push({
        language: senseVoice?.language,
        ...(path && { vocabulary: readFileSync(path, 'utf8'), place: dirname(path) }),
      });
    }
    createStream(...given: string[]) {
      terms = given;
      return { acceptWaveform() {} };
    }
    decode() {}
    getResult() {
      return { tokens: ['a'], timestamps: [0.5] };
    }
  }
  /** Loads the recogniser of a model. */
  const load = (kind: string, language: string | null, given: string[] = []) => {
    const files = { model: `${kind}.onnx`, encoder: 'e', decoder: 'd', joiner: 'j', tokens };
    return recognizerOf(Library as never, { kind, files } as never, language, given);
  };

  test('are one for a model, and for SenseVoice one for a language', () => {
    for (const language of ['en', 'de', null]) load('nemo_ctc', language);
    for (const language of ['ja', 'ja', 'ko']) load('sense_voice', language);
    expect(made.map(({ language }) => language)).toEqual([undefined, 'ja', 'ko']);
  });

  test('are a second one for the terms of a transducer, whose vocabulary is deleted afterwards', () => {
    load('nemo_transducer', null, ['Vercel'])(Float32Array.of(0.1, 0.2));
    expect(made[0]!.vocabulary).toContain('cel\t');
    expect(existsSync(made[0]!.place!)).toBe(false);
    expect(terms).toEqual([expect.stringContaining('Vercel')]);
    // The plain one is loaded beside it, and both stay.
    for (const given of [[], ['Vercel'], []]) load('nemo_transducer', null, given);
    expect(made).toHaveLength(2);
  });
});

describe('voice activity in the real engine, with a model that takes loud samples for speech', async () => {
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

  test.each<[string, Float32Array, number[][]]>([
    ['has a chance of more than a half', sound(3, 0.55, [1, 2]), [[1, 2.1]]],
    ['does not have a smaller one', sound(3, 0.45, [1, 2]), []],
    ['lasts a quarter of a second', sound(3, 0.8, [1, 1.32]), [[1, 1.4]]],
    ['is not shorter', sound(3, 0.8, [1, 1.2]), []],
    ['goes on after a short pause', sound(4, 0.8, [1, 1.6], [2, 3]), [[1, 3.1]]],
    ['is cut in a pause of half a second', sound(4, 0.8, [1, 1.4], [2, 3]), [[1, 1.5], [2, 3.1]]], // prettier-ignore
    ['may go on to the end', sound(3, 0.8, [2, 3]), [[2, 2.9]]],
  ])('speech %s', async (_, samples, found) => {
    expect(await speechIn(samples)).toEqual(found);
  });

  test('speech is cut after 25 seconds where it is less clear', async () => {
    const [first, ...others] = await speechIn(sound(30, 0.7, [1, 29]));
    expect(first![1]).toBeGreaterThan(25);
    expect(first![1]).toBeLessThan(27);
    expect(others).toHaveLength(1);
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
});

describe('SenseVoice in the real engine', async () => {
  const root = await temporaryFolder();
  afterAll(() => removeFolder(root));
  const pool = createEnginePool(1);
  afterAll(() => pool.close());
  const place = join(root, 'sense-voice');
  await mkdir(place);
  await writeTinySenseVoice(place);
  const model = await findModel(root, 'sense-voice');

  /** A second of hiss between two of silence. */
  let state = 1;
  const hiss = () => (state = (state * 16_807) % 2_147_483_647) / 1_073_741_823.5 - 1;
  const sound = Float32Array.from({ length: 48_000 }, (_, at) =>
    at > 16_000 && at < 32_000 ? 0.3 * hiss() : 0,
  );

  test.each([
    ['zh-Hant-TW', '你'],
    ['ja', 'て'],
    ['ko', '안'],
    ['yue', '好'],
  ])('recognises %s, with its own times, and without key terms', async (language, word) => {
    const recognizers = createWindowRecognisers(
      { modelFiles: async () => model } as never,
      pool,
      root,
    );
    const use = { terms: ['你'], pronunciations: {}, near: {}, windows: 0, failed: 0, replaced: 0 };
    const engine = { engine: 'sherpa-onnx', model: 'sense-voice' } as const;
    const recognize = await recognizers(engine, language, [], use);
    const [heard] = await recognize(sound, { start: 10, end: 13 }, never);
    expect(heard?.text).toBe(word);
    expect(heard?.start).toBeWithin(10.9, 11.3);
    expect(use.windows).toBe(0);
  });
});
