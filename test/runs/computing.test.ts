/**
 * The computations of runs: each attempt is counted and uncounted once; a suspected run is computed
 * alone.
 */
import { describe, expect, test } from 'bun:test';
import { createLog } from '../../server/log.ts';
import { createComputations } from '../../server/runs/computing.ts';
import { createComputingLock } from '../../server/runs/computing-lock.ts';

const log = createLog('silent');

describe('computations', () => {
  test('stopped by the process are uncounted; failed corrections are retried', async () => {
    const counts: string[] = [];
    let away = true;
    const attempts = {
      count: async (id: string) => void counts.push(`+${id}`),
      uncount: async (id: string) => {
        if (away) throw new Error('the database is away');
        counts.push(`-${id}`);
      },
    };
    const computations = createComputations(attempts, () => {}, log);
    await computations.of('a').compute('payload', () => 1);
    const hung = Promise.withResolvers<void>();
    void computations.of('b').compute('moderation', () => hung.promise);
    await Bun.sleep(5);
    void computations.of('c').attend('transcription', () => hung.promise);
    expect(counts).toEqual(['+a', '+b']);
    away = false;
    await computations.correctCounts();
    expect(counts).toEqual(['+a', '+b', '-a']);
    await computations.release();
    expect(counts).toEqual(['+a', '+b', '-a', '-b']);
    hung.resolve();
    await Bun.sleep(5);
    expect(counts.length).toBe(4);
  });

  test('of one run at the same time count as one attempt; waiting for a provider counts as none', async () => {
    const counts: string[] = [];
    const attempts = {
      count: async (id: string) => void counts.push(`+${id}`),
      uncount: async (id: string) => void counts.push(`-${id}`),
    };
    const { compute, attend } = createComputations(attempts, () => {}, log).of('a');
    const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const both = [
      compute('transcription', () => first.promise),
      compute('transcription', () => second.promise),
      attend('transcription', () => second.promise),
    ];
    await Bun.sleep(5);
    first.resolve();
    await both[0];
    expect(counts).toEqual(['+a']);
    second.resolve();
    await Promise.all(both);
    expect(counts).toEqual(['+a', '-a']);
    await compute('payload', () => 1);
    expect(counts).toEqual(['+a', '-a', '+a', '-a']);
  });

  test('of a suspected run have the thread to themselves', async () => {
    const attempts = { count: async () => {}, uncount: async () => {} };
    const computations = createComputations(attempts, () => {}, log);
    const order: string[] = [];
    const work = (name: string) => async () => {
      order.push(`${name} begins`);
      await Bun.sleep(2);
      order.push(`${name} ends`);
    };
    const computed = [
      computations.of('well').compute('payload', work('well')),
      computations.of('suspected', true).compute('payload', work('suspected')),
      computations.of('later').compute('payload', work('later')),
      computations.of('latest').compute('payload', work('latest')),
    ];
    await Promise.all(computed);
    expect(order.slice(0, 4)).toEqual([
      'well begins',
      'well ends',
      'suspected begins',
      'suspected ends',
    ]);
    expect(order.slice(4, 6).toSorted()).toEqual(['later begins', 'latest begins']);
  });

  test('that never end delay the others only for a while', async () => {
    const lock = createComputingLock(20);
    await lock.acquire(true);
    const end = await lock.acquire(false);
    await lock.acquire(true);
    end();
  });

  test('do not begin if they cannot be counted', async () => {
    const attempts = { count: () => Promise.reject(new Error('away')), uncount: async () => {} };
    let done = false;
    const work = createComputations(attempts, () => {}, log)
      .of('a')
      .compute('payload', () => (done = true));
    await expect(work).rejects.toThrow('could not be recorded');
    expect(done).toBe(false);
  });

  test('can be counted again once the database is back', async () => {
    let away = true;
    const attempts = {
      count: () => (away ? Promise.reject(new Error('away')) : Promise.resolve()),
      uncount: async () => {},
    };
    const { compute } = createComputations(attempts, () => {}, log).of('a');
    await expect(compute('payload', () => 1)).rejects.toThrow('could not be recorded');
    away = false;
    expect(await compute('payload', () => 1)).toBe(1);
  });

  test('let the messages that wait for the thread in first', async () => {
    const attempts = { count: async () => {}, uncount: async () => {} };
    const order: string[] = [];
    setImmediate(() => order.push('a cancel'));
    const { compute } = createComputations(attempts, () => {}, log).of('a');
    await compute('payload', () => order.push('work'));
    expect(order).toEqual(['a cancel', 'work']);
  });

  test('are taken back when the process stops, and only once', async () => {
    const counts: string[] = [];
    const attempts = {
      count: async (id: string) => void counts.push(`+${id}`),
      uncount: async (id: string) => {
        await new Promise(setImmediate);
        counts.push(`-${id}`);
      },
    };
    const computations = createComputations(attempts, () => {}, log);
    const [old, latest] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const begun = async (work: Promise<void>) => {
      const before = counts.length;
      const over = computations.of('a').compute('payload', () => work);
      while (counts.length === before) await new Promise(setImmediate);
      return { over };
    };
    const first = await begun(old.promise);
    await computations.release();
    expect(counts).toEqual(['+a', '-a']);
    const second = await begun(latest.promise);
    old.resolve();
    await first.over;
    expect(counts).toEqual(['+a', '-a', '+a']);
    latest.resolve();
    await second.over;
    expect(counts).toEqual(['+a', '-a', '+a', '-a']);
  });
});

describe('the lock of a thread', () => {
  /** A lock whose holders are named once it is granted to them. */
  function named() {
    const lock = createComputingLock();
    const granted: string[] = [];
    const ends = new Map<string, () => void>();
    return {
      granted,
      acquire(name: string, alone: boolean) {
        void lock.acquire(alone).then((end) => {
          granted.push(name);
          return ends.set(name, end);
        });
      },
      async end(name: string) {
        ends.get(name)!();
        await new Promise(setImmediate);
      },
    };
  }

  test('is granted alone only when all that share it have ended', async () => {
    const { granted, acquire, end } = named();
    acquire('one', false);
    acquire('other', false);
    acquire('alone', true);
    await new Promise(setImmediate);
    await end('one');
    expect(granted).toEqual(['one', 'other']);
    await end('other');
    expect(granted).toEqual(['one', 'other', 'alone']);
  });

  test('is held by one after another of those that need it alone, and by nothing else meanwhile', async () => {
    const { granted, acquire, end } = named();
    acquire('first', true);
    acquire('second', true);
    await new Promise(setImmediate);
    await end('first');
    acquire('shared', false);
    await new Promise(setImmediate);
    expect(granted).toEqual(['first', 'second']);
    await end('second');
    expect(granted).toEqual(['first', 'second', 'shared']);
  });
});
