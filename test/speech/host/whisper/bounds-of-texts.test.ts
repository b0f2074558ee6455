/** The bounds from which a text counts as repetitive, improbable or endless. */
import { describe, expect, test } from 'bun:test';
import { deflateSync } from 'node:zlib';
import { isEndless, isSpoken, loops } from '../../../../server/whisper/search/found-text.ts';
import {
  isHallucination,
  mayBeRealRepetition,
  repeatsItself,
} from '../../../../server/whisper/search/search.ts';
import { bytesOf, rules, STOP, text } from './letter-words.ts';

describe('a byte belongs to a letter or digit', () => {
  test.each<[string, string, boolean]>([
    ['digits', '09', true],
    ['their neighbours', '/:', false],
    ['capitals', 'AZ', true],
    ['their neighbours', '@[', false],
    ['small letters', 'az', true],
    ['their neighbours', '`{', false],
    ['the last of ASCII', '\u007f', false],
    ['the first above ASCII', '\u0080', true],
    ['other alphabets', 'é東', true],
  ])('%s: %s', (_, characters, spoken) => {
    for (const byte of bytesOf(characters)) expect(isSpoken(byte)).toBe(spoken);
  });
});

describe('a text loops', () => {
  const repeated = (phrase: number, length: number) =>
    Array.from({ length }, (_, at) => 10 + (at % phrase));

  test.each([1, 2, 3, 4, 5, 6, 7, 8])('after 48 tokens of a phrase of %d', (phrase) => {
    expect(loops(repeated(phrase, 48))).toBe(true);
    expect(loops(repeated(phrase, 47))).toBe(false);
    expect(loops([0, 1, 2, ...repeated(phrase, 48)])).toBe(true);
    expect(loops([...repeated(phrase, 48), 0])).toBe(false);
    // One other token within the last 48.
    expect(loops(repeated(phrase, 48).with(1, 0))).toBe(phrase > 48);
  });

  test('not of a phrase of nine', () => {
    expect(loops(repeated(9, 90))).toBe(false);
  });

  test('and is then endless, as is one of twelve marks', () => {
    const marks = (count: number) => Array.from({ length: count }, () => STOP);
    expect(isEndless(repeated(3, 48), rules())).toBe(true);
    expect(isEndless(repeated(3, 47), rules())).toBe(false);
    expect(isEndless(marks(12), rules())).toBe(true);
    expect(isEndless(marks(11), rules())).toBe(false);
    expect(isEndless([...marks(11), 5], rules())).toBe(false);
    expect(isEndless([...marks(11), 5, STOP], rules())).toBe(false);
  });
});

describe('a text repeats itself', () => {
  test.each<[number[], boolean]>([
    [[1, 1, 1, 1, 2, 2, 2, 2], true],
    [[1, 1, 1, 1, 2, 2, 2, 3], false],
    [[1, 1, 1, 1, 1, 1, 1], false],
    [[1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3], true],
  ])('with no more than a quarter of different tokens: %j', (tokens, repeats) => {
    expect(repeatsItself({ ...text(0), tokens }, rules())).toBe(repeats);
  });

  test('if it can be compressed to less than 1 / 2.4', () => {
    // Ten words are said twice, and again with more and more of their beginning.
    const ratios: [number, boolean][] = [];
    for (let length = 20; length < 70; length += 1) {
      const tokens = Array.from({ length }, (_, at) => at % 10);
      const whole = Buffer.concat(tokens.map((id) => rules().bytes[id]!));
      ratios.push([
        whole.length / deflateSync(whole).length,
        repeatsItself({ ...text(0), tokens }, rules()),
      ]);
    }
    for (const [ratio, repeats] of ratios) expect([ratio, repeats]).toEqual([ratio, ratio > 2.4]);
    const near = ratios.map(([ratio]) => ratio);
    expect(near.some((ratio) => ratio > 2.1 && ratio < 2.4)).toBe(true);
    expect(near.some((ratio) => ratio > 2.4 && ratio < 2.7)).toBe(true);
  });

  test('not if it is empty', () => {
    expect(repeatsItself({ ...text(0), tokens: [] }, rules())).toBe(false);
  });
});

describe('a text is a hallucination', () => {
  test.each([
    [-1.19, 0, false],
    [-1.21, 0, true],
    [-0.81, 0.5, false],
    [-0.81, 0.51, true],
    [-0.79, 0.99, false],
  ])('at %d for each word, where the chance of silence is %d: %p', (each, noSpeech, invented) => {
    expect(isHallucination(text(each, { noSpeech }), rules())).toBe(invented);
  });

  test('by its words, not by its marks and its end', () => {
    const said = (word: number, mark: number, end: number) =>
      isHallucination(text(0, { tokens: [3, STOP], logProbabilities: [word, mark, end] }), rules());
    expect(said(-1.1, -9, -9)).toBe(false);
    expect(said(-1.3, 0, 0)).toBe(true);
  });

  test('by its marks if it has no word, and not by its end', () => {
    const dots = (mark: number, end: number) =>
      isHallucination(
        text(0, { tokens: [STOP, STOP], logProbabilities: [mark, mark, end] }),
        rules(),
      );
    expect(dots(-1.1, -9)).toBe(false);
    expect(dots(-1.3, 0)).toBe(true);
  });

  test('by the first of words that are repeated after the same word', () => {
    const said = (first: number, again: number) =>
      text(0, {
        tokens: [1, 2, 1, 2, 1, 2],
        logProbabilities: [first, first, first, again, again, again, 0],
      });
    expect(isHallucination(said(-1.3, 0), rules())).toBe(true);
    expect(isHallucination(said(-1.1, -9), rules())).toBe(false);
  });
});

test('a text may have been spoken twice if it is repetitive, probable on the whole, and not a loop', () => {
  const twice = (each: number, phrase: number, times: number) => {
    const tokens = Array.from({ length: phrase * times }, (_, at) => at % phrase);
    const logProbabilities = [...tokens.map(() => each), each];
    return mayBeRealRepetition(text(0, { tokens, logProbabilities }), rules());
  };
  expect(twice(-0.99, 12, 5)).toBe(true);
  expect(twice(-1.01, 12, 5)).toBe(false);
  expect(twice(-0.5, 4, 12)).toBe(false);
  expect(twice(-0.5, 12, 1)).toBe(false);
});
