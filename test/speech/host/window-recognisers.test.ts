/** What the recognisers are asked, with key terms and without, and what becomes of the answers. */
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Transcript } from '../../../server/contract/results.ts';
import type {
  EngineHints,
  RecognizedWords,
  Recognition,
} from '../../../server/speech/host/engine-messages.ts';
import type { EnginePool } from '../../../server/speech/host/engine-pool.ts';
import type { Engines, Engine } from '../../../server/speech/host/engines.ts';
import {
  createWindowRecognisers,
  withTermCounts,
} from '../../../server/speech/host/window-recognisers.ts';
import type { PieceTranscript } from '../../../server/speech/provider.ts';
import { writeTinyModel } from '../../support/doubles/tiny-model.ts';
import { writeTinyTransducer } from '../../support/doubles/tiny-transducer.ts';
import { sample } from '../../support/sample.ts';
import { removeFolder, temporaryFolder } from '../../support/servers/server-process.ts';
import { transcribed } from '../../support/transcribed.ts';
import { source } from '../../mp3/support.ts';
import { hostSpeech } from './engine-support.ts';

describe('key terms on this host', async () => {
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
    const speech = hostSpeech(modelsDir, { speechModel: 'auto', engine: 'sherpa' });
    // "Good evening, and welcome to a short talk."
    const bytes = (await readFile(sample)).subarray(0, 24_000);
    const { plan, transcript } = await transcribed(speech, source(bytes), { keyterms });
    speech.close?.();
    return { engine: plan.engine, transcript };
  }

  test('a transducer recognises plainly without terms, and uses a term in place of words that sound like it', async () => {
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

  test('if a transducer is unavailable or damaged, the other model is used, and the reason is reported', async () => {
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

describe("the requests of this host's recognisers to their processes, and the use of the responses", () => {
  const samples = new Float32Array(160);
  const { signal } = new AbortController();
  const parts = (...tokens: string[]): Recognition => ({
    tokens,
    timestamps: tokens.map((_, at) => at),
  });
  const words = (text: string): RecognizedWords['words'] =>
    text
      .split(' ')
      .map((word, at) => ({ text: word, start: at, end: at + 0.5, confidence: 0.456 }));
  const heard = (text: string, more: Partial<RecognizedWords> = {}): RecognizedWords => ({
    words: text === '' ? [] : words(text),
    language: 'en',
    languageProbability: 1,
    dropped: 0,
    ...more,
  });

  interface Asked {
    model: unknown;
    samples: unknown;
    signal: unknown;
    hints: EngineHints | undefined;
  }

  /** A recogniser whose processes return these responses, with their requests and notes recorded. */
  async function recogniser(
    answers: (Recognition | RecognizedWords | Error)[],
    {
      kind = 'whisper',
      language = 'en-GB',
      terms = [],
      acceptsTerms = true,
    }: { kind?: string; language?: string; terms?: string[]; acceptsTerms?: boolean } = {},
  ) {
    const asked: Asked[] = [];
    const answer = async (...[model, given, until, hints]: unknown[]) => {
      asked.push({ model, samples: given, signal: until, hints: hints as EngineHints });
      const next = answers.shift();
      if (next instanceof Error) throw next;
      return next as never;
    };
    const model = { kind, name: 'mine' };
    const engines = { modelFiles: async () => model } as unknown as Engines;
    const pool = { slots: 1, recognize: answer, hear: answer } as unknown as EnginePool;
    const notes: Parameters<ReturnType<typeof createWindowRecognisers>>[2] = [];
    const use = {
      terms,
      says: { Vercel: 'versel' },
      near: { Vercel: ['deploy'] },
      windows: 0,
      failed: 0,
      replaced: 0,
    };
    const engine: Engine = {
      engine: kind === 'whisper' ? 'whisper' : 'sherpa-onnx',
      model: 'mine',
      ...(acceptsTerms ? { acceptsTerms } : {}),
    };
    const recognize = await createWindowRecognisers(engines, pool, '/none')(
      engine,
      language,
      notes,
      use,
    );
    const window = { start: 10, end: 20 };
    return {
      asked,
      notes,
      use,
      model,
      hear: (until = signal) => recognize(samples, window, until),
    };
  }
  const texts = (list: readonly { text: string }[]) => list.map(({ text }) => text).join(' ');

  test('Whisper gets the language and, with terms, their pronunciations', async () => {
    const plain = await recogniser([heard('so')]);
    await plain.hear();
    expect(plain.asked).toEqual([
      { model: plain.model, samples, signal, hints: { language: 'en' } },
    ]);
    const termed = await recogniser([heard('so')], { terms: ['Vercel'] });
    await termed.hear();
    expect(termed.asked[0]!.hints).toEqual({
      language: 'en',
      terms: ['Vercel'],
      says: { Vercel: 'versel' },
      near: { Vercel: ['deploy'] },
    });
    expect(termed.use.windows).toBe(1);
    const deaf = await recogniser([heard('so')], { terms: ['Vercel'], acceptsTerms: false });
    await deaf.hear();
    expect([deaf.asked[0]!.hints, deaf.use.windows]).toEqual([{ language: 'en' }, 0]);
  });

  test('Whisper notes a window with words or dropped words, and no other', async () => {
    const said = await recogniser([heard('so on', { language: 'fr', dropped: 1 })]);
    await said.hear();
    expect(said.notes).toEqual([{ start: 10, end: 20, language: 'fr', words: 2, dropped: 1 }]);
    const dropped = await recogniser([heard('', { dropped: 3 })], { terms: ['Vercel'] });
    await dropped.hear();
    expect(dropped.notes).toMatchObject([{ words: 0, dropped: 3 }]);
    // Terms are not needed where nobody speaks.
    expect(dropped.use.windows).toBe(0);
    const silent = await recogniser([heard('')]);
    expect([await silent.hear(), silent.notes]).toEqual([[], []]);
  });

  test('Whisper takes only terms from its biased words that sound like its plain ones, next to another term', async () => {
    const plain = 'We deployed it on Varsal, with Kubernetes.';
    const biased = words('We employed it on Vercel, with Kubernetes.');
    const answers = [heard(plain, { biased }), heard(plain, { biasedFailed: true })];
    const { hear, use } = await recogniser(answers, { terms: ['Vercel', 'Kubernetes'] });
    const found = await hear();
    expect(texts(found)).toBe('We deployed it on Vercel, with Kubernetes.');
    expect(found[4]).toMatchObject({ start: 14, end: 14.5, confidence: 0.46 });
    expect(use).toMatchObject({ windows: 1, failed: 0, replaced: 1 });
    expect(texts(await hear())).toBe(plain);
    expect(use).toMatchObject({ windows: 2, failed: 1, replaced: 1 });
  });

  test('Whisper takes no term from its biased words into a window without another term, if terms were weighed by the sound', async () => {
    const answer = heard('we stitch it now', { biased: words('we Stytch it now') });
    const { hear, use } = await recogniser([answer], { terms: ['Stytch'] });
    expect(texts(await hear())).toBe('we stitch it now');
    expect(use.replaced).toBe(0);
  });

  describe('a transducer', () => {
    const kind = 'nemo_transducer';
    const plain = parts(' we', ' use', ' versal');
    const biased = parts(' we', ' use', ' Vercel');

    test('is called a second time with the terms, which replace similar words', async () => {
      const transducer = await recogniser([plain, biased], { kind, terms: ['Vercel'] });
      expect(texts(await transducer.hear())).toBe('we use Vercel');
      expect(transducer.asked).toEqual([
        { model: transducer.model, samples, signal, hints: { language: 'en' } },
        { model: transducer.model, samples, signal, hints: { terms: ['Vercel'] } },
      ]);
      expect(transducer.use).toMatchObject({ windows: 1, failed: 0, replaced: 1 });
    });

    test('that fails the second time leaves the plain words', async () => {
      const failing = await recogniser([plain, new Error('lost')], { kind, terms: ['Vercel'] });
      expect(texts(await failing.hear())).toBe('we use versal');
      expect(failing.use).toMatchObject({ windows: 1, failed: 1, replaced: 0 });
    });

    test('has a word for each character of languages without spaces', async () => {
      const tokens = parts('東', '京');
      expect(texts(await (await recogniser([tokens], { kind, language: 'ja-JP' })).hear())).toBe(
        '東 京',
      );
      expect(texts(await (await recogniser([tokens], { kind, language: 'ko' })).hear())).toBe(
        '東京',
      );
    });
  });
});

describe('the report of a run on its key terms, and the spelling of terms for a transducer', () => {
  const transcript = { text: 'so', metadata: { model: 'mine' } } as unknown as Transcript;
  const piece = (keytermUse?: object) => ({ words: [], keytermUse }) as unknown as PieceTranscript;

  test.each([
    [1, true],
    [2, true],
    [3, false],
  ])(
    'the metadata state that terms failed in %d of 3 stretches, and whether any was used: %p',
    (failed, used) => {
      const pieces = [
        piece({ windows: 1, failed: 1, replaced: 0 }),
        piece({ windows: 2, failed: failed - 1, replaced: 0 }),
      ];
      expect(withTermCounts(transcript, pieces).metadata).toEqual({
        model: 'mine',
        keytermWords: 0,
        keytermsInjected: used,
        keytermsNote: `The recogniser could not use the key terms in ${failed} of 3 stretches, which were recognised without them.`,
      } as never);
    },
  );
});
