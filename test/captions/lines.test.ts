/** The search for the best lines of a run: the quick search of two lines agrees with the general one. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import type { Breaks } from '../../server/captions/breaks.ts';
import { anyLineSetter, lineSetter, type Measures } from '../../server/captions/lines.ts';
import { rounds } from '../support/fuzz.ts';

/** Words by length, each with the cost of a new line before it. */
const word = fc.record({
  length: fc.oneof(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 60 })),
  line: fc.oneof(fc.integer({ min: -25, max: 60 }), fc.constant(600)),
});

function laidOut(words: readonly { length: number; line: number }[]): {
  measures: Measures;
  breaks: Breaks;
} {
  let at = 0;
  const left = words.map(({ length }) => (at += length + 1) - length);
  const count = words.length;
  return {
    measures: {
      starts: new Float64Array(count),
      ends: new Float64Array(count),
      left: Float64Array.from(left),
      right: Float64Array.from(left, (column, index) => column + words[index]!.length),
    },
    breaks: {
      cue: new Float64Array(count + 1),
      line: Float64Array.from([...words.map(({ line }) => line), 0]),
      hard: new Uint8Array(count + 1),
      sentence: new Uint8Array(count),
    },
  };
}

test('two lines are found as among any number of lines, with and without a budget', () => {
  fc.assert(
    fc.property(
      fc.array(word, { minLength: 1, maxLength: 40 }),
      fc.integer({ min: 5, max: 45 }),
      fc.array(fc.integer({ min: -60, max: 90 }), { minLength: 40, maxLength: 40 }),
      (words, maxColumns, budgets) => {
        const { measures, breaks } = laidOut(words);
        const [two, any] = [
          lineSetter(measures, breaks, 2, maxColumns),
          anyLineSetter(measures, breaks, 2, maxColumns),
        ];
        for (let from = 0; from < words.length; from += 1) {
          for (const budgeted of [true, false]) {
            two.begin(from);
            any.begin(from);
            for (let to = from + 1; to <= words.length; to += 1) {
              const budget = budgeted ? budgets[to - 1] : undefined;
              const cost = two.grow(to, budget);
              expect(cost).toBe(any.grow(to, budget));
              if (cost === Number.POSITIVE_INFINITY) break;
              if (budget === undefined) expect(two.starts(to)).toEqual(any.starts(to));
            }
          }
        }
      },
    ),
    { numRuns: rounds(150) },
  );
});
