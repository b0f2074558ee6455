/** Dividing a window whose text repeats itself. */
import { expect, test } from 'bun:test';
import {
  splitPoint,
  joinSplitWindow,
  type WindowResult,
} from '../../../../server/whisper/search/split-window.ts';

const RATE = 16_000;
const noise = (seconds: number): Float32Array =>
  Float32Array.from({ length: seconds * RATE }, (_, at) => Math.sin(at * at) / 3);

test.each([9.5, 10, 11.8, 12.1])('a window is cut in its pause at %d s', (pause) => {
  const samples = noise(22).fill(0, (pause - 0.15) * RATE, (pause + 0.15) * RATE);
  expect(Math.abs(splitPoint(samples)! / RATE - pause)).toBeLessThan(0.06);
});

test('a pause near an end of the window is not used', () => {
  const samples = noise(20).fill(0, 2 * RATE, 3 * RATE);
  const cut = splitPoint(samples)! / RATE;
  expect(cut).toBeGreaterThanOrEqual(6);
  expect(cut).toBeLessThanOrEqual(14);
});

test('a short window is not divided', () => {
  expect(splitPoint(noise(8))).not.toBeNull();
  expect(splitPoint(noise(8).subarray(1))).toBeNull();
});

const word = (text: string, start: number) => ({ text, start, end: start + 0.5, confidence: 1 });
const half = (words: string[], more: Partial<WindowResult> = {}): WindowResult => ({
  words: words.map((text, at) => word(text, at)),
  language: 'en',
  languageProbability: 0.9,
  dropped: 0,
  ...more,
});

test('the words of the second half follow the first, and dropped words are added up', () => {
  const first = half(['one'], { dropped: 2 });
  const second = half(['two', 'three'], { dropped: 1, language: 'fr', languageProbability: 0.7 });
  expect(joinSplitWindow(first, second, 10 * RATE)).toEqual({
    words: [word('one', 0), word('two', 10), word('three', 11)],
    language: 'fr',
    languageProbability: 0.7,
    dropped: 3,
  });
});

test('a half without terms of the other kind keeps its plain words along with the second result and the weighed words', () => {
  const biased = [word('won', 0)];
  const joined = joinSplitWindow(
    half(['one'], { biased }),
    half(['two'], { biasedFailed: true }),
    RATE,
  );
  expect(joined.biased).toEqual([word('won', 0), word('two', 1)]);
  expect(joined.biasedFailed).toBe(true);
  expect(joinSplitWindow(half(['one']), half(['two']), RATE)).not.toHaveProperty('biased');
  const weighed = joinSplitWindow(
    half(['one']),
    half(['two'], { weighed: [word('too', 0)] }),
    RATE,
  );
  expect(weighed.weighed).toEqual([word('one', 0), word('too', 1)]);
  expect(weighed).not.toHaveProperty('biased');
});

test('of halves with as many words, the first has the language', () => {
  const joined = joinSplitWindow(
    half(['one'], { language: 'en' }),
    half(['deux'], { language: 'fr' }),
    RATE,
  );
  expect(joined.language).toBe('en');
});
