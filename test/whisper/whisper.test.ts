/** A window that Whisper hears: language, silence, what it left out, and what it says twice. */
import { describe, expect, test } from 'bun:test';
import { WHISPER_LANGUAGES, marksOf } from '../../server/whisper/model/tokens.ts';
import {
  type WindowResult,
  addMissed,
  missedSpeech,
} from '../../server/whisper/search/missed-speech.ts';
import { splitPoint } from '../../server/whisper/search/split-window.ts';
import { type SpokenWord } from '../../server/whisper/search/text.ts';
import { ids, scriptedWhisper, type Script } from './scripted-whisper.ts';

describe('a window of Whisper', () => {
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

  const languages = WHISPER_LANGUAGES.slice(0, 99).map((tag) =>
    tag === 'pt' ? Math.log(6) : tag === 'es' ? Math.log(3) : -30,
  );
  const model = { vocabulary: MULTILINGUAL, languages };

  test('the language of a multilingual model is detected, with its chance among all languages', async () => {
    const { language, languageProbability, asked } = await heard(model, null);
    expect(language).toBe('pt');
    expect(languageProbability).toBeCloseTo(2 / 3, 2);
    expect(asked).toContainEqual([marks.start]);
  });

  test.each(['xx', '', 'yue'])(
    'the language that the model does not know is detected: %j',
    async (tag) => {
      expect((await heard(model, tag)).language).toBe('pt');
    },
  );

  test('the language is in the prompt, after the start and before the task', async () => {
    const { asked } = await heard(model, 'de');
    const german = marks.firstLanguage + WHISPER_LANGUAGES.indexOf('de');
    expect(asked).toContainEqual([marks.start, german, marks.transcribe, marks.noTimes]);
    const english = marksOf(51_864)!;
    expect((await heard({}, 'en')).asked).toContainEqual([english.start, english.noTimes]);
  });

  test('a window is silent if its loudest 10 ms are below -60 dB', async () => {
    const quiet = new Float32Array(16_000).fill(0.00099);
    const nothing = { words: [], dropped: 0, language: 'en', languageProbability: 0 };
    expect(await heard({}, 'en', quiet)).toMatchObject({ ...nothing, asked: [] });
    const loud = quiet.slice().fill(0.0011, 8000, 8160);
    expect((await heard({}, 'en', loud)).text).toBe('We use Vercel');
  });

  test('a window whose text is improbable has no words, and reports the number of dropped ones', async () => {
    // Three other tokens are nearly as probable as each that is said, so that each has a chance of 0.27.
    const doubt = () => [97, 98, 99].map((token) => [token, 19.9] as const);
    const { words, dropped } = await heard({ doubt }, 'en');
    expect(words).toEqual([]);
    expect(dropped).toBeGreaterThan(0);
    expect((await heard({}, 'en')).dropped).toBe(0);
  });

  test('a window is placed within its sound, with the confidence of its words', async () => {
    const { words } = await heard({}, 'en');
    expect(words.at(-1)!.end).toBeLessThanOrEqual(1);
    for (const { confidence } of words) expect(confidence).toBeGreaterThan(0.99);
  });

  test('a window whose text repeats itself is recognised again in halves, with the terms', async () => {
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

describe('speech that Whisper leaves out is recognised again separately', () => {
  const RATE = 16_000;
  /** Sound of some seconds with silence in the given stretches. */
  function sound(seconds: number, ...silences: [start: number, end: number][]): Float32Array {
    const samples = Float32Array.from({ length: seconds * RATE }, (_, at) => Math.sin(at / 9) / 3);
    for (const [start, end] of silences) samples.fill(0, start * RATE, end * RATE);
    return samples;
  }
  const word = (text: string, start: number, end = start + 0.5, confidence = 0.9): SpokenWord => ({
    text,
    start,
    end,
    confidence,
  });

  test('a stretch is missed in the middle, before and after the words', () => {
    const words = [word('one', 3), word('two', 6), word('three', 6.5)];
    const samples = sound(10, [3.5, 3.6], [6.9, 7]);
    expect(missedSpeech(words, samples)).toEqual([
      { start: 0, end: 3 },
      { start: 3.5, end: 6 },
      { start: 7, end: 10 },
    ]);
  });

  test('a stretch is missed even if sound and pauses cannot be distinguished', () => {
    expect(missedSpeech([word('one', 0)], sound(4))).toEqual([{ start: 0.5, end: 4 }]);
  });

  const texts = (words: readonly { text: string }[] | undefined) =>
    words?.map(({ text }) => text).join(' ');
  const window = (words: SpokenWord[], biased?: SpokenWord[]): WindowResult => ({
    words,
    ...(biased ? { biased } : {}),
    language: 'en',
    languageProbability: 1,
    dropped: 0,
  });
  /** A window after words were added from 4 s on. */
  function added(heard: WindowResult, missed: WindowResult): WindowResult {
    addMissed(heard, missed, { start: 4, end: 8 });
    return heard;
  }

  const around = () => [word('one', 0), word('four', 9)];

  test('the words of a stretch are omitted if the recogniser is unsure of them', () => {
    const heard = (confidence: number) =>
      window([word('two', 0, 0.5, 0.4), word('three', 1, 1.5, confidence)]);
    expect(texts(added(window(around()), heard(0.8)).words)).toBe('one two three four');
    expect(texts(added(window(around()), heard(0.79)).words)).toBe('one four');
    expect(texts(added(window(around()), window([])).words)).toBe('one four');
  });

  test('the words of a stretch are added to the second result with key terms, once', () => {
    const missed = () => window([word('two', 0)], [word('Two', 0)]);
    const without = added(window(around()), missed());
    expect([texts(without.words), texts(without.biased)]).toEqual(['one two four', 'one Two four']);
    const biased = [word('one', 0), word('2', 4.1), word('four', 9)];
    const both = added(window(around(), biased), missed());
    expect([texts(both.words), texts(both.biased)]).toEqual(['one two four', 'one 2 four']);
    const plain = added(window(around(), around()), window([word('two', 0)]));
    expect([texts(plain.words), texts(plain.biased)]).toEqual(['one two four', 'one two four']);
    expect(added(window(around()), window([word('two', 0)])).biased).toBeUndefined();
    const weighed = added({ ...window(around()), weighed: biased }, missed());
    expect([texts(weighed.words), texts(weighed.weighed)]).toEqual(['one two four', 'one 2 four']);
  });

  test('a window is recognised again where it has sound but no words', async () => {
    // Ten seconds of sound with short pauses. The first words are said in the first two seconds.
    const samples = sound(10, [2, 2.1], [6, 6.1]);
    const whisper = scriptedWhisper({
      say: (_, window) => ids(window === 1 ? 'We use Varsal' : 'Vercel now'),
      attend: (token, window) => (window === 1 && token === 3 ? 95 : 10 + token * 25),
    });
    const { words } = await whisper.hear(samples, WHISPER_LANGUAGES[0]!);
    expect(texts(words)).toBe('We use Varsal Vercel now');
    expect(words[3]!.start).toBeGreaterThanOrEqual(words[2]!.end);
    expect(words.at(-1)!.end).toBeLessThanOrEqual(10);
  });
});

describe('dividing a window whose text repeats itself', () => {
  const RATE = 16_000;
  const noise = (seconds: number): Float32Array =>
    Float32Array.from({ length: seconds * RATE }, (_, at) => Math.sin(at * at) / 3);

  test.each([9.5, 10, 11.8, 12.1])('a window is cut in its pause at %d s', (pause) => {
    const samples = noise(22).fill(0, (pause - 0.15) * RATE, (pause + 0.15) * RATE);
    expect(Math.abs(splitPoint(samples)! / RATE - pause)).toBeLessThan(0.06);
  });
});
