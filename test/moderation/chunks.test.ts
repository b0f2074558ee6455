import { expect, test } from 'bun:test';
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
