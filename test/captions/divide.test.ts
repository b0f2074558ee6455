/** The cost of a cue, independent of language; these tests set the cost of each break themselves. */
import { describe, expect, test } from 'bun:test';
import type { Breaks } from '../../server/captions/divide/breaks.ts';
import { settingsRules } from '../../server/captions/divide/build-rules.ts';
import { divide } from '../../server/captions/divide/divide.ts';
import type { Measures } from '../../server/captions/divide/measures.ts';
import { DEFAULT_CAPTION_SETTINGS as DEFAULTS } from '../../server/contract/captions.ts';

const NEVER = 10_000;

interface Talk {
  /** The number of evenly spoken four-letter words. */
  words: number;
  /** The words that end a sentence, counted from 1. */
  sentences: number[];
  /** The words after which a cue may end, with the cost. */
  cues: Record<number, number>;
  secondsPerWord?: number;
  settings?: Partial<typeof DEFAULTS>;
}

/** The words after which the cheapest cues end. */
function cueEnds({ words, sentences, cues, secondsPerWord = 0.4, settings = {} }: Talk): number[] {
  const at = Array.from({ length: words }, (_, index) => index);
  const measures: Measures = {
    starts: Float64Array.from(at, (index) => index * secondsPerWord),
    ends: Float64Array.from(at, (index) => (index + 1) * secondsPerWord),
    left: Float64Array.from(at, (index) => index * 5),
    right: Float64Array.from(at, (index) => index * 5 + 4),
  };
  const breaks: Breaks = {
    cue: Float64Array.from([...at, words], (index) => cues[index] ?? NEVER),
    line: new Float64Array(words + 1),
    hard: new Uint8Array(words + 1),
    sentence: Uint8Array.from(at, (index) => (sentences.includes(index + 1) ? 1 : 0)),
  };
  const rules = settingsRules({ ...DEFAULTS, ...settings }, 'en');
  return divide(breaks, measures, rules).map(({ to }) => to);
}

/**
 * The highest cost at which ending a cue after word `end` is still preferred to ending it after
 * `other`.
 */
function worth(talk: Omit<Talk, 'cues'>, end: number, other: number): number {
  let [low, high] = [-400, 400];
  while (high - low > 0.01) {
    const middle = (low + high) / 2;
    const ends = cueEnds({ ...talk, cues: { [end]: middle, [other]: 0 } });
    if (ends.includes(end)) low = middle;
    else high = middle;
  }
  return low;
}

describe('a cue that ends a few words after a sentence', () => {
  const talk = { words: 20, sentences: [6, 20] };
  const saved = [7, 8, 9, 10, 11].map((end) => worth(talk, 6, end));
  test('costs more than one that ends in the middle of the next: up to three words', () => {
    const [one = 0, two = 0, three = 0, four = 0, five = 0] = saved;
    // The trailing words cost 17. The fill of the two cues changes slightly from word to word, and
    // the first of them needs a second line from some word on.
    expect(three - four).toBeGreaterThan(14);
    for (const [more, less] of [
      [one, two],
      [two, three],
      [four, five],
    ] as const) {
      expect(Math.abs(more - less)).toBeLessThan(14);
    }
  });
});

describe('a cue that begins with the last words of a sentence', () => {
  // The first of two cues ends a number of words before the sentence does; the rest is as long.
  const talk = { words: 17, sentences: [9, 17] };
  const saved = [8, 7, 6, 5, 4].map((end) => worth(talk, 9, end));
  test('costs more than one that begins further back: up to three words', () => {
    const [, two = 0, three = 0, four = 0, five = 0] = saved;
    expect(three - four).toBeGreaterThan(12);
    expect(Math.abs(two - three)).toBeLessThan(12);
    expect(Math.abs(four - five)).toBeLessThan(12);
  });
});

describe('a cue of less than the least time', () => {
  const talk = { words: 12, sentences: [2, 12], secondsPerWord: 0.3 };
  test('is joined to the next, even if a sentence then ends inside it', () => {
    expect(cueEnds({ ...talk, cues: { 2: 1 } })).toEqual([12]);
    // With enough time to be seen, it gets a cue of its own.
    expect(cueEnds({ ...talk, cues: { 2: 1 }, settings: { minDuration: 0.5 } })).toEqual([2, 12]);
  });
});

describe('a cue that is too fast with a gap after it', () => {
  test('costs as much as one that is not, if it is slow enough without the gap', () => {
    // 39 columns in 2 s less the gap are 20.4 per second, without it 19.5; each column per second
    // over 20 costs 120.
    const talk = { words: 16, sentences: [8, 16], secondsPerWord: 0.25 };
    const near = worth({ ...talk, words: 15, sentences: [8, 15] }, 8, 7);
    const slow = worth({ ...talk, words: 15, sentences: [8, 15], secondsPerWord: 0.26 }, 8, 7);
    expect(Math.abs(near - slow)).toBeLessThan(20);
  });
});

test('short sentences share a cue if they fit on one line', () => {
  // The cost that a second cue may have: each word has five columns, and 42 fit in a line. A second
  // line is worth 20 here, where breaks cost nothing; one line for both is worth 12.
  const [one, two] = [8, 9].map((words) => worth({ words, sentences: [4, words] }, 4, 0));
  expect(two! - one!).toBeGreaterThan(-15);
});
