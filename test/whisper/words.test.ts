/** Words made of tokens, with their times. */
import { describe, expect, test } from 'bun:test';
import { timedTokens } from '../../server/whisper/search/timed-words.ts';
import { placeWords } from '../../server/whisper/search/place-words.ts';
import { spokenWords, type SpokenToken } from '../../server/whisper/search/text.ts';
import fc from 'fast-check';
import { marksOf, readTokens, unspokenTokens } from '../../server/whisper/model/tokens.ts';

interface Attention {
  heads: number;
  frames: number;
  tokens: Float32Array[];
}

/** The start times of the tokens after the first ones, which belong to the prompt. */
const tokenStarts = ({ frames, tokens }: Attention, from: number): number[] =>
  timedTokens(
    {
      tokens: tokens.slice(from).keys().toArray(),
      logProbabilities: [],
      attention: tokens,
      noSpeech: 0,
    },
    { prompt: tokens.slice(0, from + 1), frames, frameSeconds: 0.02, bytes: [] } as never,
  ).tokens.map(({ start }) => start);

describe('tokens, their times, and the words formed from them', () => {
  const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

  // The ids in openai-whisper's tokenizer for its three vocabularies.
  test.each([
    [51_864, { end: 50_256, start: 50_257, transcribe: 50_358, noSpeech: 50_361, noTimes: 50_362 }],
    [51_865, { end: 50_257, start: 50_258, transcribe: 50_359, noSpeech: 50_362, noTimes: 50_363 }],
    [51_866, { end: 50_257, start: 50_258, transcribe: 50_360, noSpeech: 50_363, noTimes: 50_364 }],
  ])('markers of a vocabulary of %i', (size, expected) => {
    expect(marksOf(size)).toMatchObject(expected);
  });

  test('markers of sounds and speakers are never spoken, words and punctuation are', () => {
    const texts = ['a', ' a', '.', ',', '?', ' -', " '", '[', ' [', '♪', '(', '-', "'", '!', ' ♪♪'];
    const table = texts.map((text, id) => `${btoa(String.fromCharCode(...bytes(text)))} ${id}`);
    const tokens = readTokens(table.join('\n'));
    expect(tokens.map((token) => new TextDecoder().decode(token))).toEqual(texts);
    expect(unspokenTokens(tokens).map((id) => texts[id])).toEqual([
      ' -',
      " '",
      '[',
      ' [',
      '♪',
      '(',
      ' ♪♪',
    ]);
  });
});

describe('words built from tokens', () => {
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
    spokenWords(tokens, language, tokens.length)
      .map(({ text, start, end }) => `${text} ${start}-${end}`)
      .join(', ');

  test.each([
    ['after a word belong to it, without time', [' so', '!'], 'so! 0-1'],
    ['several', [' so', '?', '!'], 'so?! 0-1'],
    ['before a word belong to it', [' so', ' (', 'he'], 'so 0-1, (he 2-3'],
    ['of Spanish', [' ¿', 'Qué', '?'], '¿Qué? 1-2'],
    ['of quotation', [' “', 'so', '”'], '“so” 1-2'],
    ['after numbers', [' 5', '%', ' 3', '€'], '5% 0-1, 3€ 2-3'],
    ['of dashes within', [' well', '-', 'known'], 'well-known 0-3'],
    ['at the beginning, which close nothing', ['.', ' so'], 'so 1-2'],
    ['at the end, which open nothing', [' so', ' ('], 'so 0-1'],
    ['apart from words', [' so', ' +', ' he'], 'so 0-1, he 2-3'],
  ])('marks: %s: %j', (_, texts, expected) => {
    expect(words(said(...texts))).toBe(expected);
  });

  test('words have the mean confidence of their tokens, without marks', () => {
    const confidence = (...texts: string[]) => spokenWords(said(...texts), 'en', 9)[0]!.confidence;
    expect(confidence(' so')).toBeCloseTo(1 / 2, 9);
    expect(confidence(' so', 'on')).toBeCloseTo(Math.sqrt(1 / 8), 9);
    expect(confidence(' so', ',')).toBeCloseTo(1 / 2, 9);
    // An opening mark counts neither for the confidence nor for the time.
    expect(confidence(' (', 'so')).toBeCloseTo(1 / 4, 9);
  });

  test('words may have characters that begin in one token and end in another', () => {
    const [a, b, c] = bytesOf('€') as unknown as [number, number, number];
    expect(words(said([0x20, 0x35, a], [b], [c, 0x35]))).toBe('5€5 0-3');
    // A character that is never completed is left out, and what is before it stays.
    expect(words(said(' so', [0x61, a]))).toBe('soa 0-2');
  });
});

