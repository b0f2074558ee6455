/** Work at the same time, once, and after a pause. */
import { describe, expect, test } from 'bun:test';
import {
  createLimiter,
  createTurns,
  mapConcurrently,
  once,
  realTime,
} from '../../server/base/concurrency.ts';
import { memoized } from '../../server/terminology/match/memoized.ts';

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

describe('once', () => {
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
});

describe('owners take turns', () => {
  const never = new AbortController().signal;
  /** Starts work, which is held until it is ended by its name. */
  function atWork(atOnce: number, ofOne: number) {
    const inTurn = createTurns(atOnce, ofOne);
    const ends = new Map<string, () => void>();
    const ask = (owner: string, name: string, signal = never) =>
      inTurn(
        owner,
        () => new Promise<string>((resolve) => ends.set(name, () => resolve(name))),
        signal,
      ).finally(() => ends.delete(name));
    const end = async (name: string) => {
      ends.get(name)!();
      await turnOfLoop();
    };
    return { ask, end, running: async () => (await turnOfLoop(), [...ends.keys()]) };
  }

  test('so that one with much work keeps a place free for others, and waits behind them', async () => {
    const { ask, end, running } = atWork(2, 1);
    const done = ['a1', 'a2', 'a3', 'b1', 'b2', 'c1'].map((name) => ask(name[0]!, name));
    expect(await running()).toEqual(['a1', 'b1']);
    await end('a1');
    expect(await running()).toEqual(['b1', 'a2']);
    await end('a2');
    // Neither of the others may have the place.
    expect(await running()).toEqual(['b1', 'c1']);
    for (const name of ['b1', 'c1', 'a3', 'b2']) await end(name);
    expect(await Promise.all(done)).toEqual(['a1', 'a2', 'a3', 'b1', 'b2', 'c1']);
  });

  test('and who is gone gives up its turn, but not the place of work that has begun', async () => {
    const { ask, end, running } = atWork(1, 1);
    const gone = new AbortController();
    const first = ask('a', 'a1', gone.signal);
    const waiting = ask('a', 'a2', gone.signal);
    const next = ask('b', 'b1');
    await running();
    gone.abort(new Error('gone'));
    await expect(waiting).rejects.toThrow('gone');
    expect(await running()).toEqual(['a1']);
    await end('a1');
    expect([await first, await running()]).toEqual(['a1', ['b1']]);
    await end('b1');
    await next;
    await expect(ask('a', 'a3', gone.signal)).rejects.toThrow('gone');
  });
});

describe('the real timer, as far as a test can notice it without waiting', () => {
  const LONG_MS = 60_000;

  describe('a pause', () => {
    test('ends by itself', async () => {
      await realTime.pause(1);
      await realTime.pause(1, new AbortController().signal);
    });

    test('ends with the reason for which it is no longer wanted, before it or during it', async () => {
      const reason = new Error('the run was cancelled');
      const before = AbortSignal.abort(reason);
      expect(await realTime.pause(LONG_MS, before).catch((error: unknown) => error)).toBe(reason);
      const abort = new AbortController();
      const paused = realTime.pause(LONG_MS, abort.signal).catch((error: unknown) => error);
      abort.abort(reason);
      expect(await paused).toBe(reason);
    });
  });

  test('a deadline aborts once it is over', async () => {
    const soon = realTime.deadline(1);
    await new Promise((resolve) => soon.addEventListener('abort', resolve));
    expect(soon.reason).toMatchObject({ name: 'TimeoutError' });
    expect(realTime.deadline(LONG_MS).aborted).toBeFalse();
  });
});
