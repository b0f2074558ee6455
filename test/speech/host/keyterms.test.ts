/**
 * Key terms on this host: the real engine with a transducer of a few kilobytes, and its fallbacks.
 */
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createLog } from '../../../server/log.ts';
import type { EnginePool } from '../../../server/speech/host/engine-pool.ts';
import type { Engines } from '../../../server/speech/host/engines.ts';
import { createHostSpeech } from '../../../server/speech/host/host.ts';
import { createWindowRecognisers } from '../../../server/speech/host/window-recognisers.ts';
import { writeTinyModel } from '../../support/doubles/tiny-model.ts';
import { writeTinyTransducer } from '../../support/doubles/tiny-transducer.ts';
import { removeFolder, temporaryFolder } from '../../support/servers/server-process.ts';
import { sample } from '../../support/sample.ts';
import { never } from './engine-support.ts';

setDefaultTimeout(120_000);

const root = await temporaryFolder();
afterAll(() => removeFolder(root));

/** A folder of models, each written by its function. */
async function models(
  name: string,
  of: Record<string, (folder: string) => Promise<void>>,
): Promise<string> {
  for (const [model, write] of Object.entries(of)) {
    const folder = join(root, name, model);
    await mkdir(folder, { recursive: true });
    await write(folder);
  }
  return join(root, name);
}

async function hear(modelsDir: string, keyterms: string[]) {
  const speech = createHostSpeech({
    modelsDir,
    // No host responds, as on a machine without a network.
    modelsBaseUrl: 'http://127.0.0.1:9',
    speechModel: 'auto',
    engine: 'sherpa',
    vad: true,
    slots: 1,
    tempDir: join(root, 'tmp'),
    log: createLog('silent'),
  });
  // "Good evening, and welcome to a short talk."
  const bytes = (await readFile(sample)).subarray(0, 24_000);
  const audio = {
    size: bytes.length,
    async *read(range = { start: 0, end: bytes.length }) {
      yield bytes.subarray(range.start, range.end);
    },
  };
  const request = { language: 'en', keyterms, chunkBytes: 1_048_576, includeRawResponse: false };
  const context = { signal: never, progress: () => {} };
  const plan = await speech.plan(audio, request, context);
  const pieces = await Promise.all(
    plan.pieces.map((piece) => speech.transcribe(audio, piece, request, context)),
  );
  const transcript = speech.merge(plan, pieces, request);
  speech.close?.();
  return { engine: plan.engine, transcript };
}

describe('a transducer', () => {
  test('recognises plainly without terms, and uses a term in place of words that sound like it', async () => {
    const folder = await models('whole', { 'parakeet-110m-transducer': writeTinyTransducer });
    const plain = await hear(folder, []);
    expect(plain.transcript.text).toStartWith('off kit');
    expect(plain.engine).toMatchObject({
      model: 'parakeet-110m-transducer',
      keytermsInjected: false,
    });
    expect(plain.transcript.metadata?.['keytermWords']).toBeUndefined();

    const biased = await hear(folder, ['AuthKit', 'C#', 'CI/CD']);
    expect(biased.transcript.text).toStartWith('AuthKit');
    expect(biased.engine).toMatchObject({ keytermsInjected: true, provider: 'edge' });
    expect(biased.transcript.metadata?.['keytermWords']).toBeGreaterThanOrEqual(2);
    const [word] = biased.transcript.words;
    const [off, kit] = plain.transcript.words;
    expect([word?.start, word?.end]).toEqual([off!.start, kit!.end]);
    expect(word?.confidence).toBeLessThan(1);

    // The search is biased towards a term that was not said, so the plain words stay.
    const other = await hear(folder, ['Kubernetes']);
    expect(other.transcript.text).toBe(plain.transcript.text);
  });

  test('if it is unavailable or damaged, the other model is used, and the reason is reported', async () => {
    const damaged = async (folder: string) => {
      await writeTinyTransducer(folder);
      await writeFile(join(folder, 'encoder.int8.onnx'), 'no model');
    };
    const missing = await models('missing', { 'parakeet-110m': writeTinyModel });
    const broken = await models('broken', {
      'parakeet-110m': writeTinyModel,
      'parakeet-110m-transducer': damaged,
    });
    for (const [folder, reason] of [
      [
        missing,
        'The hosts of parakeet-110m-transducer cannot be reached, so parakeet-110m is used',
      ],
      [broken, 'parakeet-110m is used instead of parakeet-110m-transducer: The speech model'],
    ] as const) {
      // It hears other words than were said, and there is nothing better.
      const doubtful = await hear(folder, ['AuthKit']);
      expect(doubtful.engine['note']).toMatch(
        /^Expect wrong words: parakeet-110m got \d+ of 23 words of a known recording wrong\.$/,
      );
      const note = join(folder, '.heard', 'parakeet-110m.json');
      await Bun.write(note, JSON.stringify({ ...(await Bun.file(note).json()), wrong: 0 }));
      const { engine, transcript } = await hear(folder, ['AuthKit']);
      expect(engine).toMatchObject({ model: 'parakeet-110m', keytermsInjected: false });
      expect(engine['note']).toStartWith(reason);
      expect(engine['note']).not.toContain(folder);
      expect(transcript.words.length).toBeGreaterThan(0);
    }
  });

  test('if no model is available, the failure says how to install one', async () => {
    const outcome = hear(join(root, 'nothing'), []);
    await expect(outcome).rejects.toMatchObject({ failure: { code: 'model_unavailable' } });
  });
});