describe("the alignment of tokens, compared with its definition in openai-whisper's timing.py, written out plainly", () => {
  /** Numbers from 0 to 1 that look random and are the same in each run. */
  function numbers(seed: number) {
    let state = seed;
    return () => (state = (state * 16_807) % 2_147_483_647) / 2_147_483_647;
  }

  const median = (values: number[]): number => values.toSorted((a, b) => a - b)[3]!;

  /** The mean attention of the heads: each is normalised over all tokens, and smoothed over seven frames. */
  function smoothed({ heads, frames, tokens }: Attention): number[][] {
    const mean = (values: number[]) => values.reduce((sum, each) => sum + each, 0) / values.length;
    return tokens.map((own) =>
      Array.from({ length: frames }, (_, frame) =>
        mean(
          Array.from({ length: heads }, (_, head) => {
            const normal = (at: number): number => {
              const column = tokens.map((row) => row[head * frames + at]!);
              const middle = mean(column);
              const deviation = Math.sqrt(mean(column.map((value) => (value - middle) ** 2)));
              return (own[head * frames + at]! - middle) / (deviation || 1);
            };
            const mirrored = (at: number): number => {
              const within = Math.abs(at);
              return within < frames ? within : 2 * (frames - 1) - within;
            };
            return median([-3, -2, -1, 0, 1, 2, 3].map((step) => normal(mirrored(frame + step))));
          }),
        ),
      ),
    );
  }

  /** The frames at which the path of least cost enters each row, found among all paths. */
  function bestPath(attention: readonly number[][]): number[] {
    const frames = attention[0]!.length;
    const from = new Map<string, { sum: number; entered: number[] }>();
    const pathTo = (row: number, frame: number): { sum: number; entered: number[] } => {
      const key = `${row} ${frame}`;
      const known = from.get(key);
      if (known) return known;
      const own = attention[row]![frame]!;
      const ways = [
        ...(frame > 0 ? [pathTo(row, frame - 1)] : []),
        ...(row > 0 ? [pathTo(row - 1, frame)] : []),
        ...(row > 0 && frame > 0 ? [pathTo(row - 1, frame - 1)] : []),
      ].toSorted((a, b) => b.sum - a.sum);
      const before = ways[0] ?? { sum: 0, entered: [] };
      const entered = [...before.entered];
      entered[row] ??= frame;
      const path = { sum: before.sum + own, entered };
      from.set(key, path);
      return path;
    };
    return pathTo(attention.length - 1, frames - 1).entered;
  }

  test.each([
    { rows: 6, frames: 24, heads: 1, from: 0 },
    { rows: 6, frames: 24, heads: 3, from: 2 },
    { rows: 5, frames: 30, heads: 2, from: 4 },
    // More tokens than frames: several begin in one.
    { rows: 12, frames: 7, heads: 2, from: 1 },
    { rows: 4, frames: 4, heads: 2, from: 0 },
  ])('$rows tokens in $frames frames, seen by $heads heads', ({ rows, frames, heads, from }) => {
    for (let seed = 1; seed <= 6; seed += 1) {
      const next = numbers(seed * 977);
      const attention = {
        heads,
        frames,
        tokens: Array.from({ length: rows }, (_, row) =>
          Float32Array.from({ length: heads * frames }, (_, at) => {
            const place = ((at % frames) + 0.5) / frames;
            const wanted = (row + 0.5) / rows;
            return Math.exp(-20 * (place - wanted) ** 2) + next() * 0.8;
          }),
        ),
      };
      const expected = bestPath(smoothed(attention).slice(from)).map((frame) => frame * 0.02);
      expect(tokenStarts(attention, from)).toEqual(expected);
    }
  });
});

