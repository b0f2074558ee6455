/** The chances of breaks, and the choice by them, against all divisions of short talks, one by one. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import type { Breaks } from '../../server/captions/divide/breaks.ts';
import { settingsRules } from '../../server/captions/divide/build-rules.ts';
import { cueCosts } from '../../server/captions/divide/cue-costs.ts';
import { divide } from '../../server/captions/divide/divide.ts';
import { lineSetter } from '../../server/captions/divide/lines.ts';
import type { Measures } from '../../server/captions/divide/measures.ts';
import { chancesOf, possibleCues } from '../../server/captions/divide/possible-cues.ts';
import { DEFAULT_CAPTION_SETTINGS } from '../../server/contract/captions.ts';
import { rounds } from '../support/fuzz.ts';

interface Talk {
  measures: Measures;
  breaks: Breaks;
  rules: ReturnType<typeof settingsRules>;
}

/** Words of half a second, each with its length and the costs of a new cue and a new line before it. */
function talkOf(
  words: readonly { length: number; cue: number; line: number; ends?: boolean }[],
  maxLines: number,
): Talk {
  const count = words.length;
  let at = 0;
  const left = words.map(({ length }) => (at += length + 1) - length);
  return {
    measures: {
      starts: Float64Array.from(words, (_, index) => index / 2),
      ends: Float64Array.from(words, (_, index) => (index + 1) / 2),
      left: Float64Array.from(left),
      right: Float64Array.from(left, (column, index) => column + words[index]!.length),
    },
    breaks: {
      cue: Float64Array.from([...words.map(({ cue }) => cue), 0]),
      line: Float64Array.from([...words.map(({ line }) => line), 0]),
      hard: new Uint8Array(count + 1),
      sentence: Uint8Array.from(words, ({ ends }) => (ends ? 1 : 0)),
    },
    rules: settingsRules({ ...DEFAULT_CAPTION_SETTINGS, maxLines, maxLineChars: 24 }, 'en'),
  };
}

interface Cue {
  to: number;
  starts: number[];
  cost: number;
}

/** Every division of a talk into cues, each cue with its best lines. */
function divisionsOf({ measures, breaks, rules }: Talk): Cue[][] {
  const count = measures.starts.length;
  const setter = lineSetter(measures, breaks, rules.maxLines, rules.maxLineChars);
  const costs = cueCosts(breaks, measures, measures, rules);
  const from = (begin: number): Cue[][] => {
    if (begin === count) return [[]];
    const found: Cue[][] = [];
    for (let to = begin + 1; to <= count; to += 1) {
      if (setter.set(begin, to) < to) break;
      costs.add(begin, to, to, setter.costs);
      const cost = setter.costs[to - begin]!;
      const cue = { to, starts: setter.starts(to), cost };
      found.push(...from(to).map((rest) => [cue, ...rest]));
    }
    return found;
  };
  return from(0);
}

const word = fc.record({
  length: fc.integer({ min: 1, max: 16 }),
  cue: fc.integer({ min: -20, max: 30 }),
  line: fc.integer({ min: -20, max: 30 }),
  ends: fc.boolean(),
});
const talk = fc
  .tuple(fc.array(word, { minLength: 1, maxLength: 9 }), fc.integer({ min: 1, max: 3 }))
  .map(([words, maxLines]) => talkOf(words, maxLines));

/** The chances of a new cue and of a new line before each word: ten units of cost are a factor of e. */
function chances(each: Talk): { cue: number[]; line: number[] } {
  const divisions = divisionsOf(each).map((cues) => ({
    cues,
    total: cues.reduce((sum, { cost }) => sum + cost, 0),
  }));
  const least = Math.min(...divisions.map(({ total }) => total));
  const all = divisions.map(({ cues, total }) => ({
    cues,
    likelihood: Math.exp((least - total) / 10),
  }));
  const whole = all.reduce((sum, { likelihood }) => sum + likelihood, 0);
  const count = each.measures.starts.length;
  const chance = (has: (cues: Cue[], at: number) => boolean) =>
    Array.from(
      { length: count + 1 },
      (_, at) =>
        all.reduce((sum, { cues, likelihood }) => sum + (has(cues, at) ? likelihood : 0), 0) /
        whole,
    );
  return {
    cue: chance((cues, at) => at === 0 || cues.some(({ to }) => to === at)),
    line: chance((cues, at) => cues.some(({ starts }) => starts.includes(at))),
  };
}

