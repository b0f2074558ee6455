/** The word classes of each language: one example of every class, and what makes languages differ. */
import { describe, expect, test } from 'bun:test';
import { languageOf } from '../../server/captions/language.ts';
import { readWord } from '../../server/captions/divide/reading.ts';

const read = (tag: string, word: string) => readWord(word, languageOf(tag));

describe('a word opens as', () => {
  test.each<[string, Record<string, string>]>([
    [
      'ar',
      { preposition: 'في', conjunction: 'لكن', auxiliary: 'لم', modifier: 'هذا', enclitic: 'جدا' },
    ],
    [
      'de',
      {
        article: 'der meine',
        determiner: 'diese',
        preposition: 'auf',
        conjunction: 'und',
        auxiliary: 'waren',
        pronoun: 'ich',
        modifier: 'sehr freundlichen',
      },
    ],
    [
      'en',
      {
        article: 'the my',
        determiner: 'these 12',
        preposition: 'across',
        conjunction: 'but',
        auxiliary: 'was',
        pronoun: 'she',
        modifier: 'never quickly famous',
        participle: 'walked talking',
        name: 'Alice',
        other: 'house ally red',
      },
    ],
    [
      'es',
      {
        article: 'el mis',
        determiner: 'estos',
        preposition: 'ante',
        genitive: 'de del',
        conjunction: 'y',
        auxiliary: 'eran',
        pronoun: 'yo',
        modifier: 'muy',
        participle: 'hablando',
      },
    ],
    [
      'fr',
      {
        article: 'le ma',
        determiner: 'cette',
        preposition: 'après',
        conjunction: 'mais',
        auxiliary: 'était',
        pronoun: 'je',
        modifier: 'très',
        participle: 'parlant',
      },
    ],
    ['he', { preposition: 'של', conjunction: 'אבל', modifier: 'לא', enclitic: 'מאוד' }],
    ['hi', { conjunction: 'और', modifier: 'यह', enclitic: 'का' }],
    [
      'it',
      {
        article: 'il mia',
        determiner: 'questo',
        preposition: 'allo',
        genitive: "di della dell'",
        conjunction: 'ma',
        auxiliary: 'erano',
        pronoun: 'io',
        modifier: 'più',
        participle: 'parlando',
      },
    ],
    ['ja', { modifier: 'この', enclitic: 'は' }],
    ['ko', { modifier: '더 사용하는', enclitic: '것은' }],
    [
      'nl',
      {
        article: 'het mijn',
        determiner: 'deze',
        preposition: 'achter',
        conjunction: 'maar',
        auxiliary: 'waren',
        pronoun: 'ik',
        modifier: 'heel vriendelijke',
      },
    ],
    [
      'pt',
      {
        article: 'os minha',
        determiner: 'estas',
        preposition: 'aos',
        genitive: 'de dos',
        conjunction: 'mas',
        auxiliary: 'eram',
        pronoun: 'eu',
        modifier: 'bem',
        participle: 'falando',
      },
    ],
    [
      'th',
      { preposition: 'ของ', conjunction: 'และ', auxiliary: 'เป็น', modifier: 'ไม่', enclitic: 'ครับ' },
    ],
    [
      'zh',
      {
        determiner: '这',
        preposition: '在',
        conjunction: '和',
        auxiliary: '是',
        pronoun: '我',
        modifier: '很',
        enclitic: '了',
      },
    ],
    ['xx', { other: 'the und le', determiner: '7', name: 'Alice' }],
  ])('%s: %j', (tag, classes) => {
    for (const [wordClass, words] of Object.entries(classes)) {
      for (const word of words.split(' ')) {
        expect(`${word} ${read(tag, word).opens}`).toBe(`${word} ${wordClass}`);
      }
    }
  });
});

test('a language is found by its tag in upper and lower case and with any region', () => {
  for (const tag of ['de', 'DE', 'de-AT', 'De-Latn-CH'])
    expect(languageOf(tag).verbsLast).toBe(true);
  expect(languageOf('den').classes.size).toBe(0);
});

test.each([
  ['adjectives follow nouns', 'adjectivesFollow', ['es', 'fr', 'it', 'pt']],
  ['verbs come last', 'verbsLast', ['de', 'nl']],
] as const)('%s in some languages', (_, field, expected) => {
  const tags = ['ar', 'de', 'en', 'es', 'fr', 'he', 'hi', 'it', 'ja', 'ko', 'nl', 'pt', 'th', 'zh'];
  expect(tags.filter((tag) => languageOf(tag)[field])).toEqual([...expected]);
});

test.each([
  ['en', 'the', 'always'],
  ['en', 'the,', 'never'],
  ['en', 'these', 'never'],
  ['en', 'it', 'subject'],
  ['en', 'she', 'always'],
  ['de', 'waren', 'auxiliary'],
  ['de', 'mich', 'subject'],
  ['es', 'ella', 'subject'],
  ['fr', 'nous', 'subject'],
  ['it', 'lei', 'subject'],
  ['nl', 'ze', 'subject'],
  ['pt', 'ela', 'subject'],
  ['zh', '我', 'subject'],
  ['en', 'was', 'always'],
] as const)('in %s, %j dangles: %s', (tag, word, expected) => {
  expect(read(tag, word).dangles).toBe(expected);
});

test.each([
  ['de', 'Euro', 'Hr.'],
  ['en', 'percent', 'Mrs.'],
  ['es', 'euros', 'Sra.'],
  ['fr', 'ans', 'Mme.'],
  ['it', 'anni', 'Sig.ra'],
  ['nl', 'jaar', 'Mevr.'],
  ['pt', 'reais', 'Sra.'],
])('in %s, %j is a unit, and %j leans on the next word', (tag, unit, title) => {
  expect([read(tag, unit).unit, read(tag, title).unit]).toEqual([true, false]);
  expect([read(tag, title).leans, read(tag, unit).leans]).toEqual([true, false]);
  expect(read('xx', unit).unit).toBe(false);
});

test.each([
  'e.g.',
  '(i.e.',
  'cf.',
  'vs.',
  'z.B.',
  'd.h.',
  'bzw.',
  'p.ej.',
  'p.ex.',
  'p.es.',
  'bijv.',
])('%j leans on the next word in any language', (word) => {
  expect(read('xx', word).leans).toBe(true);
  expect(read('xx', `${word}x`).leans).toBe(false);
  expect(read('xx', `a${word}`).leans).toBe(false);
});

test('a word has the mark at its end, and may be a number or a name', () => {
  const marks = ['so.', 'so,', 'so;', 'so', 'so?”'].map((word) => read('en', word).mark);
  expect(marks).toEqual(['stop', 'comma', 'clause', 'none', 'stop']);
  expect(['12', 'B2', '2nd', '12,'].map((word) => read('en', word).number)).toEqual([
    true,
    true,
    false,
    false,
  ]);
  expect(['Alice', '“Alice', 'The', 'alice'].map((word) => read('en', word).named)).toEqual([
    true,
    true,
    false,
    false,
  ]);
});
