/** The engine and the model for a language, what is downloaded for it, and what passes on to another. */
import { afterEach, beforeEach, describe, expect, setSystemTime, test } from 'bun:test';
import { mkdir, truncate, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Waiting, realTime } from '../../../server/base/concurrency.ts';
import type { Hearing } from '../../../server/models/machine-notes.ts';
import { findOnnxRuntime } from '../../../server/models/onnxruntime.ts';
import { createEngines } from '../../../server/speech/host/engines.ts';
import { modelStore, releaseHost } from '../../models/support.ts';
import { needs } from '../../support/requirements.ts';
import { never } from './engine-support.ts';

type EngineOptions = Parameters<typeof createEngines>[0];

/** The options of engines, where those of sherpa-onnx are the only ones unless another or any is asked for. */
type ChosenOptions = Omit<Partial<EngineOptions>, 'engine'> & {
  engine?: EngineOptions['engine'] | 'any';
};

const store = modelStore();

async function put(name: string, files: Record<string, string>): Promise<void> {
  await mkdir(join(store.path, name), { recursive: true });
  for (const [file, content] of Object.entries(files)) {
    await writeFile(join(store.path, name, file), content);
  }
}
/** SenseVoice, as its metadata identifies it. */
const senseVoice = () =>
  put('sense-voice', { 'model.onnx': 'lfr_window_size with_itn', 'tokens.txt': 'a 0' });
const whisper = (size: string) =>
  put(`whisper-${size}`, {
    [`${size}-encoder.onnx`]: 'x',
    [`${size}-decoder.onnx`]: 'x',
    [`${size}-tokens.txt`]: 'x',
  });
/** The place of the library that runs Whisper; only its path matters. */
const library = () =>
  put(join('onnxruntime-node', 'node_modules', 'onnxruntime-node'), {
    'package.json': '{"main":"index.js"}',
  });
const transducer = (name: string) =>
  put(name, {
    'encoder.onnx': 'x',
    'decoder.onnx': 'x',
    'joiner.onnx': 'x',
    'tokens.txt': 'a 0',
  });

/** Engines whose downloads come from a host that has nothing. */
async function engines(
  { engine = 'sherpa', ...options }: ChosenOptions = {},
  test: (name: string) => Partial<Hearing> | void = () => {},
  /** The time, and when each test ends. */
  { waiting = realTime, until }: { waiting?: Waiting; until?: Promise<void> } = {},
) {
  const host = await releaseHost((_, response) => void response.writeHead(404).end());
  await store.host?.close();
  store.host = host;
  const tested: string[] = [];
  const all = createEngines(
    {
      modelsDir: store.path,
      modelsBaseUrl: host.url,
      speechModel: 'auto',
      ...(engine !== 'any' && { engine }),
      ...options,
    },
    async ({ model }) => {
      tested.push(model);
      await until;
      return { words: 20, wrong: 5, timed: true, ...test(model) };
    },
    waiting,
  );
  const choose = (language: string, model?: string, signal = never) =>
    all.choose(language, model, signal, () => {});
  return { ...all, choose, tested, asked: () => host.ranges.length };
}

const UNSUPPORTED = { failure: { code: 'language_unsupported' } };
const INSTALL = {
  label: 'Install the model',
  description: expect.stringContaining('npm run models -- fetch parakeet-v3,'),
};

// A copy in the program's own packages would be used instead.
const needsNone = needs(
  (await findOnnxRuntime('/nowhere')) === null,
  'onnxruntime-node is installed beside the program',
);

test.each([
  [300_000_000, true],
  [300_000_001, undefined],
])('a transducer with an encoder of %d bytes accepts terms: %p', async (size, acceptsTerms) => {
  await transducer('parakeet-v3');
  await truncate(join(store.path, 'parakeet-v3', 'encoder.onnx'), size);
  const engine = await (await engines()).choose('de');
  expect(engine).toMatchObject({ engine: 'sherpa-onnx', model: 'parakeet-v3' });
  expect('acceptsTerms' in engine ? engine.acceptsTerms : undefined).toBe(acceptsTerms);
});