test('the chance of a break is the share of the divisions that have it', () => {
  fc.assert(
    fc.property(talk, (each) => {
      const { measures, breaks, rules } = each;
      const found = chancesOf(possibleCues(breaks, measures, rules, measures));
      const exact = chances(each);
      for (const kind of ['cue', 'line'] as const) {
        for (const [at, chance] of found[kind].entries()) {
          expect(Math.abs(chance - exact[kind][at]!)).toBeLessThan(1e-3);
        }
      }
    }),
    { numRuns: rounds(150) },
  );
});

test('the division with the highest worth wins', () => {
  fc.assert(
    fc.property(talk, (each) => {
      const { measures, breaks, rules } = each;
      const count = measures.starts.length;
      const { cue, line } = chances(each);
      const worth = (cues: readonly Omit<Cue, 'cost'>[], costs: readonly number[]): number => {
        let sum = 0;
        for (const [at, { to, starts }] of cues.entries()) {
          if (to < count) sum += cue[to]! + line[to]! - 0.42 + 0.4 * (cue[to]! - 0.25);
          for (const start of starts) {
            sum += cue[start]! + line[start]! - 0.42 + 1.5 * (line[start]! - 0.25);
          }
          sum -= 0.015 * costs[at]!;
        }
        return sum;
      };
      const all = divisionsOf(each).map((cues) => ({
        cues,
        sum: worth(
          cues,
          cues.map(({ cost }) => cost),
        ),
      }));
      const most = Math.max(...all.map(({ sum }) => sum));
      const chosen = divide(breaks, measures, rules);
      const same = all.find(
        ({ cues }) => cues.map(({ to }) => to).join() === chosen.map(({ to }) => to).join(),
      );
      expect(same?.cues.map(({ starts }) => starts)).toEqual(chosen.map(({ starts }) => starts));
      expect(same?.sum).toBeGreaterThan(most - 0.01);
    }),
    { numRuns: rounds(150) },
  );
});

test('two speakers in one cue cost 10 less than its text and its sentences', () => {
  const said = { length: 4, cue: 7, line: 3 };
  const each = talkOf([said, { ...said, ends: true }, said, { ...said, ends: true }], 2);
  const { measures, breaks, rules } = each;
  breaks.hard[2] = 2;
  const { firsts, lengths, costs, lines } = possibleCues(breaks, measures, rules, measures);
  const at = lengths.subarray(0, firsts[1]).indexOf(4);
  const plain = new Float64Array(5);
  cueCosts(breaks, measures, measures, rules).add(0, 4, 4, plain);
  expect(costs[at]).toBeCloseTo(plain[4]! - 10, 4);
  expect(lines[at]).toBe(2);
  expect(divide(breaks, measures, rules)).toEqual([{ from: 0, to: 4, starts: [2], turn: 2 }]);
});

test('no cue ends before its speech does, unless it is a single word', () => {
  const slow = { length: 6, cue: 40, line: -20 };
  const each = talkOf(
    Array.from({ length: 6 }, () => slow),
    3,
  );
  const { measures, breaks, rules } = each;
  // Words of 2.5 seconds; the fourth lasts 7, longer than a cue may.
  const lengths = [2.5, 2.5, 2.5, 7, 2.5, 2.5];
  let at = 0;
  for (const [index, length] of lengths.entries()) {
    measures.starts[index] = at;
    measures.ends[index] = at += length;
  }
  const ends = divide(breaks, measures, rules).map(({ to }) => to);
  expect(ends).toEqual([1, 3, 4, 6]);
});
