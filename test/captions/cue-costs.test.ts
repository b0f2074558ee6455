/**
 * The cost of a cue, worked out by hand: each row differs from a plain sentence in one thing. The
 * dynamic programme hides most faults in a cost behind the others; here each stands alone.
 */
import { describe, expect, test } from 'bun:test';
import type { Breaks } from '../../server/captions/divide/breaks.ts';
import { cueCosts, type CostRules } from '../../server/captions/divide/cue-costs.ts';
import { measureWords, type Measures } from '../../server/captions/divide/measures.ts';
import { tokensOf } from '../../server/captions/divide/tokens.ts';

/** Half-full lines, two seconds for a cue, and no gap to give up: every term is a round number. */
const RULES: CostRules = {
  maxLineChars: 42,
  maxLines: 2,
  minDuration: 0.8,
  maxDuration: 6,
  comfortable: 17,
  fast: 20,
  gap: 0,
  touching: false,
  lead: 0,
  linger: 1,
};

interface Row {
  /** Each word's columns, with a space after it. */
  words: readonly number[];
  /** The words after which a sentence ends, counted from 1. */
  sentences?: readonly number[];
  /** The cue: from before the first to after the second word. All words by default. */
  cue?: readonly [number, number];
  /** Seconds of each word, and the second at which the words after the cue begin. */
  each?: number;
  next?: number;
  /** The second at which the cue's first word begins. */
  start?: number;
  rules?: Partial<CostRules>;
}

function costOf({ words, sentences = [], cue, each = 0.5, next, start = 0, rules }: Row): number {
  const [from, to] = cue ?? [0, words.length];
  const count = words.length;
  const left = words.map((_, at) => words.slice(0, at).reduce((sum, each) => sum + each + 1, 0));
  const starts = words.map((_, at) =>
    at >= to && next !== undefined ? next : at < from ? 0 : start + (at - from) * each,
  );
  const measures: Measures = {
    starts: Float64Array.from(starts),
    ends: Float64Array.from(starts, (at, index) => (index < from ? at : at + each)),
    left: Float64Array.from(left),
    right: Float64Array.from(left, (at, index) => at + words[index]!),
  };
  const breaks: Breaks = {
    cue: new Float64Array(count + 1),
    line: new Float64Array(count + 1),
    hard: new Uint8Array(count + 1),
    sentence: Uint8Array.from(words, (_, at) => (sentences.includes(at + 1) ? 1 : 0)),
  };
  const costs = cueCosts(breaks, measures, measures, { ...RULES, ...rules });
  const byLength = new Float64Array(count + 1);
  costs.add(from, to, to, byLength);
  return byLength[to - from]!;
}

const four = [3, 4, 5, 6] as const; // 21 columns: a quarter of 84.
const eight = [4, 4, 4, 4, 4, 4, 4, 7] as const; // 42 columns: half of it, and one line.

describe('the cost of a cue', () => {
  test.each<[string, Row, number]>([
    ['14 and 22 times the square of its fill', { words: four, sentences: [4] }, 14 + 1.375],
    ['more the fuller it is', { words: eight, sentences: [8] }, 14 + 5.5],
    ['up to 9 more if no sentence ends with it', { words: four }, 15.375 + 9 * 0.75 ** 2],
    ['40 for a single word', { words: [21] }, 15.375 + 5.0625 + 40],
    ['17 for two words', { words: [10, 10] }, 15.375 + 5.0625 + 17],
    ['nothing for a sentence of one word', { words: [21], sentences: [1] }, 15.375],
    ['20 for one last word', { words: [5, 21], sentences: [2], cue: [1, 2], start: 1 }, 35.375],
    ['8.5 for two last words', { words: [5, 10, 10], sentences: [3], cue: [1, 3] }, 23.875],
    ['nothing for three', { words: [5, 6, 6, 7], sentences: [4], cue: [1, 4] }, 15.375],
    ['20 for a sentence that ends inside', { words: eight, sentences: [3, 8] }, 19.5 + 20 - 10],
    ['20 for each of them', { words: eight, sentences: [2, 5, 8] }, 19.5 + 40 - 10],
    [
      'no less for 43 columns',
      { words: [...eight.slice(1), 5], sentences: [3, 8] },
      34 + 22 * (43 / 84) ** 2,
    ],
    ['no less on two lines', { words: [...eight, 41], sentences: [3, 9] }, 14 + 22 + 20],
    [
      '17 for three words of a new sentence',
      { words: eight, sentences: [5] },
      19.5 + 2.25 + 20 + 17,
    ],
    ['nothing for four of them', { words: eight, sentences: [4] }, 19.5 + 2.25 + 20],
    [
      '17 for three words of an old sentence',
      { words: [9, ...eight], sentences: [4, 9], cue: [1, 9] },
      19.5 + 20 + 17,
    ],
    [
      'nothing for four of an old one',
      { words: [9, ...eight], sentences: [5, 9], cue: [1, 9] },
      19.5 + 20,
    ],
  ])('%s', (_, row, cost) => {
    expect(costOf(row)).toBeCloseTo(cost, 9);
  });
});

