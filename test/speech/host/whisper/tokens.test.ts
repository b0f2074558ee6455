/** Tokens, their times, and the words formed from them. */
import { describe, expect, test } from 'bun:test';
import {
  marksOf,
  readTokens,
  unspokenTokens,
  WHISPER_LANGUAGES,
} from '../../../../server/whisper/model/tokens.ts';
import { tokenStarts } from '../../../../server/whisper/search/align.ts';
import { spokenWords } from '../../../../server/whisper/search/text.ts';
import fc from 'fast-check';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

describe('markers', () => {
  // The ids in openai-whisper's tokenizer for its three vocabularies.
  test.each([
    [51_864, { end: 50_256, start: 50_257, transcribe: 50_358, noSpeech: 50_361, noTimes: 50_362 }],
    [51_865, { end: 50_257, start: 50_258, transcribe: 50_359, noSpeech: 50_362, noTimes: 50_363 }],
    [51_866, { end: 50_257, start: 50_258, transcribe: 50_360, noSpeech: 50_363, noTimes: 50_364 }],
  ])('of a vocabulary of %i', (size, expected) => {
    expect(marksOf(size)).toMatchObject(expected);
  });

  test('of a model that is not Whisper do not exist', () => {
    for (const size of [0, 32_000, 51_863, 51_867]) expect(marksOf(size)).toBeNull();
  });

  test('include a hundred languages, English first, Cantonese last', () => {
    expect(WHISPER_LANGUAGES.length).toBe(100);
    expect(new Set(WHISPER_LANGUAGES).size).toBe(100);
    expect([WHISPER_LANGUAGES[0], WHISPER_LANGUAGES[99]]).toEqual(['en', 'yue']);
  });
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

describe('times of tokens', () => {
  const frames = 100;
  const heads = 3;
  /** Attention that moves from one stretch of frames to the next. */
  const looking = (edges: readonly number[], marks: number) => ({
    heads,
    frames,
    frameSeconds: 0.02,
    tokens: [
      ...Array.from({ length: marks }, () => new Float32Array(heads * frames).fill(0.01)),
      ...edges.map((from, at) => {
        const to = edges[at + 1] ?? frames;
        return Float32Array.from({ length: heads * frames }, (_, index) => {
          const frame = index % frames;
          return frame >= from && frame < to ? 1 / (to - from) : 0.0001;
        });
      }),
    ],
  });

  test("a token begins where the decoder's attention begins", () => {
    const starts = tokenStarts(looking([0, 20, 45, 60, 90], 3), 3);
    expect(starts.map((seconds) => Math.round(seconds / 0.02))).toEqual([0, 20, 45, 60, 90]);
  });

  test('times increase and stay within the sound, whatever the attention', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 30 }),
        fc.integer({ min: 1, max: 60 }),
        fc.infiniteStream(fc.float({ min: 0, max: 1, noNaN: true })),
        (rows, length, noise) => {
          const tokens = Array.from({ length: rows }, () =>
            Float32Array.from({ length: 2 * length }, () => Number(noise.next().value)),
          );
          const starts = tokenStarts({ heads: 2, frames: length, frameSeconds: 0.02, tokens }, 0);
          expect(starts.length).toBe(rows);
          expect(starts).toEqual(starts.toSorted((a, b) => a - b));
          for (const start of starts) {
            expect(start).toBeGreaterThanOrEqual(0);
            expect(start).toBeLessThan(length * 0.02);
          }
        },
      ),
      { numRuns: 30 },
    );
  });

  test('no tokens have no times', () => {
    expect(tokenStarts({ heads: 1, frames: 0, frameSeconds: 0.02, tokens: [] }, 0)).toEqual([]);
  });
});

describe('words', () => {
  const said = (texts: readonly (string | Uint8Array)[]) =>
    texts.map((text, at) => ({
      bytes: typeof text === 'string' ? bytes(text) : text,
      start: at,
      logProbability: Math.log(0.5),
    }));

  test('pieces are joined, marks stay with their word, a mark has no time', () => {
    const words = spokenWords(
      said([' He', ' said', ',', ' "', 'Cap', 'tion', 'er', '."']),
      'en',
      8,
    );
    expect(words.map(({ text, start, end }) => [text, start, end])).toEqual([
      ['He', 0, 1],
      ['said,', 1, 2],
      ['"Captioner."', 4, 7],
    ]);
    for (const { confidence } of words) expect(confidence).toBeCloseTo(0.5, 9);
  });

  test('characters over two tokens are joined, and pieces are words in languages without spaces', () => {
    const [first, ...rest] = bytes('東');
    const words = spokenWords(
      said([Uint8Array.of(first!), Uint8Array.from(rest), '京', '。']),
      'ja',
      4,
    );
    expect(words.map(({ text, start, end }) => [text, start, end])).toEqual([
      ['東', 0, 2],
      ['京。', 2, 3],
    ]);
  });

  test('marks alone and broken bytes are dropped', () => {
    expect(spokenWords(said([' -', '...']), 'en', 2)).toEqual([]);
    expect(spokenWords(said([Uint8Array.of(0xe6)]), 'en', 1)).toEqual([]);
  });
});
