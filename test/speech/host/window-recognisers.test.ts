/** The requests of this host's recognisers to their processes, and the use of the responses. */
import { describe, expect, test } from 'bun:test';
import type { EnginePool } from '../../../server/speech/host/engine-pool.ts';
import type {
  EngineHints,
  RecognizedWords,
  Recognition,
} from '../../../server/speech/host/engine-messages.ts';
import type { Engine, Engines } from '../../../server/speech/host/engines.ts';
import type { WindowNote } from '../../../server/speech/host/spoken-languages.ts';
import { createWindowRecognisers } from '../../../server/speech/host/window-recognisers.ts';

const samples = new Float32Array(160);
const { signal } = new AbortController();
const parts = (...tokens: string[]): Recognition => ({
  tokens,
  timestamps: tokens.map((_, at) => at),
});
const words = (text: string): RecognizedWords['words'] =>
  text.split(' ').map((word, at) => ({ text: word, start: at, end: at + 0.5, confidence: 0.456 }));
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
  const notes: WindowNote[] = [];
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

describe('Whisper', () => {
  test('gets the language and, with terms, their pronunciations', async () => {
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

  test('detects the language on request', async () => {
    const { asked, hear } = await recogniser([heard('so')], { language: 'auto' });
    await hear();
    expect(asked[0]!.hints).toEqual({ language: null });
  });

  test('returns words in the time of the recording, with confidences of two digits', async () => {
    const { hear } = await recogniser([heard('so on')]);
    expect(await hear()).toEqual([
      { text: 'so', start: 10, end: 10.5, confidence: 0.46 },
      { text: 'on', start: 11, end: 11.5, confidence: 0.46 },
    ]);
  });

  test('notes a window with words or dropped words, and no other', async () => {
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

  test('has its weighed and its biased words combined with the plain ones, in this order', async () => {
    const answer = heard('we use versal and cloth now', {
      weighed: words('we use Vercel and cloth now'),
      biased: words('we use Vercel and Claude now'),
    });
    const { hear, use } = await recogniser([answer], { terms: ['Vercel', 'Claude'] });
    const list = await hear();
    expect(texts(list)).toBe('we use Vercel and Claude now');
    expect(list[2]).toEqual({ text: 'Vercel', start: 12, end: 12.5, confidence: 0.46 });
    expect(use).toMatchObject({ windows: 1, failed: 0, replaced: 2 });
  });

  test('takes no term from its biased words into a window without another term, if terms were weighed by the sound', async () => {
    const answer = heard('we stitch it now', { biased: words('we Stytch it now') });
    const { hear, use } = await recogniser([answer], { terms: ['Stytch'] });
    expect(texts(await hear())).toBe('we stitch it now');
    expect(use.replaced).toBe(0);
  });

  test('counts a window in which the terms could not be used', async () => {
    const { hear, use } = await recogniser([heard('so', { biasedFailed: true })], { terms: ['X'] });
    await hear();
    expect(use).toMatchObject({ windows: 1, failed: 1, replaced: 0 });
  });
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

  test.each<[string, Recognition, string[], boolean]>([
    ['without terms', plain, [], true],
    ['without words', parts(), ['Vercel'], true],
    ['if it cannot be biased', plain, ['Vercel'], false],
  ])('is asked once %s', async (_, answer, terms, acceptsTerms) => {
    const { asked, use, hear } = await recogniser([answer], { kind, terms, acceptsTerms });
    await hear();
    expect([asked.length, use.windows]).toEqual([1, 0]);
  });

  test('that fails the second time leaves the plain words', async () => {
    const failing = await recogniser([plain, new Error('lost')], { kind, terms: ['Vercel'] });
    expect(texts(await failing.hear())).toBe('we use versal');
    expect(failing.use).toMatchObject({ windows: 1, failed: 1, replaced: 0 });
  });

  test('that is stopped the second time fails with the reason', async () => {
    const stop = new AbortController();
    const stopped = await recogniser([plain, new Error('lost')], { kind, terms: ['Vercel'] });
    stop.abort(new Error('cancelled'));
    await expect(stopped.hear(stop.signal)).rejects.toThrow('cancelled');
    expect(stopped.use.failed).toBe(0);
  });

  test('that fails the first time fails', async () => {
    const { hear } = await recogniser([new Error('lost')], { kind });
    await expect(hear()).rejects.toThrow('lost');
  });

  test('has a word for each character of languages without spaces', async () => {
    const tokens = parts('東', '京');
    expect(texts(await (await recogniser([tokens], { kind, language: 'ja-JP' })).hear())).toBe(
      '東 京',
    );
    expect(texts(await (await recogniser([tokens], { kind, language: 'ko' })).hear())).toBe('東京');
  });
});