describe('a download that failed', () => {
  afterEach(() => void setSystemTime());

  test.each([
    ['th', 60_000],
    // SenseVoice has a fallback, which is not installed either.
    ['ja', 3_600_000],
  ])('is not repeated for a while: %s', async (language, again) => {
    const { choose, asked } = await engines();
    const start = Date.now();
    setSystemTime(start);
    const failing = async (after: number) => {
      setSystemTime(start + after);
      const before = asked();
      await expect(choose(language)).rejects.toMatchObject({
        failure: { code: 'model_unavailable', retryable: true },
      });
      return asked() - before;
    };
    const all = await failing(0);
    expect(await failing(59_999)).toBe(0);
    // Then the fallback alone is tried again.
    expect(await failing(again - 1)).toBeLessThan(all);
    expect(await failing(again)).toBeGreaterThan(0);
  });

  test('because the run was cancelled is repeated by the next', async () => {
    const { choose, asked } = await engines();
    const cancelled = AbortSignal.abort(new Error('cancelled'));
    await expect(choose('th', undefined, cancelled)).rejects.toThrow('cancelled');
    await expect(choose('th')).rejects.toThrow();
    expect(asked()).toBe(1);
  });
});

describe('without a suitable model', () => {
  const path = process.env['PATH'];
  afterEach(() => {
    process.env['PATH'] = path;
  });

  test('the failure says what to do', async () => {
    const { choose, modelFiles } = await engines();
    const { failure } = (await choose('de').catch((error: unknown) => error)) as {
      failure: { message: string; suggestions: { label: string }[] };
    };
    expect(failure.message).toStartWith('This server has no speech engine that can be used now. ');
    expect(failure.suggestions).toEqual([INSTALL]);
    await expect(choose('de', 'nothing')).rejects.toThrow('no speech model of that name');
    await expect(choose('xx')).rejects.toMatchObject(UNSUPPORTED);
    await expect(modelFiles('parakeet-v3')).rejects.toMatchObject({
      failure: { suggestions: [INSTALL] },
    });
  });

  test('a language whose model cannot be fetched now may be heard later', async () => {
    const { choose } = await engines({ modelsBaseUrl: 'http://127.0.0.1:9/' });
    await expect(choose('de')).rejects.toMatchObject({
      failure: { code: 'model_unavailable', retryable: true },
    });
  });

  test('a language is supported all the same, once the model is downloaded', async () => {
    const { speaks } = await engines();
    expect(['de', 'ja', 'sw', 'xx'].map(speaks)).toEqual([true, true, true, false]);
    const only = await engines({ engine: 'pocketsphinx' });
    expect(only.speaks('de')).toBe(false);
    await expect(only.choose('de')).rejects.toMatchObject(UNSUPPORTED);
  });

  needsNone('Whisper is chosen once its library is installed', async () => {
    await whisper('small');
    process.env['PATH'] = store.path;
    const { choose } = await engines();
    await expect(choose('th')).rejects.toMatchObject({
      failure: { message: expect.stringContaining('npm is not installed') },
    });
    await library();
    expect(await choose('th')).toMatchObject({ engine: 'whisper', model: 'whisper-small' });
  });

  test('pocketsphinx stands in for a model, but not for a folder of the operator', async () => {
    await writeFile(join(store.path, 'pocketsphinx_continuous'), '', { mode: 0o755 });
    process.env['PATH'] = store.path;
    const automatic = await engines({ engine: 'any' });
    expect(await automatic.choose('en')).toEqual({ engine: 'pocketsphinx' });
    const own = await engines({ engine: 'any', speechModel: join(store.path, 'missing') });
    await expect(own.choose('en')).rejects.toMatchObject({
      failure: {
        code: 'model_unavailable',
        suggestions: [{ label: 'Correct SPEECH_MODEL' }, {}],
      },
    });
  });

  needsNone('Whisper without its library is no longer there', async () => {
    await whisper('small');
    const { modelFiles } = await engines();
    await expect(modelFiles('whisper-small')).rejects.toThrow('no longer in MODELS_DIR');
    await library();
    expect(await modelFiles('whisper-small')).toMatchObject({
      kind: 'whisper',
      runtime: expect.stringContaining('index.js'),
    });
  });
});

test('the voice activity model is downloaded if that is allowed, and null without it', async () => {
  const { voiceActivityModel, asked } = await engines();
  expect([await voiceActivityModel(never, false), asked()]).toEqual([null, 0]);
  expect([await voiceActivityModel(never, true), asked()]).toEqual([null, 1]);
  const cancelled = AbortSignal.abort(new Error('cancelled'));
  await expect(voiceActivityModel(cancelled, true)).rejects.toThrow('cancelled');
  await put('silero-vad', { 'silero_vad.onnx': 'x' });
  expect(await voiceActivityModel(never, false)).toMatchObject({ kind: 'vad' });
});

