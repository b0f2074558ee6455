import { expect, test } from 'bun:test';
import { once } from '../server/concurrency.ts';
import { memoized } from '../server/terminology/match/memoized.ts';

test('a value is created once for simultaneous callers', async () => {
  let made = 0;
  const get = once(async () => (made += 1));
  expect(await Promise.all([get(), get()])).toEqual([1, 1]);
  expect([await get(), made]).toEqual([1, 1]);
});

test('a failure is not cached: the next call tries again', async () => {
  let tries = 0;
  const get = once(async () => {
    tries += 1;
    if (tries === 1) throw new Error('not yet');
    return tries;
  });
  const outcomes = await Promise.allSettled([get(), get()]);
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await get()).toBe(2);
});

test('a value is computed once for each key, whatever the value', () => {
  const asked: object[] = [];
  const [first, second] = [{}, {}];
  const nothing = memoized((key: object) => void asked.push(key));
  for (const key of [first, second, first]) nothing(key);
  expect(asked).toEqual([first, second]);
  expect(asked[0]).toBe(first);
});
