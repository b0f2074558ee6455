/** Words built from tokens: punctuation, spaces, scripts without spaces, times and confidences. */
import { describe, expect, test } from 'bun:test';
import { timedTokens, wordsOf } from '../../../../server/whisper/search/align.ts';
import type { SearchRules } from '../../../../server/whisper/search/found-text.ts';
import {
  isUnspaced,
  spokenWords,
  type SpokenToken,
} from '../../../../server/whisper/search/text.ts';
import { recognisedWords, textOfWords } from '../../../../server/whisper/terms/about-terms.ts';

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
/** Tokens of texts or bytes, each a second long; each is half as probable as the one before it. */
const said = (...texts: (string | number[])[]): SpokenToken[] =>
  texts.map((text, at) => ({
    bytes: typeof text === 'string' ? bytesOf(text) : Uint8Array.from(text),
    start: at,
    logProbability: -(at + 1) * Math.LN2,
  }));
/** The words with their times, in a language. */
const words = (tokens: readonly SpokenToken[], language = 'en') =>
  spokenWords(tokens, language, tokens.length).map(({ text, start, end }) => [text, start, end]);

describe('marks', () => {
  test.each<[string, string[], unknown[]]>([
    ['after a word belong to it, without time', [' so', '!'], [['so!', 0, 1]]],
    ['several', [' so', '?', '!'], [['so?!', 0, 1]]],
    [
      'before a word belong to it',
      [' so', ' (', 'he'],
      [
        ['so', 0, 1],
        ['(he', 2, 3],
      ],
    ],
    ['of Spanish', [' ¿', 'Qué', '?'], [['¿Qué?', 1, 2]]],
    ['of quotation', [' “', 'so', '”'], [['“so”', 1, 2]]],
    [
      'after numbers',
      [' 5', '%', ' 3', '€'],
      [
        ['5%', 0, 1],
        ['3€', 2, 3],
      ],
    ],
    ['of dashes within', [' well', '-', 'known'], [['well-known', 0, 3]]],
    ['at the beginning, which close nothing', ['.', ' so'], [['so', 1, 2]]],
    ['at the end, which open nothing', [' so', ' ('], [['so', 0, 1]]],
    [
      'apart from words',
      [' so', ' +', ' he'],
      [
        ['so', 0, 1],
        ['he', 2, 3],
      ],
    ],
  ])('%s: %j', (_, texts, expected) => {
    expect(words(said(...texts))).toEqual(expected as never);
  });
});

describe('words', () => {
  test('begin with a space, except the first', () => {
    expect(words(said('So', ' he', 'ard'))).toEqual([
      ['So', 0, 1],
      ['heard', 1, 3],
    ]);
  });

  test.each(['zh', 'ja', 'th', 'lo', 'my', 'yue', 'km', 'bo'])('of %s are its tokens', (tag) => {
    expect(isUnspaced(tag)).toBe(true);
    expect(words(said('東', '京', '、', '都'), tag)).toEqual([
      ['東', 0, 1],
      ['京、', 1, 2],
      ['都', 3, 4],
    ]);
  });

  test.each(['en', 'ko', 'vi', 'de'])('of %s are divided by spaces', (tag) => {
    expect(isUnspaced(tag)).toBe(false);
    expect(words(said('東', '京'), tag)).toEqual([['東京', 0, 2]]);
  });

  test('have the mean confidence of their tokens, without marks', () => {
    const confidence = (...texts: string[]) => spokenWords(said(...texts), 'en', 9)[0]!.confidence;
    expect(confidence(' so')).toBeCloseTo(1 / 2, 9);
    expect(confidence(' so', 'on')).toBeCloseTo(Math.sqrt(1 / 8), 9);
    expect(confidence(' so', ',')).toBeCloseTo(1 / 2, 9);
    // An opening mark counts neither for the confidence nor for the time.
    expect(confidence(' (', 'so')).toBeCloseTo(1 / 4, 9);
  });

  test('end where the last token ends', () => {
    expect(spokenWords(said(' so'), 'en', 7.5)[0]!.end).toBe(7.5);
    expect(spokenWords([], 'en', 7.5)).toEqual([]);
  });

  test('may have characters that begin in one token and end in another', () => {
    const [a, b, c] = bytesOf('€') as unknown as [number, number, number];
    expect(words(said([0x20, 0x35, a], [b], [c, 0x35]))).toEqual([['5€5', 0, 3]]);
    // A character that is never completed is left out, and what is before it stays.
    expect(words(said(' so', [0x61, a]))).toEqual([['soa', 0, 2]]);
  });

  test('are not changed by the tokens that they were made of', () => {
    const tokens = said(' so', 'on');
    const copy = structuredClone(tokens);
    spokenWords(tokens, 'en', 2);
    expect(tokens).toEqual(copy);
  });
});

