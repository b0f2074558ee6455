/** A window of Whisper: its language, its silence, its prompt, and the parts of the model that are called for it. */
import { describe, expect, test } from 'bun:test';
import { createEncoder } from '../../../../server/whisper/model/encoder.ts';
import { marksOf, WHISPER_LANGUAGES } from '../../../../server/whisper/model/tokens.ts';
import { createWhisper } from '../../../../server/whisper/whisper.ts';
import { ids, scriptedWhisper, type Script } from './scripted-whisper.ts';

/** A second of a tone of this loudness. */
const tone = (loudness = 0.3, seconds = 1): Float32Array =>
  Float32Array.from({ length: seconds * 16_000 }, (_, at) => Math.sin(at / 9) * loudness);
const MULTILINGUAL = 51_865;
const marks = marksOf(MULTILINGUAL)!;

/** Recognises a window, and returns the result with the texts that the decoder had to continue. */
async function heard(
  script: Partial<Script>,
  language: string | null,
  samples = tone(),
  terms: readonly string[] = [],
) {
  const asked: number[][] = [];
  const whisper = scriptedWhisper({ say: () => ids('We use Vercel'), asked, ...script });
  const result = await whisper.hear(samples, language, terms);
  return { ...result, asked, text: result.words.map(({ text }) => text).join(' ') };
}

describe('the language', () => {
  const languages = WHISPER_LANGUAGES.slice(0, 99).map((tag) =>
    tag === 'pt' ? Math.log(6) : tag === 'es' ? Math.log(3) : -30,
  );
  const model = { vocabulary: MULTILINGUAL, languages };

  test('of a multilingual model is detected, with its chance among all languages', async () => {
    const { language, languageProbability, asked } = await heard(model, null);
    expect(language).toBe('pt');
    expect(languageProbability).toBeCloseTo(2 / 3, 2);
    expect(asked).toContainEqual([marks.start]);
  });

  test('that is given is not detected', async () => {
    const { language, languageProbability, asked, text } = await heard(model, 'de');
    expect([language, languageProbability, text]).toEqual(['de', 1, 'We use Vercel']);
    expect(asked).not.toContainEqual([marks.start]);
  });

  test.each(['xx', '', 'yue'])('that the model does not know is detected: %j', async (tag) => {
    expect((await heard(model, tag)).language).toBe('pt');
  });

  test('of an English model is English, whatever was requested', async () => {
    for (const language of [null, 'en', 'de']) {
      expect(await heard({}, language)).toMatchObject({ language: 'en', languageProbability: 1 });
    }
  });

  test('is in the prompt, after the start and before the task', async () => {
    const { asked } = await heard(model, 'de');
    const german = marks.firstLanguage + WHISPER_LANGUAGES.indexOf('de');
    expect(asked).toContainEqual([marks.start, german, marks.transcribe, marks.noTimes]);
    const english = marksOf(51_864)!;
    expect((await heard({}, 'en')).asked).toContainEqual([english.start, english.noTimes]);
  });
});

