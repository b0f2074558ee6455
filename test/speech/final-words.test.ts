/**
 * Final words: in order, whichever window ends first, and without duplicates where windows overlap.
 */
import { expect, test } from 'bun:test';
import {
  createFinalWords,
  type RecognizedWindow,
  joinStretches,
} from '../../server/speech/seams.ts';
import fc from 'fast-check';

/** Windows of 10 s that overlap by 2 s, each with the words spoken in it, one per second. */
const windows: RecognizedWindow[] = Array.from({ length: 6 }, (_, at) => {
  const start = at * 8;
  const words = Array.from({ length: 10 }, (_, second) => ({
    text: `w${start + second}`,
    start: start + second,
    end: start + second + 0.6,
  }));
  return { start, end: start + 10, words, until: at === 5 ? Number.POSITIVE_INFINITY : start + 8 };
});

test('whatever the order in which windows end, the words equal those of the joined windows, in order', () => {
  const expected = joinStretches(windows).map(({ text }) => text);
  expect(expected).toEqual(Array.from({ length: 50 }, (_, at) => `w${at}`));
  fc.assert(
    fc.property(fc.shuffledSubarray([0, 1, 2, 3, 4, 5], { minLength: 6 }), (order) => {
      const reported: string[] = [];
      const addWindow = createFinalWords((words) =>
        reported.push(...words.map(({ text }) => text)),
      );
      for (const number of order) addWindow(number, windows[number]!);
      expect(reported).toEqual(expected);
    }),
    { numRuns: 30 },
  );
});

test('words are reported as soon as no later window can change them, and not before', () => {
  const reported: string[] = [];
  const addWindow = createFinalWords((words) => reported.push(...words.map(({ text }) => text)));
  addWindow(0, windows[0]!);
  expect(reported.at(-1)).toBe('w7');
  addWindow(1, windows[1]!);
  expect(reported.slice(-3)).toEqual(['w13', 'w14', 'w15']);
});

test('a word belongs to the side of the border on which its middle is', () => {
  const reported: string[] = [];
  const addWindow = createFinalWords((words) => reported.push(...words.map(({ text }) => text)));
  const words = [
    { text: 'before', start: 9.1, end: 10.8 },
    { text: 'after', start: 9.9, end: 10.2 },
  ];
  addWindow(0, { start: 0, end: 12, words, until: 10 });
  expect(reported).toEqual(['before']);
});
