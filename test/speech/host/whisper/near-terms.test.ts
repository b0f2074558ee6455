/** Near words of a term as evidence that it was spoken. */
import { expect, test } from 'bun:test';
import { type RecognisedWord, nearTerms } from '../../../../server/whisper/terms/about-terms.ts';

/** Words of two tokens each. */
const wordsOf = (text: string): RecognisedWord[] =>
  text.split(' ').map((word, at) => ({ first: 2 * at, end: 2 * at + 2, text: word, ends: false }));

/** Whether R2 is near in the place of the words from one to another, both counted from 0. */
function isNear(text: string, from: number, to = from): boolean {
  const near = nearTerms(wordsOf(text), { R2: ['bucket', 'object storage'], D1: ['database'] });
  return near({ term: 'R2', first: 2 * from, end: 2 * to + 2 });
}

test.each([
  ['before it', 'a bucket in our two', 3],
  ['after it', 'use our two for buckets', 1],
  ['as two words', 'the object storage are two', 3],
  ['as a part of a word', 'a bucket-like our two', 2],
])('a near word %s', (_, text, from) => {
  expect(isNear(text, from, from + 1)).toBe(true);
});

test.each([
  ['is missing', 'a table in our two', 3, 4],
  ['belongs to another term', 'a database in our two', 3, 4],
  ['is among the words in place of which it is weighed', 'use our bucket here', 1, 2],
  ['is the last of them', 'use our bucket', 1, 2],
])('is not near if the word %s', (_, text, from, to) => {
  expect(isNear(text, from, to)).toBe(false);
});

test('a word counts up to twelve words away', () => {
  const far = (count: number): string => `bucket ${'so '.repeat(count)}our`;
  expect(isNear(far(11), 12)).toBe(true);
  expect(isNear(far(12), 13)).toBe(false);
});

test('hyphenated words before the place count as their parts', () => {
  expect(isNear('bucket a-b-c-d so so so so so so so our', 9)).toBe(true);
  expect(isNear('bucket a-b-c-d-e-f so so so so so so so our', 9)).toBe(false);
});

test('a term without near words, and a place without words, have none near', () => {
  const near = nearTerms(wordsOf('a bucket here'), {});
  expect(near({ term: 'R2', first: 0, end: 2 })).toBe(false);
  expect(isNear('a bucket here', 9)).toBe(false);
});
