/** The punctuation at the edges of a word. */
import { expect, test } from 'bun:test';
import { endsWithClauseMark, marksOf } from '../../server/captions/divide/punctuation.ts';

test.each([
  ['“Hello', 'opens'],
  ['(and', 'opens'],
  ['Hello”', 'closes'],
  ['word).', 'closes'],
  ['好」，', 'closes'],
  ['“Hello”', 'neither'],
  ['Hello', 'neither'],
  // A straight mark alone may be either; it belongs to what came before.
  ['"', 'closes'],
] as const)('the marks of %s: %s', (word, marks) => {
  expect(marksOf(word)).toBe(marks);
});

test.each([
  ['so;', true],
  ['“so:”', true],
  ['so—', true],
  ['so--', true],
  ['so-', false],
  ['so', false],
])('a clause ends with %s: %p', (word, ends) => {
  expect(endsWithClauseMark(word)).toBe(ends);
});
