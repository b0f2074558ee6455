/**
 * The cost of every kind of break, as a table of examples: a bar marks the break. The words follow each other without a
 * pause, and every cost is stated here, so that none can change unnoticed.
 */
import { describe, expect, test } from 'bun:test';
import { breaksOf } from '../../server/captions/divide/breaks.ts';
import { languageOf } from '../../server/captions/language.ts';
import { tokensOf } from '../../server/captions/divide/tokens.ts';

type Price = readonly [cue: number, line: number];

/** The costs of a new cue and of a new line at the bar, with so many seconds of silence there. */
function priceAt(example: string, language = 'en', pause = 0): [number, number] {
  const [before = [], after = []] = example
    .split('|')
    .map((part) => part.trim().split(' ').filter(Boolean));
  const words = [...before, ...after].map((text, at) => {
    const start = at * 0.25 + (at >= before.length ? pause : 0);
    return { text, start, end: start + 0.25 };
  });
  const breaks = breaksOf(tokensOf(words), languageOf(language));
  return [breaks.cue[before.length]!, breaks.line[before.length]!];
}

/** Far from punctuation on both sides, so that the words alone decide. */
const far = (example: string): string => {
  const [before = '', after = ''] = example.split('|');
  return `recorder recorder recorder ${before}|${after} recorder recorder recorder`;
};

describe('a break costs, by the word after it', () => {
  test.each<[string, string, Price]>([
    ['a conjunction', 'water | and', [-6, -4]],
    ['a participle', 'water | walking', [13, 5]],
    ['a preposition', 'water | under', [8, 1]],
    ['a modifier', 'water | good', [18, 6]],
    ['an auxiliary', 'water | is', [6, 2]],
    ['a determiner', 'water | these', [13, 4]],
    ['an article', 'water | the', [16, 2]],
    ['a pronoun', 'water | they', [8, 4]],
    ['any other word', 'water | house', [20, 12]],
    ['a name', 'water | Lovelace', [21, 10]],
  ])('%s: %s', (_, example, price) => {
    expect(priceAt(far(example))).toEqual([...price]);
  });
  test('a modifier of a language whose adjectives follow: eau | très', () => {
    expect(priceAt(far('eau | très'), 'fr')).toEqual([9, 9]);
  });
  test('a word that belongs to the one before it: 바꿀 | 수', () => {
    expect(
      priceAt('기계가 말하는 내용을 모두 글자로 바꿀 | 수 있는 작은 기계를 만들어서', 'ko'),
    ).toEqual([80, 80]);
  });
});

describe('a break costs, besides the 20 and 12 before any word, by the word before it', () => {
  const added = (example: string, language = 'en'): [number, number] => {
    const [cue, line] = priceAt(far(example), language);
    return [cue - 20, line - 12];
  };
  test.each<[string, string, Price]>([
    ['any other word', 'water | house', [0, 0]],
    ['a participle', 'walking | house', [6, 2]],
    ['a modifier', 'good | house', [13, 7]],
    ['a determiner', 'these | house', [24, 15]],
    ['a name', 'Lovelace | house', [-2, -3]],
    ['a small word that dangles', 'the | house', [600, 600]],
    ['a small word between quotation marks does not dangle', '“the” | house', [1, -2]],
    ['and', '“and” | house', [1, -2]],
    ['under', '“under” | house', [1, -2]],
    ['is', '“is” | house', [1, -2]],
    ['they', '“they” | house', [10, -2]],
  ])('%s: %s', (_, example, price) => {
    expect(added(example)).toEqual([...price]);
  });
  test('a word that belongs to the one before it: 기계는 | 작은', () => {
    expect(
      priceAt('내가 오늘 아침에 만든 것은 바꿀 수 | 기계 내용을 모두 글자로 바꿔서', 'ko'),
    ).toEqual([20 - 7, 12 - 12]);
  });
  test('a pronoun that is an object: told you | about', () => {
    expect(priceAt(far('told you | about'))).toEqual([8 + 10, 1 - 2]);
    expect(priceAt(far('told you | house'))).toEqual([620, 612]);
  });
  test('a pronoun that is the subject: if you | first', () => {
    expect(priceAt(far('if you | first'))).toEqual([13 + 600, 4 + 600]);
    expect(priceAt(far('told you | first'))).toEqual([13 + 10, 4 - 2]);
  });
});

describe('the cost of a break depends on the words on both sides', () => {
  test.each<[string, string, Price]>([
    ['a name', 'Ada | Lovelace', [21 - 2 + 30, 10 - 3 + 30]],
    ['a number and its unit', '25 | minutes', [20 + 24 + 30, 12 + 15 + 30]],
    ['a number and its sign', '25 | km', [20 + 24 + 30, 12 + 15 + 30]],
    ['a number and no unit', '25 | people', [20 + 24, 12 + 15]],
    ['a short quotation', '“water | house”', [20 + 10, 12 + 10]],
  ])('%s: %s', (_, example, price) => {
    expect(priceAt(far(example))).toEqual([...price]);
  });
  test.each([
    ['six words in quotation marks', 'so “aa aa | aa aa aa aa” recorder recorder', 10],
    ['seven', 'so “aa aa | aa aa aa aa aa” recorder recorder', 0],
  ])('%s', (_, example, cost) => {
    const [cue, line] = priceAt(example);
    const [plainCue, plainLine] = priceAt(example.replaceAll(/[“”]/g, 'a'));
    expect([cue - plainCue, line - plainLine]).toEqual([cost, cost]);
  });
});

