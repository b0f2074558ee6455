/** Quotation marks and brackets at the edges of a word. */
import { expect, test } from 'bun:test';
import { marksOf } from '../../server/captions/punctuation.ts';

test.each([
  ['“Hello', 'opens'],
  ['(and', 'opens'],
  ['Hello”', 'closes'],
  ['word).', 'closes'],
  ['“Hello”', 'neither'],
  ['Hello', 'neither'],
  // A straight mark alone may be either; it belongs to what came before.
  ['"', 'closes'],
] as const)('the marks of %s: %s', (word, marks) => {
  expect(marksOf(word)).toBe(marks);
});