describe('words are placed by attention, by the time that they take, and between pauses', () => {
  /** The loudness of a window with sound in the given stretches and quiet elsewhere, in frames of 10 ms. */
  const sound = (length: number, ...stretches: readonly [start: number, end: number][]) =>
    Float32Array.from({ length }, (_, at) =>
      stretches.some(([start, end]) => at >= start && at < end) ? 1 : 0,
    );
  const word = (text: string, start: number, end: number) => ({ text, start, end, confidence: 1 });
  /** Consecutive words of these texts, with edges in seconds. */
  const words = (texts: string, ...edges: readonly number[]) =>
    texts.split(' ').map((text, at) => word(text, edges[at]!, edges[at + 1]!));
  const times = (placed: readonly { start: number; end: number }[]) =>
    placed.map(({ start, end }) => [start, end]);

  test('words begin and end with the sound around a pause', () => {
    const placed = placeWords(
      words('ask not', 0, 1.4, 2.5),
      sound(400, [80, 120], [200, 250]),
      0.05,
    );
    expect(times(placed)).toEqual([
      [0.8, 1.2],
      [2, 2.5],
    ]);
  });

  test('words without pauses begin where attention reaches them, after its lag', () => {
    const even = words('abcde abcde abcde abcde', 0, 0.5, 1, 1.5, 2);
    expect(times(placeWords(even, sound(210, [0, 210]), 0)).map(([start]) => start)).toEqual([
      0, 0.5, 1, 1.5,
    ]);
    const late = placeWords(even, sound(210, [0, 210]), 0.1);
    expect(times(late).slice(1)).toEqual([
      [0.6, 1.1],
      [1.1, 1.6],
      [1.6, 2.1],
    ]);
    const early = placeWords(even, sound(210, [0, 210]), -0.1);
    expect(early[1]?.start).toBeCloseTo(0.4, 1);
  });

  test('words take time by their letters, of which a digit counts for four', () => {
    const edge = (first: string, second: string) =>
      placeWords(
        words(`abcd ${first} ${second} abcd`, 0, 0.4, 0.8, 1.2, 1.6),
        sound(160, [0, 160]),
        0,
      )[2]!.start;
    expect(edge('ab', 'abcdef')).toBeLessThan(0.75);
    expect(edge('abcdef', 'ab')).toBeGreaterThan(0.85);
    expect(edge('12', 'abcdefgh')).toBe(edge('abcdefgh', '12'));
    expect(edge('a-b', 'c!!')).toBe(edge('ab', 'c'));
  });

  test('words are after a long pause that attention leaves in them; the sound before it belongs to the word before', () => {
    const spoken = words('abcde abcdefghij', 0, 0.5, 4);
    const placed = placeWords(spoken, sound(400, [0, 100], [300, 400]), 0);
    expect(times(placed)).toEqual([
      [0, 1],
      [3, 4],
    ]);
    // A pause of less than 250 ms may be within a word.
    const short = placeWords(spoken, sound(324, [0, 100], [124, 324]), 0);
    expect(short[1]!.start).toBeLessThan(1);
  });

  test('words keep their order, texts and confidences within the window, whatever the sound', () => {
    const share = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(
        fc.array(share, { maxLength: 300 }),
        fc.array(fc.tuple(fc.stringMatching(/^[a-z0-9]{1,9}$/), share), { maxLength: 12 }),
        fc.constantFrom(-0.075, 0, 0.075),
        (levels, spoken, lag) => {
          let at = 0;
          const seconds = levels.length / 100;
          const all = spoken.map(([text, length]) =>
            word(text, at, (at = Math.min(seconds, at + length))),
          );
          const placed = placeWords(all, Float32Array.from(levels), lag);
          expect(placed.map(({ text }) => text)).toEqual(all.map(({ text }) => text));
          for (const [index, { start, end }] of placed.entries()) {
            expect(start).toBeGreaterThanOrEqual(placed[index - 1]?.end ?? 0);
            expect(end).toBeGreaterThanOrEqual(start);
            expect(end).toBeLessThanOrEqual(seconds);
          }
        },
      ),
    );
  });
});
