/** Concurrent work: its order, its limit and its failures. */
import { expect, test } from 'bun:test';
import { createLimiter, mapConcurrently } from '../server/concurrency.ts';

/** Work that completes on request. */
function held() {
  const under = new Map<number, { resolve(): void; reject(error: Error): void }>();
  let most = 0;
  const work = async (item: number): Promise<number> => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    under.set(item, { resolve, reject });
    most = Math.max(most, under.size);
    await promise.finally(() => under.delete(item));
    return item * 10;
  };
  return { under, work, most: () => most };
}
const turnOfLoop = () => new Promise((resolve) => setImmediate(resolve));

test('results are in the order of the items, and no more than the limit run at the same time', async () => {
  const { under, work, most } = held();
  const done = mapConcurrently([1, 2, 3, 4, 5], 2, work);
  const finished: number[] = [];
  while (finished.length < 5) {
    await turnOfLoop();
    // The last one started ends first.
    const [item] = [...under.keys()].slice(-1);
    finished.push(item!);
    under.get(item!)!.resolve();
  }
  expect(await done).toEqual([10, 20, 30, 40, 50]);
  expect(finished).not.toEqual([1, 2, 3, 4, 5]);
  expect(most()).toBe(2);
});

test('the first failure is thrown after the work in progress has ended, and no new work starts', async () => {
  const { under, work } = held();
  const done = mapConcurrently([1, 2, 3], 2, work);
  let settled = false;
  const outcome = done.catch((error: unknown) => error).finally(() => (settled = true));
  await turnOfLoop();
  under.get(2)!.reject(new Error('second'));
  await turnOfLoop();
  expect([...under.keys()]).toEqual([1]);
  expect(settled).toBe(false);
  under.get(1)!.reject(new Error('first'));
  expect(await outcome).toMatchObject({ message: 'second' });
});

test('an abort drops waiting work and does not touch work in progress', async () => {
  const limited = createLimiter(1);
  const { under, work } = held();
  const abort = new AbortController();
  const first = limited(() => work(1), abort.signal);
  const second = limited(() => work(2), abort.signal).catch((error: unknown) => error);
  const third = limited(() => work(3));
  await turnOfLoop();
  abort.abort(new Error('enough'));
  expect(await second).toMatchObject({ message: 'enough' });
  under.get(1)!.resolve();
  expect(await first).toBe(10);
  await turnOfLoop();
  expect([...under.keys()]).toEqual([3]);
  // Not only once a slot is free.
  await expect(limited(() => work(4), abort.signal)).rejects.toThrow('enough');
  under.get(3)!.resolve();
  expect(await third).toBe(30);
});
