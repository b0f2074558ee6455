/**
 * SenseVoice on this host: the real engine with a model of a few kilobytes, and the model for each
 * language.
 */
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findModel } from '../../../server/models/installed.ts';
import { MODELS } from '../../../server/models/registry.ts';
import { sourcesOf } from '../../../server/models/sources.ts';
import { createEnginePool } from '../../../server/speech/host/engine-pool.ts';
import { createEngines, type RecognitionModel } from '../../../server/speech/host/engines.ts';
import { createWindowRecognisers } from '../../../server/speech/host/window-recognisers.ts';
import { writeTinyModel } from '../../support/doubles/tiny-model.ts';
import { writeTinySenseVoice } from '../../support/doubles/tiny-sense-voice.ts';
import { removeFolder, temporaryFolder } from '../../support/servers/server-process.ts';
import { never } from './engine-support.ts';

setDefaultTimeout(120_000);

const root = await temporaryFolder();
afterAll(() => removeFolder(root));
const pool = createEnginePool(1);
afterAll(() => pool.close());

const models = (name: string) => join(root, name);

async function put(
  folder: string,
  model: string,
  write: (into: string) => Promise<void>,
): Promise<void> {
  await mkdir(join(folder, model), { recursive: true });
  await write(join(folder, model));
}

const whisper = async (folder: string): Promise<void> => {
  for (const file of ['turbo-encoder.int8.onnx', 'turbo-decoder.int8.onnx', 'turbo-tokens.txt']) {
    await writeFile(join(folder, file), 'x');
  }
};

/** A placeholder where npm would install the library; only its path matters. */
const library = async (folder: string): Promise<void> => {
  const own = join(folder, 'node_modules', 'onnxruntime-node');
  await mkdir(own, { recursive: true });
  await writeFile(join(own, 'package.json'), '{"main":"index.js"}');
};

const enginesOf = (modelsDir: string) =>
  createEngines(
    { modelsDir, modelsBaseUrl: 'http://127.0.0.1:9', speechModel: 'auto', engine: 'sherpa' },
    async ({ model }, signal) => {
      const found = await findModel(modelsDir, model);
      await pool.recognize(found as RecognitionModel, new Float32Array(16_000), signal);
      return { words: 1, wrong: 0, timed: true };
    },
  );

/** A second of hiss between two of silence. */
function hiss(): Float32Array {
  let state = 1;
  const next = () => (state = (state * 16_807) % 2_147_483_647) / 1_073_741_823.5 - 1;
  return Float32Array.from({ length: 48_000 }, (_, at) =>
    at > 16_000 && at < 32_000 ? 0.3 * next() : 0,
  );
}

describe('SenseVoice', () => {
  test('recognises in the given language, with its own times', async () => {
    await put(models('own'), 'sense-voice', writeTinySenseVoice);
    const engines = enginesOf(models('own'));
    const recognizers = createWindowRecognisers(engines, pool, root);
    for (const [language, word] of [
      ['zh-Hant-TW', '你'],
      ['ja', 'て'],
      ['ko', '안'],
      ['yue', '好'],
    ] as const) {
      const engine = await engines.choose(language, undefined, never, () => {});
      expect(engine).toEqual({ engine: 'sherpa-onnx', model: 'sense-voice' });
      const use = { terms: ['你'], says: {}, near: {}, windows: 0, failed: 0, replaced: 0 };
      const recognize = await recognizers(engine, language, [], use);
      const [heard] = await recognize(hiss(), { start: 10, end: 13 }, never);
      expect(heard?.text).toBe(word);
      expect(heard?.start).toBeGreaterThan(10.9);
      expect(heard?.start).toBeLessThan(11.3);
      // It does not support key terms.
      expect(use.windows).toBe(0);
    }
  });

  test('is distinguished from a CTC model with the same file names by its metadata', async () => {
    await put(models('kinds'), 'one', writeTinySenseVoice);
    await put(models('kinds'), 'two', writeTinyModel);
    const kinds = ['one', 'two'].map(
      async (name) => (await findModel(models('kinds'), name))?.kind,
    );
    expect(await Promise.all(kinds)).toEqual(['sense_voice', 'nemo_ctc']);
  });

  test('yields to a large installed Whisper, and Whisper replaces it if it is missing', async () => {
    await put(models('large'), 'sense-voice', writeTinySenseVoice);
    await put(models('large'), 'whisper-turbo', whisper);
    await put(models('large'), 'onnxruntime-node', library);
    const chosen = await enginesOf(models('large')).choose('ja', undefined, never, () => {});
    expect(chosen).toEqual({ engine: 'whisper', model: 'whisper-turbo', acceptsTerms: true });

    await put(models('small'), 'whisper-small', async (folder) => {
      for (const file of ['small-encoder.int8.onnx', 'small-decoder.int8.onnx', 'small-tokens.txt'])
        await writeFile(join(folder, file), 'x');
    });
    await put(models('small'), 'onnxruntime-node', library);
    const engines = enginesOf(models('small'));
    const fallback = await engines.choose('ko', undefined, never, () => {});
    expect(fallback).toMatchObject({ engine: 'whisper', model: 'whisper-small' });
    expect(fallback).toHaveProperty('note');
    // Whisper small does not support Cantonese.
    const cantonese = engines.choose('yue', undefined, never, () => {});
    await expect(cantonese).rejects.toMatchObject({ failure: { code: 'model_unavailable' } });
  });

  test('has mirrors that use another name than its archive', () => {
    const model = MODELS.find(({ name }) => name === 'sense-voice')!;
    expect(sourcesOf(model, null).map(({ url }) => url)).toEqual([
      'https://github.com/k2-fsa/sherpa-onnx/releases/download/asr-models/sherpa-onnx-sense-voice-zh-en-ja-ko-yue-int8-2024-07-17.tar.bz2',
      'https://huggingface.co/csukuangfj/sherpa-onnx-sense-voice-zh-en-ja-ko-yue-2024-07-17/resolve/main/',
      'https://hf-mirror.com/csukuangfj/sherpa-onnx-sense-voice-zh-en-ja-ko-yue-2024-07-17/resolve/main/',
    ]);
  });
});
