/** Speech that Whisper leaves out is recognised again separately. */
import { describe, expect, test } from 'bun:test';
import { WHISPER_LANGUAGES } from '../../../../server/whisper/model/tokens.ts';
import { addMissed, missedSpeech } from '../../../../server/whisper/search/missed-speech.ts';
import type { WindowResult } from '../../../../server/whisper/search/split-window.ts';
import type { SpokenWord } from '../../../../server/whisper/search/text.ts';
import { ids, scriptedWhisper } from './scripted-whisper.ts';

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

describe('a stretch is missed', () => {
  test('in the middle, before and after the words', () => {
    const words = [word('one', 3), word('two', 6), word('three', 6.5)];
    const samples = sound(10, [3.5, 3.6], [6.9, 7]);
    expect(missedSpeech(words, samples)).toEqual([
      { start: 0, end: 3 },
      { start: 3.5, end: 6 },
      { start: 7, end: 10 },
    ]);
  });

  test('if it lasts at least a second and a half', () => {
    const samples = sound(6, [5.5, 6]);
    expect(missedSpeech([word('one', 0), word('two', 2, 5)], samples)).toHaveLength(1);
    expect(missedSpeech([word('one', 0), word('two', 1.99, 5)], samples)).toEqual([]);
  });

  test('only if at least 0.4 s of it are sound', () => {
    const words = [word('one', 0), word('two', 4.5, 6)];
    expect(missedSpeech(words, sound(6, [0.7, 4.25]))).toHaveLength(1);
    expect(missedSpeech(words, sound(6, [0.7, 4.35]))).toEqual([]);
  });

  test('not in a window without words or speech', () => {
    expect(missedSpeech([], sound(10))).toEqual([]);
  });

  test('even if sound and pauses cannot be distinguished', () => {
    expect(missedSpeech([word('one', 0)], sound(4))).toEqual([{ start: 0.5, end: 4 }]);
  });
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

describe('the words of a stretch', () => {
  const around = () => [word('one', 0), word('four', 9)];

  test('are moved to its place', () => {
    const { words } = added(window(around()), window([word('two', 0.25), word('three', 1)]));
    expect(words).toEqual([word('one', 0), word('two', 4.25), word('three', 5), word('four', 9)]);
  });

  test('may come before and after all others', () => {
    expect(texts(added(window([word('two', 6)]), window([word('one', 0)])).words)).toBe('one two');
    expect(texts(added(window([word('one', 3)]), window([word('two', 0)])).words)).toBe('one two');
  });

  test('are omitted if the recogniser is unsure of them', () => {
    const heard = (confidence: number) =>
      window([word('two', 0, 0.5, 0.4), word('three', 1, 1.5, confidence)]);
    expect(texts(added(window(around()), heard(0.8)).words)).toBe('one two three four');
    expect(texts(added(window(around()), heard(0.79)).words)).toBe('one four');
    expect(texts(added(window(around()), window([])).words)).toBe('one four');
  });

  test('are omitted where there are words already', () => {
    const list = [word('one', 0), word('kept', 4.4), word('four', 9)];
    expect(texts(added(window(list), window([word('two', 0), word('three', 1)])).words)).toBe(
      'one kept four',
    );
  });

  test('are added to the second result with key terms, once', () => {
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
});

describe('a window of Whisper', () => {
  /** Ten seconds of sound with short pauses. The first words are said in the first two seconds. */
  const samples = sound(10, [2, 2.1], [6, 6.1]);
  const attend = (token: number) => 10 + token * 25;

  test('is recognised again where it has sound but no words', async () => {
    const whisper = scriptedWhisper({
      say: (_, window) => ids(window === 1 ? 'We use Varsal' : 'Vercel now'),
      attend: (token, window) => (window === 1 && token === 3 ? 95 : attend(token)),
    });
    const { words } = await whisper.hear(samples, WHISPER_LANGUAGES[0]!);
    expect(texts(words)).toBe('We use Varsal Vercel now');
    expect(words[3]!.start).toBeGreaterThanOrEqual(words[2]!.end);
    expect(words.at(-1)!.end).toBeLessThanOrEqual(10);
  });
});