describe('a break at punctuation costs', () => {
  test.each<[string, string, Price]>([
    ['the end of a sentence', 'Water. | House garden boat lake.', [-20, 2]],
    ['the end of a clause', 'Water; | house garden boat lake.', [-21, 6]],
    ['a comma', 'Water, | house garden boat lake.', [-10, 3]],
    ['a comma, if another mark follows within three words', 'Water, | house garden boat.', [1, 4]],
  ])('%s: %s', (_, example, price) => {
    expect(priceAt(example)).toEqual([...price]);
  });
});

describe('a break at a pause costs less', () => {
  test.each<[number, number]>([
    [0.12, 0],
    [0.245, -10],
    [0.37, -20],
    [0.495, -30],
    [0.8, -30],
  ])('%d seconds: %d', (pause, gain) => {
    const [cue, line] = priceAt(far('water | house'), 'en', pause);
    expect(cue).toBeCloseTo(20 + gain, 6);
    expect(line).toBeCloseTo(12 + gain, 6);
  });
  test('but never less than -45', () => {
    const [cue, line] = priceAt('Water. | House garden boat lake.', 'en', 0.8);
    expect([cue, line]).toEqual([-45, 2 - 30]);
  });
});

test('a break before a lone character of a script without spaces costs 15 more', () => {
  const words = [...'观众看字幕的时候都想把每一行看完'].map((text, at) => ({
    text,
    start: at / 5,
    end: (at + 1) / 5,
  }));
  const tokens = tokensOf(words);
  const { cue, line } = breaksOf(tokens, languageOf('xx'));
  const before = (text: string): [number, number] => {
    const at = tokens.findIndex((token) => token.text === text);
    return [cue[at]!, line[at]!];
  };
  expect(before('字幕')).toEqual([20 + 20, 12 + 19]);
  expect(before('看')).toEqual([20 + 20 + 15, 12 + 19 + 15]);
});

/** In every language with word lists, a word of each class, by its cost after a bar. */
const CLASSES = {
  article: [16, 2],
  determiner: [13, 4],
  conjunction: [-6, -4],
  preposition: [8, 1],
  genitive: [12, 4],
  auxiliary: [6, 2],
  pronoun: [8, 4],
  modifier: [18, 6],
  lateModifier: [9, 9],
  participle: [13, 5],
} satisfies Record<string, Price>;

test.each<[string, Partial<Record<keyof typeof CLASSES, string>>]>([
  ['en', { article: 'your', determiner: 'many', conjunction: 'which', auxiliary: 'could' }],
  ['en', { preposition: 'towards', pronoun: 'we', modifier: 'quickly', participle: 'recorded' }],
  ['fr', { article: "l'eau", determiner: 'cette', conjunction: "qu'il", preposition: "d'eau" }],
  ['fr', { auxiliary: 'sont', pronoun: 'nous', lateModifier: 'plus', participle: 'parlant' }],
  ['de', { article: 'eine', determiner: 'diese', conjunction: 'dass', preposition: 'zwischen' }],
  ['de', { auxiliary: 'wurde', pronoun: 'wir', modifier: 'wirklich' }],
  ['es', { article: 'una', determiner: 'estos', conjunction: 'porque', preposition: 'desde' }],
  ['es', { genitive: 'del' }],
  ['es', { auxiliary: 'puede', pronoun: 'yo', lateModifier: 'muy', participle: 'hablando' }],
  ['it', { article: 'gli', determiner: 'questo', conjunction: 'perché', preposition: 'nella' }],
  ['it', { genitive: "dell'acqua" }],
  ['it', { auxiliary: 'sono', pronoun: 'noi', lateModifier: 'più', participle: 'parlando' }],
  ['pt', { article: 'uma', determiner: 'esses', conjunction: 'porque', preposition: 'pelo' }],
  ['pt', { genitive: 'das' }],
  ['pt', { auxiliary: 'foram', pronoun: 'nós', lateModifier: 'mais', participle: 'falando' }],
  ['nl', { article: 'het', determiner: 'deze', conjunction: 'omdat', preposition: 'tussen' }],
  ['nl', { auxiliary: 'kunnen', pronoun: 'wij', modifier: 'heel' }],
])('in %s %j', (language, words) => {
  const prices = Object.entries(words).map(([kind, word]) => [
    kind,
    priceAt(far(`garden | ${word}`), language),
  ]);
  // oxlint-disable-next-line no-unsafe-type-assertion -- the keys of the row
  const kinds = Object.keys(words) as (keyof typeof CLASSES)[];
  expect(prices).toEqual(kinds.map((kind) => [kind, [...CLASSES[kind]]]));
});