test('if the biased recognition fails, the plain words are used, and the failure is counted', async () => {
  const files = { encoder: 'e', decoder: 'd', joiner: 'j', tokens: 't' };
  const engines = {
    modelFiles: async () => ({ kind: 'nemo_transducer', name: 'm', folder: 'f', files }),
  } as unknown as Engines;
  const pool = {
    slots: 1,
    recognize: async (_model: unknown, _samples: unknown, _signal: unknown, hints: object) => {
      if ('terms' in hints) throw new Error('the engine ended');
      return { tokens: [' off', ' kit'], timestamps: [0.1, 0.5] };
    },
  } as unknown as EnginePool;
  const use = { terms: ['AuthKit'], says: {}, near: {}, windows: 0, failed: 0, replaced: 0 };
  const recognizer = createWindowRecognisers(engines, pool, root);
  const engine = { engine: 'sherpa-onnx', model: 'm', acceptsTerms: true } as const;
  const recognize = await recognizer(engine, 'en', [], use);
  const heard = await recognize(new Float32Array(16_000), { start: 3, end: 4 }, never);
  expect(heard.map(({ text }) => text)).toEqual(['off', 'kit']);
  expect(use).toMatchObject({ windows: 1, failed: 1, replaced: 0 });
});

test("from Whisper's second result, only terms that sound like its plain words are used, next to another term", async () => {
  const files = { encoder: 'e', decoder: 'd', tokens: 't' };
  const engines = {
    modelFiles: async () => ({ kind: 'whisper', name: 'm', folder: 'f', files }),
  } as unknown as Engines;
  const wordsOf = (text: string, confidence: number) =>
    text.split(' ').map((word, at) => ({ text: word, start: at, end: at + 1, confidence }));
  const hints: unknown[] = [];
  let failing = false;
  const pool = {
    slots: 1,
    hear: async (_model: unknown, _samples: unknown, _signal: unknown, hint: object) => {
      hints.push(hint);
      const plain = wordsOf('We deployed it on Varsal, with Kubernetes.', 0.4);
      const biased = wordsOf('We employed it on Vercel, with Kubernetes.', 0.9);
      const heard = { words: plain, language: 'en', languageProbability: 1, dropped: 0 };
      if (failing) return { ...heard, biasedFailed: true };
      return 'terms' in hint ? { ...heard, biased } : heard;
    },
  } as unknown as EnginePool;
  const recognizer = createWindowRecognisers(engines, pool, root);
  const engine = { engine: 'whisper', model: 'm', acceptsTerms: true } as const;
  const hear = async (terms: string[]) => {
    const says = { Vercel: 'ver sell' };
    const near = { Vercel: ['deploy'] };
    const use = { terms, says, near, windows: 0, failed: 0, replaced: 0 };
    const recognize = await recognizer(engine, 'en', [], use);
    const words = await recognize(new Float32Array(16_000), { start: 3, end: 9 }, never);
    return { text: words.map(({ text }) => text).join(' '), words, use };
  };
  const { text, words, use } = await hear(['Vercel', 'Kubernetes']);
  expect(text).toBe('We deployed it on Vercel, with Kubernetes.');
  expect(words[4]).toMatchObject({ start: 7, end: 8, confidence: 0.4 });
  expect(use).toMatchObject({ windows: 1, replaced: 1 });
  const plain = await hear([]);
  expect(plain.text).toBe('We deployed it on Varsal, with Kubernetes.');
  expect(plain.use.windows).toBe(0);
  expect(hints).toEqual([
    {
      language: 'en',
      terms: ['Vercel', 'Kubernetes'],
      says: { Vercel: 'ver sell' },
      near: { Vercel: ['deploy'] },
    },
    { language: 'en' },
  ]);
  failing = true;
  const failed = await hear(['Vercel']);
  expect(failed.text).toBe('We deployed it on Varsal, with Kubernetes.');
  expect(failed.use).toMatchObject({ windows: 1, failed: 1, replaced: 0 });
});