describe('the cost of a cue that is hard to read', () => {
  const words = [...eight, 1];
  const spoken: Row = { words, sentences: [8], cue: [0, 8], each: 0.25, next: 2 };
  test.each<[string, Row, number]>([
    // 42 columns in 2 s are 21 a second: 4 above 17, and 1 above 20.
    ['7 for a column over comfort, 120 over fast', spoken, 19.5 + 7 * 4 + 120],
    [
      'the same in other units',
      { ...spoken, rules: { fast: 10, comfortable: 17 } },
      19.5 + 56 + 2640,
    ],
    ['less if the next begins later', { ...spoken, next: 2.1 }, 19.5 + 7 * 3],
    ['less if it may begin earlier', { ...spoken, start: 1, next: 3, rules: { lead: 0.1 } }, 40.5],
    ['no less without silence before', { ...spoken, rules: { lead: 0.1 } }, 167.5],
    [
      'no less if the gap takes the silence',
      { ...spoken, start: 1, next: 3.5, rules: { lead: 0.1, gap: 0.5 } },
      40.5,
    ],
    ['as much with a gap that stays', { ...spoken, next: 2.1, rules: { gap: 0.1 } }, 167.5],
    [
      'less if it may give up the gap',
      { ...spoken, next: 2.1, rules: { gap: 0.1, touching: true } },
      40.5,
    ],
    ['nothing if it may stay long enough', { ...spoken, next: 9 }, 19.5],
    // 40 columns in 2 s are just the fast speed, and 42 in 2.2 s are less: both keep their gap.
    [
      'as much as the fast speed if it is no faster',
      {
        ...spoken,
        words: [4, 4, 4, 4, 4, 4, 4, 5, 1],
        next: 2.1,
        rules: { gap: 0.1, touching: true },
      },
      14 + 22 * (40 / 84) ** 2 + 7 * 3,
    ],
    [
      'as much as between the speeds, with its gap',
      { ...spoken, next: 2.3, rules: { gap: 0.1, touching: true } },
      19.5 + 7 * (42 / 2.2 - 17),
    ],
    // Nothing follows, but a cue stays for a second after its speech, no longer: 42 / 1.2 = 35.
    [
      'as much at the very end',
      { words: eight, sentences: [8], each: 0.025 },
      19.5 + 7 * 18 + 120 * 15,
    ],
    [
      'more if it stays less',
      { words: eight, sentences: [8], each: 0.25, rules: { linger: 0 } },
      167.5,
    ],
  ])('%s', (_, row, cost) => {
    expect(costOf(row)).toBeCloseTo(cost, 6);
  });

  const short: Row = { words: [2, 1, 1], sentences: [1], cue: [0, 1] };
  const plain = 14 + 22 * (2 / 84) ** 2;
  test.each<[string, Row, number]>([
    [
      '700 times the share of the least time that it lacks',
      { ...short, each: 0.4, next: 0.4 },
      350,
    ],
    ['nothing at the least time', { ...short, each: 0.4, next: 0.8 }, 0],
    [
      'less if it is too short and may give up the gap',
      { ...short, each: 0.4, next: 0.5, rules: { gap: 0.1, touching: true } },
      700 * (0.3 / 0.8),
    ],
    // As if shown for 0.05 s: 2 columns are 40 a second, 23 and 20 too many.
    ['as for 0.05 s if it has no time', { ...short, each: 0, next: 0 }, 656.25 + 7 * 23 + 120 * 20],
  ])('%s', (_, row, cost) => {
    expect(costOf(row)).toBeCloseTo(plain + cost, 6);
  });
});

test('speed in words counts words, not separate punctuation marks', () => {
  const tokens = tokensOf(
    ['One', '–', 'two', '3', '…', '字'].map((text, at) => ({ text, start: at, end: at + 1 })),
  );
  const measures: Measures = {
    starts: Float64Array.from(tokens, ({ start }) => start),
    ends: Float64Array.from(tokens, ({ end }) => end),
    left: new Float64Array(tokens.length),
    right: new Float64Array(tokens.length),
  };
  const words = measureWords(tokens, measures);
  expect(tokens.map(({ text }) => text).length).toBe(6);
  expect([...words.left]).toEqual([0, 1, 1, 2, 3, 3]);
  expect([...words.right]).toEqual([1, 1, 2, 3, 3, 4]);
  expect([words.starts, words.ends]).toEqual([measures.starts, measures.ends]);
});
