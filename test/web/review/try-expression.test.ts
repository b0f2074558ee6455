/** Regular expressions are tested where they can be stopped. */
import { expect, test } from 'bun:test';
import { tryExpression, type Tried } from '../../../web/review/desk/try-expression.ts';

const TEXTS = [
  'Welcome back to the night\nwhere agents meet people',
  'and they talk about it for long',
];
/** Takes time exponential in the letters of a text. */
const ENDLESS = /^(?:\p{L}+\s?)+!$/gimu;

const tried = (expression: RegExp, limit?: number): Promise<Tried> =>
  new Promise((resolve) => tryExpression(expression, TEXTS, resolve, limit));

test('a fast expression is accepted, with or without matches', async () => {
  expect(await Promise.all([tried(/night|day/gu, 60_000), tried(/(no) such/gimu, 60_000)])).toEqual(
    ['quick', 'quick'],
  );
});

test('a slow expression is stopped, and the page stays responsive', async () => {
  expect(await tried(ENDLESS, 50)).toBe('slow');
});

test('an aborted trial reports nothing', async () => {
  let told = 0;
  const stop = tryExpression(ENDLESS, TEXTS, () => (told += 1), 1);
  stop();
  // A later trial ends after it.
  await tried(/a/gu, 60_000);
  expect(told).toBe(0);
});
