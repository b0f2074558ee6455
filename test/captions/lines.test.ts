/** The search for the best lines of a run: the quick search of two lines agrees with the general one. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import type { Breaks } from '../../server/captions/divide/breaks.ts';
import { anyLineSetter, lineSetter } from '../../server/captions/divide/lines.ts';
import type { Measures } from '../../server/captions/divide/measures.ts';
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

test('the search for two lines agrees with the general one, with and without a budget', () => {
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
          const known: number[] = [];
          for (const budgeted of [false, true]) {
            for (const { budgets: given } of [two, any]) {
              given.fill(Number.POSITIVE_INFINITY);
              if (budgeted)
                given.set(budgets.slice(from, words.length).slice(0, given.length - 1), 1);
            }
            const last = two.set(from, words.length);
            expect(last).toBe(any.set(from, words.length));
            for (let to = from + 1; to <= last; to += 1) {
              const cost = two.costs[to - from]!;
              expect(cost).toBe(any.costs[to - from]!);
              if (!budgeted) known.push(cost);
              const isUseful = !budgeted || known[to - from - 1]! < budgets[to - 1]!;
              expect(cost < Number.POSITIVE_INFINITY).toBe(isUseful);
              if (cost < Number.POSITIVE_INFINITY) expect(two.starts(to)).toEqual(any.starts(to));
            }
          }
        }
      },
    ),
    { numRuns: rounds(150) },
  );
});

/** The cost of a layout, given the tokens that begin its second and later lines, and what follows it. */
function costOfLines(
  { left, right }: Measures,
  { line }: Breaks,
  [from, ...starts]: readonly number[],
  to: number,
): number {
  let [top, cost] = [from!, 0];
  for (const [index, at] of starts.entries()) {
    const above = right[at - 1]! - left[top]!;
    const below = right[(starts[index + 1] ?? to) - 1]! - left[at]!;
    cost += -1 + line[at]! + 68 * ((above - below) / (above + below)) ** 2;
    top = at;
  }
  return cost;
}

/** The first tokens of the lines of a run if each is filled before the next begins. */
function filled({ left, right }: Measures, from: number, to: number, columns: number): number[] {
  const starts = [from];
  for (let at = from + 1; at < to; at += 1) {
    if (right[at]! - left[starts.at(-1)!]! > columns) starts.push(at);
  }
  return starts;
}

test('lines fit, are as few as possible, have the stated cost, and no better break exists', () => {
  fc.assert(
    fc.property(
      fc.array(word, { minLength: 1, maxLength: 24 }),
      fc.integer({ min: 5, max: 45 }),
      fc.integer({ min: 1, max: 4 }),
      (words, maxColumns, maxLines) => {
        const { measures, breaks } = laidOut(words);
        const { left, right } = measures;
        const setter = lineSetter(measures, breaks, maxLines, maxColumns);
        for (let from = 0; from < words.length; from += 1) {
          const last = setter.set(from, words.length);
          const before = new Map<number, { cost: number; starts: number[] }>();
          for (let to = from + 1; to <= words.length; to += 1) {
            const fewest = filled(measures, from, to, maxColumns).length;
            expect(to <= last).toBe(fewest <= maxLines);
            if (fewest > maxLines) break;
            const cost = setter.costs[to - from]!;
            const starts = [from, ...setter.starts(to)];
            expect(starts.length).toBe(fewest);
            for (const [index, at] of starts.entries()) {
              const end = starts[index + 1] ?? to;
              expect(end - at === 1 || right[end - 1]! - left[at]! <= maxColumns).toBe(true);
            }
            expect(cost).toBeCloseTo(costOfLines(measures, breaks, starts, to), 6);
            for (const [at, above] of before) {
              const fits = to - at === 1 || right[to - 1]! - left[at]! <= maxColumns;
              if (!fits || above.starts.length !== fewest - 1) continue;
              const other = costOfLines(measures, breaks, [...above.starts, at], to);
              expect(cost).toBeLessThanOrEqual(other + 1e-6);
            }
            before.set(to, { cost, starts });
          }
        }
      },
    ),
    { numRuns: rounds(150) },
  );
});

test('the first short runs of a talk are also searched under a tight budget', () => {
  const { measures, breaks } = laidOut([
    { length: 9, line: 0 },
    { length: 9, line: -20 },
    { length: 9, line: -25 },
  ]);
  for (const setter of [lineSetter, anyLineSetter]) {
    const lines = setter(measures, breaks, 2, 12);
    const costs = (from: number, last: number, ...budgets: readonly number[]): number[] => {
      lines.budgets.fill(Number.POSITIVE_INFINITY);
      lines.budgets.set(budgets, 1);
      expect(lines.set(from, last)).toBe(last);
      return [...lines.costs.subarray(1, last - from + 1)];
    };
    expect(costs(0, 2, -9, -9)).toEqual([Number.POSITIVE_INFINITY, -21]);
    expect(lines.starts(2)).toEqual([1]);
    expect(costs(0, 2, 1, -21)).toEqual([0, Number.POSITIVE_INFINITY]);
    expect(costs(0, 2, 1, -22)).toEqual([0, Number.POSITIVE_INFINITY]);
    expect(costs(1, 3, 0, -9)).toEqual([Number.POSITIVE_INFINITY, -26]);
    expect(lines.starts(3)).toEqual([2]);
  }
});

test('a run of as many tokens as there are columns is broken too', () => {
  const count = 20;
  const measures: Measures = {
    starts: new Float64Array(count),
    ends: new Float64Array(count),
    left: Float64Array.from({ length: count }, (_, at) => at),
    right: Float64Array.from({ length: count }, (_, at) => at + 1),
  };
  const { breaks } = laidOut(Array.from({ length: count }, () => ({ length: 1, line: 0 })));
  const lines = lineSetter(measures, breaks, 2, 10);
  expect(lines.set(0, count)).toBe(count);
  for (const cost of lines.costs.subarray(1, count + 1)) expect(cost).toBeLessThan(100);
  const into = new Uint16Array(3);
  lines.write(count, into, 1);
  expect([lines.starts(count), [...into]]).toEqual([[10], [0, 10, 0]]);
});
