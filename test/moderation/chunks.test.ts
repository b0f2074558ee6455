import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { CHUNK_WORDS, moderationChunks, OVERLAP_WORDS } from '../../server/moderation/chunks.ts';

const texts = fc.array(fc.constantFrom('word', 'more', 'end.', 'why?', 'so'), { maxLength: 900 });

test('chunks cover every word, in order, and overlap', () => {
  fc.assert(
    fc.property(texts, (list) => {
      const words = list.map((text, at) => ({ text, start: at, end: at + 0.5 }));
      const chunks = moderationChunks(words);
      expect(chunks.length > 0).toBe(words.length > 0);
      expect(chunks.at(-1)?.lastWord ?? -1).toBe(words.length - 1);
      for (const [at, chunk] of chunks.entries()) {
        const before = chunks[at - 1];
        expect(chunk.index).toBe(at);
        expect(chunk.start).toBe(chunk.firstWord);
        expect(chunk.end).toBe(chunk.lastWord + 0.5);
        expect(chunk.lastWord - chunk.firstWord).toBeLessThan(CHUNK_WORDS);
        expect(chunk.firstWord).toBeLessThanOrEqual(before ? before.lastWord : 0);
        if (before) {
          expect(chunk.firstWord).toBeGreaterThanOrEqual(before.lastWord + 1 - OVERLAP_WORDS);
          expect(chunk.lastWord).toBeGreaterThan(before.lastWord);
        }
        expect(chunk.text).toBe(list.slice(chunk.firstWord, chunk.lastWord + 1).join(' '));
      }
    }),
    { numRuns: 50 },
  );
});

test('a chunk ends where a sentence does, and the next begins with that sentence', () => {
  const words = Array.from({ length: 400 }, (_, at) => ({
    text: at % 9 === 8 ? 'end.' : 'word',
    start: at,
    end: at + 1,
  }));
  const [first, second] = moderationChunks(words);
  expect(words[first!.lastWord]?.text).toBe('end.');
  expect(second?.firstWord).toBe(first!.lastWord - 8);
});

describe('boundaries', () => {
  /** Words of which the ones at some positions end a sentence. */
  const spoken = (count: number, ends: number[]) =>
    Array.from({ length: count }, (_, at) => ({
      text: ends.includes(at) ? 'end.' : 'word',
      start: at,
      end: at + 1,
    }));
  const spans = (count: number, ends: number[], size: number) =>
    moderationChunks(spoken(count, ends), size).map(({ firstWord, lastWord }) => [
      firstWord,
      lastWord,
    ]);

  test.each([
    // A sentence that ends in the second half of a chunk ends it; one that ends before does not.
    [30, [5], 10, 0, 5],
    [30, [4], 10, 0, 9],
    // The last sentence end within the chunk counts, up to its last word.
    [30, [6, 8, 9], 10, 0, 9],
    [30, [6, 8, 10], 10, 0, 8],
    // The rest is one chunk, even if a sentence ends in it.
    [10, [7], 10, 0, 9],
    // Text that fits is one chunk.
    [10, [4], 10, 0, 9],
    [11, [9], 10, 0, 9],
  ])('%d words that end at %j, chunks of %d: from %d to %d', (count, ends, size, first, last) => {
    expect(spans(count, ends, size)[0]).toEqual([first, last]);
  });

  test.each([
    // Chunks overlap by the last sentence if it is at most forty words long.
    [[99, 90], 91],
    [[99, 60], 61],
    [[99, 59], 60],
    [[99, 40], 60],
    // Without a sentence end they overlap by forty words.
    [[], 60],
  ])('sentences that end at %j: the second chunk begins at %d', (ends, second) => {
    expect(spans(300, ends, 100)[1]?.[0]).toBe(second);
  });
});

test('the text of a chunk has one space between words, whatever spaces they bring', () => {
  const words = [' one ', 'two\n'].map((text, at) => ({ text, start: at, end: at + 1 }));
  expect(moderationChunks(words).map(({ text }) => text)).toEqual(['one two']);
});

test('without another size, a chunk has at most 200 words', () => {
  const words = Array.from({ length: 300 }, (_, at) => ({ text: 'word', start: at, end: at + 1 }));
  expect(moderationChunks(words)[0]?.lastWord).toBe(199);
});
