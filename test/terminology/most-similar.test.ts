/** The term that a word sounds most like, compared with a search through all terms. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import type { ActiveTerm } from '../../server/terminology/packs/compile.ts';
import {
  indexSounds,
  similarityOf,
  mostSimilar,
  maySoundAlike,
  speak,
} from '../../server/terminology/match/similarity.ts';
import { applyEdits } from '../../server/terminology/decide/correct.ts';
import { term } from './made-terms.ts';

const spoken = (text: string) => speak(text, new Map());
const find = (terms: readonly ActiveTerm[], heard: string, least = 0.6) => {
  const { spelling, sound } = spoken(heard);
  const found = mostSimilar(indexSounds(terms), spelling, sound, least);
  return found && { name: found.term.canonical, similarity: found.similarity, rival: found.rival };
};

/** The sounds of a text, whole and without one of their codes if there are at least three. */
const soundsOf = (text: string): Set<string> => {
  const { sound } = spoken(text);
  const without = [...sound].map((_, at) => sound.slice(0, at) + sound.slice(at + 1));
  return new Set(sound.length < 3 ? [sound] : [sound, ...without]);
};
const shareSound = (a: string, b: string): boolean => !soundsOf(a).isDisjointFrom(soundsOf(b));
const haveLikeLength = (a: string, b: string): boolean =>
  Math.abs(a.length - b.length) <= 0.4 * Math.max(a.length, b.length);

/** Words that share sounds, so that many are alike. */
const word = fc.stringMatching(/^[bdfklmnrst][aeiou][bdfklmnrst][aeiou]?[dklrst]?$/);

test('it is the most similar of those that share its sound, except for one code', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(word, { minLength: 1, maxLength: 12 }),
      word,
      fc.constantFrom(0.6, 0.8),
      (names, heard, least) => {
        const similarities = names
          .filter((name) => shareSound(name, heard) && haveLikeLength(name, heard))
          .map((name) => similarityOf(name, heard))
          .toSorted((a, b) => b - a);
        const [best = 0, next = 0] = similarities;
        const found = find(
          names.map((name) => term(name)),
          heard,
          least,
        );
        if (best < least) return expect(found).toBeNull();
        expect(found?.similarity).toBe(best);
        expect(found?.rival).toBe(next);
        expect(similarityOf(found!.name, heard)).toBe(best);
      },
    ),
    { numRuns: 300 },
  );
});

describe('a term is found', () => {
  test('by its name, its pronunciation, and its mishears that are not ordinary', () => {
    const terms = [
      term('Zorbix', { say: 'plumdek', mishears: ['kravnot', 'skimmel'], risky: ['skimmel'] }),
    ];
    expect(['zorbix', 'plumdek', 'kravnot'].map((heard) => find(terms, heard)?.similarity)).toEqual(
      [1, 1, 1],
    );
    expect(find(terms, 'skimmel')).toBeNull();
  });

  test('by three letters or more, the first of them Latin', () => {
    expect(find([term('zob')], 'zob')?.name).toBe('zob');
    expect(find([term('zo')], 'zo')).toBeNull();
    expect(find([term('3zorbix')], '3zorbix')).toBeNull();
    expect(find([term('жзорбикс')], 'жзорбикс')).toBeNull();
  });

  test('by a sound of up to 31 codes, and one code more or less', () => {
    const long = (count: number) => 'ta'.repeat(count);
    expect(find([term(long(31))], long(31))?.similarity).toBe(1);
    expect(find([term(long(31))], long(32))?.name).toBe(long(31));
    expect(find([term(long(32))], long(32))).toBeNull();
    const index = indexSounds([term('tamaka')]);
    expect(['TMK', 'TMKT', 'TK', 'TMKTT', 'T'].map((sound) => maySoundAlike(index, sound))).toEqual(
      [true, true, true, false, false],
    );
  });

  test('among a hundred of the same sound', () => {
    const vowels = ['a', 'e', 'i', 'o', 'u'];
    const names = vowels.flatMap((a) =>
      vowels.flatMap((b) => vowels.map((c) => `t${a}m${b}k${c}`)),
    );
    const terms = names.map((name) => term(name));
    expect(find(terms, names[99]!)?.similarity).toBe(1);
    expect(find(terms, names[100]!)?.similarity).toBeLessThan(1);
  });

  test('however often sounds are looked up', () => {
    const index = indexSounds([term('tamaka')]);
    for (let at = 0; at < 3; at += 1) {
      expect(mostSimilar(index, 'tamaka', 'TMK', 0.6)?.similarity).toBe(1);
      expect(index.asked.size).toBe(1);
      expect(index.held).toBe(2);
    }
    index.held = 20_000;
    mostSimilar(index, 'tamak', 'TM', 0.6);
    expect([index.asked.size, index.held]).toEqual([1, 2]);
  });
});

test('similarity is 1 for the same letters, and 0 for nothing in common', () => {
  expect(similarityOf('AuthKit', 'auth kit')).toBe(1);
  expect(similarityOf('tap', 'xylo')).toBeLessThan(0.3);
  expect(similarityOf('', '')).toBe(1);
});

describe('an edit keeps the times of words that stay', () => {
  const at = (text: string, start: number, end: number) => ({ text, start, end });
  const timesOf = (heard: { text: string; start: number; end: number }[], after: string) =>
    applyEdits(heard, [
      {
        firstWord: 0,
        lastWord: heard.length - 1,
        before: heard.map(({ text }) => text).join(' '),
        after,
      },
    ]).words.map(({ text, start, end }) => [text, start, end]);

  test('before and after the term', () => {
    const heard = [at('the', 0, 1), at('off', 1, 2), at('kit', 2, 3), at('plan', 5, 9)];
    expect(timesOf(heard, 'The AuthKit plan.')).toEqual([
      ['The', 0, 1],
      ['AuthKit', 1, 3],
      ['plan.', 5, 9],
    ]);
  });

  test('but leaves at least one word for the term', () => {
    const heard = [at('go', 0, 1), at('go', 1, 2), at('go', 2, 3)];
    expect(timesOf(heard, 'go go')).toEqual([
      ['go', 0, 1],
      ['go', 1, 3],
    ]);
  });

  test('in place of more words, shares their time by letters', () => {
    expect(timesOf([at('abcd', 0, 10)], 'abc defghij')).toEqual([
      ['abc', 0, 3],
      ['defghij', 3, 10],
    ]);
  });
});

test('the next best term is the rival, whichever was tried first', () => {
  const names = ['Zorbik', 'Zorbicks'];
  const [best, next] = names.map((name) => similarityOf(name, 'zorbix')).toSorted((a, b) => b - a);
  for (const order of [names, names.toReversed()]) {
    const found = find(
      order.map((name) => term(name)),
      'zorbix',
    );
    expect([found?.similarity, found?.rival]).toEqual([best, next]);
  }
});