test('both models for speakers are needed', async () => {
  await put('speaker-segmentation', { 'model.onnx': 'x' });
  const { speakerModels } = await engines();
  await expect(speakerModels(never, false)).rejects.toMatchObject({
    failure: { code: 'model_unavailable' },
  });
  await put('speaker-embedding', { '3dspeaker_x.onnx': 'x' });
  expect(await (await engines()).speakerModels(never, false)).toEqual({
    kind: 'speakers',
    files: {
      segmentation: join(store.path, 'speaker-segmentation', 'model.onnx'),
      embedding: join(store.path, 'speaker-embedding', '3dspeaker_x.onnx'),
    },
  });
});

describe('Japanese, for which there are several models,', () => {
  beforeEach(async () => {
    await senseVoice();
    await library();
  });

  test.each(['turbo', 'medium'])(
    'is transcribed by a large Whisper if %s is installed',
    async (size) => {
      await whisper(size);
      const { choose } = await engines();
      expect(await choose('ja')).toEqual({
        engine: 'whisper',
        model: `whisper-${size}`,
        acceptsTerms: true,
      });
      // That model does not know Cantonese.
      expect(await choose('yue')).toEqual({ engine: 'sherpa-onnx', model: 'sense-voice' });
    },
  );

  test('is transcribed by the requested model, or the one that the operator named', async () => {
    await whisper('turbo');
    const sense = { engine: 'sherpa-onnx', model: 'sense-voice' } as const;
    expect(await (await engines()).choose('ja', 'sense-voice')).toEqual(sense);
    expect(await (await engines({ speechModel: 'sense-voice' })).choose('ja')).toEqual(sense);
    await whisper('small');
    expect(await (await engines()).choose('ja', 'whisper-small')).toMatchObject({
      model: 'whisper-small',
    });
  });

  test('is transcribed by another model if its own does not work, which is tested once', async () => {
    await whisper('small');
    const { choose, tested } = await engines({}, () => {
      throw new Error('it crashes');
    });
    for (let at = 0; at < 2; at += 1) {
      expect(await choose('ja')).toEqual({
        engine: 'whisper',
        model: 'whisper-small',
        acceptsTerms: true,
        note: 'whisper-small is used instead of sense-voice: it crashes.',
      });
    }
    // The run itself shows whether the last one works.
    expect(tested).toEqual(['sense-voice', 'whisper-small']);
  });

  test('has its model tested once by all processes together, whoever chose it', async () => {
    const working = await engines();
    for (const language of ['ja', 'ko', 'yue', 'ja']) await working.choose(language);
    expect(working.tested).toEqual(['sense-voice']);
    const other = await engines();
    await other.choose('ja', 'sense-voice');
    expect(other.tested).toEqual([]);
    // Another version of the model is tested again.
    await senseVoice();
    await utimes(join(store.path, 'sense-voice', 'model.onnx'), 1, 1);
    await other.choose('ja', 'sense-voice');
    expect(other.tested).toEqual(['sense-voice']);
  });

  test.each([
    [{ wrong: 6 }, 'sense-voice got 6 of 20 words of a known recording wrong'],
    [{ timed: false }, 'sense-voice gave no times for the words of a known recording'],
  ])('is not transcribed by a model that hears so badly: %j', async (heard, doubt) => {
    const hear = (name: string) => (name === 'sense-voice' ? heard : {});
    const alone = await engines({}, hear);
    expect(await alone.choose('ja')).toMatchObject({
      model: 'sense-voice',
      note: `Expect wrong words: ${doubt}.`,
    });
    await whisper('small');
    const { choose, tested } = await engines({}, hear);
    const replaced = { model: 'whisper-small', note: expect.stringContaining(doubt) };
    for (let at = 0; at < 2; at += 1) expect(await choose('ja')).toMatchObject(replaced);
    // The first engines have noted the result; a model that was asked for is used in spite of it.
    expect(tested).toEqual(['whisper-small']);
    expect(await choose('ja', 'sense-voice')).toMatchObject({
      model: 'sense-voice',
      note: `Expect wrong words: ${doubt}.`,
    });
  });
});