describe('the words that a term may replace', () => {
  const TOKENS = [' we', ' use', 'd', ',', ' "', 'it', '".', ' Now', '?', 'x', ' 3', ' -'];
  const bytes = TOKENS.map(bytesOf);
  const heard = (...texts: string[]) =>
    recognisedWords(
      texts.map((text) => TOKENS.indexOf(text)),
      bytes,
    );

  test('are ranges of tokens, without the marks after them', () => {
    expect(heard(' we', ' use', 'd', ',', ' Now', '?')).toEqual([
      { first: 0, end: 1, text: 'we', ends: false },
      { first: 1, end: 3, text: 'used', ends: true },
      { first: 4, end: 5, text: 'Now', ends: true },
    ]);
  });

  test('begin with a letter or digit after a space, and the first without one', () => {
    expect(heard('x', ' 3').map(({ text }) => text)).toEqual(['x', '3']);
    expect(heard(' we', ' "', 'it', '".').map(({ text, ends }) => [text, ends])).toEqual([
      ['we "it', true],
    ]);
    expect(heard(' -', '?')).toEqual([]);
    expect(heard(' we', ' -', ' Now').map(({ ends }) => ends)).toEqual([false, false]);
  });

  test('are put together with spaces, from one to another', () => {
    const all = heard(' we', ' use', ' Now', ' 3');
    expect(textOfWords(all, 1, 2)).toBe('use Now');
    expect(textOfWords(all, 3, 3)).toBe('3');
  });
});

describe('the times of tokens', () => {
  const rules = (frames: number): SearchRules => ({
    prompt: [9, 9],
    end: 3,
    noSpeech: 4,
    unspoken: [],
    neverFirst: [5, 3],
    special: 4,
    most: 224,
    frameSeconds: 0.02,
    bytes: [' so', ' he'].map(bytesOf),
    frames,
  });
  /** Attention to the first half, then to the second: after the prompt, and after each token. */
  const frames = 20;
  const row = (from: number, to: number) =>
    Float32Array.from({ length: frames }, (_, at) => (at >= from && at < to ? 1 : 0));
  const found = {
    tokens: [0, 1],
    logProbabilities: [-1, -2, -3],
    attention: [row(0, 1), row(0, 8), row(8, 14), row(14, 20)],
    noSpeech: 0,
  };

  test('begin with the last token of the prompt, and the end comes after the last', () => {
    const { tokens, end } = timedTokens(found, rules(frames));
    const shown = tokens.map(({ bytes, logProbability }) => [
      new TextDecoder().decode(bytes),
      logProbability,
    ]);
    expect(shown).toEqual([
      [' so', -1],
      [' he', -2],
    ]);
    expect(tokens[0]!.start).toBe(0);
    expect(tokens[1]!.start).toBeCloseTo(0.16, 9);
    expect(end).toBeCloseTo(0.28, 9);
    expect(wordsOf(found, rules(frames), 'en').map(({ text }) => text)).toEqual(['so', 'he']);
  });

  test('end with the sound if no attention to the end is known', () => {
    const { end } = timedTokens(
      { ...found, attention: found.attention.slice(0, 3) },
      rules(frames),
    );
    expect(end).toBeCloseTo(0.4, 9);
  });

  test('are none without attention or sound', () => {
    expect(timedTokens({ ...found, attention: [] }, rules(frames))).toEqual({ tokens: [], end: 0 });
    expect(timedTokens(found, rules(0))).toEqual({ tokens: [], end: 0 });
  });
});