describe('a window', () => {
  test('is silent if its loudest 10 ms are below -60 dB', async () => {
    const quiet = new Float32Array(16_000).fill(0.00099);
    const nothing = { words: [], dropped: 0, language: 'en', languageProbability: 0 };
    expect(await heard({}, 'en', quiet)).toMatchObject({ ...nothing, asked: [] });
    const loud = quiet.slice().fill(0.0011, 8000, 8160);
    expect((await heard({}, 'en', loud)).text).toBe('We use Vercel');
  });

  test('of silence does not share its result with the next', async () => {
    const whisper = scriptedWhisper({ say: () => [] });
    const first = await whisper.hear(new Float32Array(160), 'en');
    first.dropped = 7;
    expect((await whisper.hear(new Float32Array(160), 'en')).dropped).toBe(0);
  });

  test('whose text is improbable has no words, and reports the number of dropped ones', async () => {
    // Three other tokens are nearly as probable as each that is said, so that each has a chance of 0.27.
    const doubt = () => [97, 98, 99].map((token) => [token, 19.9] as const);
    const { words, dropped } = await heard({ doubt }, 'en');
    expect(words).toEqual([]);
    expect(dropped).toBeGreaterThan(0);
    expect((await heard({}, 'en')).dropped).toBe(0);
  });

  test('is placed within its sound, with the confidence of its words', async () => {
    const { words } = await heard({}, 'en');
    expect(words.at(-1)!.end).toBeLessThanOrEqual(1);
    for (const { confidence } of words) expect(confidence).toBeGreaterThan(0.99);
  });

  test('whose text repeats itself is recognised again in halves, with the terms', async () => {
    const phrase = ids('We use Vercel now');
    // The whole says its phrase many times, but no loop; each half says it once.
    const long = Array.from({ length: 60 }, (_, at) => phrase[(at * 7 + (at >> 3)) % 4]!);
    const say = (biased: boolean, window: number) =>
      window === 1 ? long : biased ? ids('We use Varsal now') : phrase;
    const whisper = scriptedWhisper({ say, attend: (said) => Math.min(245, said * 60) });
    const samples = tone(0.3, 10);
    samples.fill(0, 4.9 * 16_000, 5.1 * 16_000);
    const { words, biased } = await whisper.hear(samples, 'en', ['Varsal']);
    const textOf = (list: readonly { text: string }[] = []) =>
      list.map(({ text }) => text).join(' ');
    expect(textOf(words)).toBe('We use Vercel now We use Vercel now');
    expect(textOf(biased)).toBe('We use Varsal now We use Varsal now');
    expect(words[4]!.start).toBeGreaterThanOrEqual(4.9);
    expect(words[3]!.end).toBeLessThanOrEqual(5.1);
  });
});

test('a decoder without attention is refused, and so are logits of another size', async () => {
  expect(() =>
    createWhisper({
      encoder: { inputNames: [], outputNames: [], run: async () => ({}) },
      prepare: async (encoded) => encoded,
      decoder: { inputNames: [], outputNames: ['logits'], run: async () => ({}) },
      tokens: '',
      tensors: {
        floats: (data, dims) => ({ data, dims }),
        integers: (data, dims) => ({ data, dims }),
      },
    }),
  ).toThrow('this Whisper decoder has no attention output');
});

describe('the encoder', () => {
  /** An encoder for so many bands, with the inputs it was given. */
  function encoderFor(bands: number, failures: string[] = []) {
    const given: (readonly number[])[] = [];
    const tensors = {
      floats: (data: Float32Array, dims: readonly number[]) => ({ data, dims }),
      integers: (data: readonly number[], dims: readonly number[]) => ({ data, dims }),
    };
    const encode = createEncoder(
      {
        encoder: {
          inputNames: ['mel'],
          outputNames: [],
          async run({ mel }) {
            given.push(mel!.dims);
            if (mel!.dims[1] !== bands) throw new Error(failures.shift() ?? 'other bands');
            return { n_layer_cross_k: { data: [], dims: [6, 1, 1500, 512] } };
          },
        },
        prepare: async (encoded) => ({ ...encoded, ready: { data: [], dims: [] } }),
        tensors,
      },
      100,
    );
    return { encode, given };
  }

  test.each([80, 128])('gets %d bands if it expects them, and is tried once', async (bands) => {
    const { encode, given } = encoderFor(bands);
    await encode(tone());
    await encode(tone());
    const tries = bands === 80 ? [80] : [80, 128];
    expect(given).toEqual([...tries, bands].map((each) => [1, each, 100]));
  });

  test('returns its layers, their width, and the inputs prepared from its outputs', async () => {
    const { layers, width, inputs } = await encoderFor(80).encode(tone());
    expect([layers, width, Object.keys(inputs)]).toEqual([6, 512, ['n_layer_cross_k', 'ready']]);
  });

  test.each([
    [0.5, 50],
    [0.009, 0],
    [0.019, 1],
    [2, 100],
  ])('returns the loudness of each 10 ms of %d s: %d values', async (seconds, count) => {
    const samples = tone(0.3, 3).subarray(0, seconds * 16_000);
    expect((await encoderFor(80).encode(samples)).loudness).toHaveLength(count);
  });

  test('that takes no bands fails with its first reason, and may be tried again', async () => {
    const { encode, given } = encoderFor(7, ['no memory', 'wrong size']);
    await expect(encode(tone())).rejects.toThrow('no memory');
    await expect(encode(tone())).rejects.toThrow('other bands');
    expect(given).toHaveLength(4);
  });
});
