/** Work shared by several callers: done once, and stopped when nobody waits for it any more. */
import { expect, spyOn, test } from 'bun:test';
import { SharedWork } from '../../server/models/shared-work.ts';

/** Work that ends on request, with the signals it was started with. */
function slowWork() {
  const { promise, resolve } = Promise.withResolvers<string>();
  const signals: AbortSignal[] = [];
  const tells: ((done: number) => void)[] = [];
  const work = (signal: AbortSignal, tell: (done: number) => void) => {
    signals.push(signal);
    tells.push(tell);
    return promise;
  };
  return { work, signals, tells, finish: resolve };
}

test('callers with the same key share the work, and each gets its progress', async () => {
  const shared = new SharedWork<string, [number]>();
  const { work, signals, tells, finish } = slowWork();
  const seen: number[] = [];
  const joined = [1, 2].map(() => shared.join('a', work, undefined, (done) => seen.push(done)));
  tells[0]?.(0.5);
  finish('done');
  expect(await Promise.all(joined)).toEqual(['done', 'done']);
  expect([signals.length, seen]).toEqual([1, [0.5, 0.5]]);
  tells[0]?.(1);
  expect(seen).toEqual([0.5, 0.5]);
});

test('the work continues while one caller waits, and is aborted when the last one leaves', async () => {
  const shared = new SharedWork<string, [number]>();
  const { work, signals } = slowWork();
  const [first, second] = [new AbortController(), new AbortController()];
  const joined = [first, second].map(({ signal }) => shared.join('a', work, signal));
  first.abort(new Error('first left'));
  await expect(joined[0]).rejects.toThrow('first left');
  expect(signals[0]?.aborted).toBe(false);
  second.abort(new Error('second left'));
  await expect(joined[1]).rejects.toThrow('second left');
  expect(signals[0]?.reason).toEqual(new Error('second left'));
});

test('a later caller starts new work, and an aborted caller starts none', async () => {
  const shared = new SharedWork<string, [number]>();
  const [old, next] = [slowWork(), slowWork()];
  const leaving = new AbortController();
  const left = shared.join('a', old.work, leaving.signal);
  leaving.abort(new Error('left'));
  await expect(left).rejects.toThrow('left');
  const joined = shared.join('a', next.work);
  next.finish('new');
  expect(await joined).toBe('new');
  await expect(shared.join('b', next.work, leaving.signal)).rejects.toThrow('left');
  expect([old.signals.length, next.signals.length]).toEqual([1, 1]);
});

test('a failure reaches all callers, and is not cached', async () => {
  const shared = new SharedWork<string, []>();
  const fails = () => Promise.reject(new Error('broken'));
  const both = await Promise.allSettled([shared.join('a', fails), shared.join('a', fails)]);
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await shared.join('a', async () => 'fine')).toBe('fine');
});

test('a caller that got the result leaves no listener at its signal', async () => {
  const shared = new SharedWork<string, []>();
  const { signal } = new AbortController();
  const [added, removed] = [
    spyOn(signal, 'addEventListener'),
    spyOn(signal, 'removeEventListener'),
  ];
  await shared.join('a', async () => 'done', signal);
  expect(added.mock.calls.map(([name]) => name)).toEqual(['abort']);
  expect(removed.mock.calls.map(([, listener]) => listener)).toEqual(
    added.mock.calls.map(([, listener]) => listener),
  );
});
