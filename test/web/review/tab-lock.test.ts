/** One of several tabs writes a review. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, jest, test } from 'bun:test';
import { tabLock } from '../../../web/review/editing/tab-lock.ts';
import { Channel, Locks } from '../support/tabs.ts';

let locks = new Locks();

const before = { locks: Reflect.get(navigator, 'locks'), channel: globalThis.BroadcastChannel };

const hasLocks = (has: boolean): void => {
  if (has) Object.defineProperty(navigator, 'locks', { value: locks, configurable: true });
  else Reflect.deleteProperty(navigator, 'locks');
};

beforeAll(() => void Reflect.set(globalThis, 'BroadcastChannel', Channel));
afterAll(() => {
  Reflect.set(globalThis, 'BroadcastChannel', before.channel);
  Reflect.deleteProperty(navigator, 'locks');
  if (before.locks) Object.defineProperty(navigator, 'locks', { value: before.locks });
});
beforeEach(() => {
  locks = new Locks();
  Channel.open = [];
  hasLocks(true);
  jest.useFakeTimers();
});
afterEach(() => jest.useRealTimers());

/** Runs everything that does not wait for the clock. */
async function settled(): Promise<void> {
  for (let at = 0; at < 50; at += 1) await Promise.resolve();
}

/** Advances the clock by some milliseconds. */
async function pass(ms: number): Promise<void> {
  await settled();
  jest.advanceTimersByTime(ms);
  await settled();
}

/** A tab that has opened the review. */
function tab(runId = 'run_1') {
  const did: string[] = [];
  const about = {
    isSaved: true as boolean | Promise<boolean>,
    reading: Promise.resolve(),
  };
  const lock = tabLock(runId, {
    async reload() {
      did.push('reload');
      await about.reading;
    },
    async flush() {
      did.push('flush');
      return about.isSaved;
    },
  });
  return { lock, did, about, role: () => lock.role.peek(), asking: () => lock.asking.peek() };
}

type Tab = ReturnType<typeof tab>;

/** Tabs that have joined, one after the other. */
async function joined(count = 2) {
  const tabs = Array.from({ length: count }, () => tab());
  for (const { lock } of tabs) await lock.join();
  return tabs as [Tab, Tab, Tab];
}

test('the first tab writes, after reading the stored state', async () => {
  const one = tab();
  expect(one.role()).toBe('following');
  const reading = Promise.withResolvers<void>();
  one.about.reading = reading.promise;
  let isKnown = false;
  const joined = one.lock.join().then(() => (isKnown = true));
  await settled();
  expect([one.did, isKnown, one.role()]).toEqual([['reload'], false, 'following']);
  reading.resolve();
  await joined;
  expect([one.role(), one.asking()]).toEqual(['writing', null]);
});

test('the next tab follows, and reads again after each change of the first', async () => {
  const [one, two] = await joined();
  expect([one.role(), two.role(), two.did]).toEqual(['writing', 'following', ['reload']]);
  one.lock.announce();
  await settled();
  expect([one.did, two.did]).toEqual([['reload'], ['reload', 'reload']]);
});

test('a change that is announced while a tab reads makes it read once more', async () => {
  const [one, two] = await joined();
  const reading = Promise.withResolvers<void>();
  two.about.reading = reading.promise;
  for (let news = 0; news < 3; news += 1) {
    one.lock.announce();
    await settled();
  }
  expect(two.did).toHaveLength(2);
  reading.resolve();
  await settled();
  expect(two.did).toHaveLength(3);
});

test('a change that is announced while a tab fails to read is read all the same', async () => {
  const one = tab();
  const reading = Promise.withResolvers<void>();
  one.about.reading = reading.promise;
  const joined = one.lock.join();
  await settled();
  new Channel('captioner review run_1').postMessage({ kind: 'changed' });
  await settled();
  one.about.reading = Promise.resolve();
  reading.reject(new DOMException('No.', 'UnknownError'));
  await joined;
  await settled();
  expect([one.did, one.role()]).toEqual([['reload', 'reload'], 'writing']);
});

test('when the writing tab is closed, the next one reads its last changes and writes', async () => {
  const [one, two] = await joined();
  one.lock.leave();
  await settled();
  expect([one.role(), two.role(), two.did]).toEqual([
    'following',
    'following',
    ['reload', 'reload'],
  ]);
  await pass(99);
  expect(two.role()).toBe('following');
  await pass(1);
  expect([two.role(), two.did]).toEqual(['writing', ['reload', 'reload', 'reload']]);
});

test('a tab that asks gets the lock once everything is stored', async () => {
  const [one, two] = await joined();
  two.lock.take();
  expect(two.asking()).toBe('asked');
  await settled();
  expect([one.role(), one.did.at(-1)]).toEqual(['following', 'flush']);
  await pass(100);
  expect([one.role(), two.role(), two.asking()]).toEqual(['following', 'writing', null]);
  await pass(10_000);
  expect(two.asking()).toBeNull();
  // The other tab is waiting, and may write again.
  two.lock.leave();
  await pass(100);
  expect(one.role()).toBe('writing');
});

test('a tab that asks takes precedence over those that have waited longer', async () => {
  const [one, two, three] = await joined(3);
  three.lock.take();
  await pass(100);
  expect([one.role(), two.role(), three.role()]).toEqual(['following', 'following', 'writing']);
  // Both wait behind the third, and one of them may write again.
  three.lock.leave();
  await pass(100);
  expect([one.role(), two.role()].toSorted()).toEqual(['following', 'writing']);
  const [last, next] = one.role() === 'writing' ? [one, two] : [two, one];
  last.lock.leave();
  await pass(100);
  expect(next.role()).toBe('writing');
});

test('a tab that could not store everything keeps the lock, and notifies the others', async () => {
  const [one, two, three] = await joined(3);
  one.about.isSaved = false;
  two.lock.take();
  await settled();
  expect([one.role(), two.role(), two.asking()]).toEqual(['writing', 'following', 'unsaved']);
  // Only the tab that asked is notified, and only once.
  expect(three.asking()).toBeNull();
  await pass(10_000);
  expect(two.asking()).toBe('unsaved');
});

test('if the writing tab does not answer for three seconds, the user has to close it', async () => {
  const [one, two] = await joined();
  one.about.isSaved = new Promise(() => {});
  two.lock.take();
  await pass(2000);
  // Asking again restarts the wait.
  two.lock.take();
  await pass(2999);
  expect(two.asking()).toBe('asked');
  await pass(1);
  expect(two.asking()).toBe('unanswered');
  two.lock.leave();
});

test('without locks every tab writes, and follows the changes of the others', async () => {
  hasLocks(false);
  const [one, two] = await joined();
  expect([one.role(), two.role(), two.did]).toEqual(['writing', 'writing', []]);
  one.lock.announce();
  await settled();
  expect([one.did, two.did]).toEqual([[], ['reload']]);
  // Or where the browser refuses them.
  hasLocks(true);
  locks.isBlocked = true;
  const [three] = await joined(1);
  expect(three.role()).toBe('writing');
});

test('a tab that is left before it writes passes the lock on', async () => {
  const [one, two, three] = await joined(3);
  one.lock.leave();
  await pass(50);
  two.lock.leave();
  await pass(50);
  expect(two.role()).toBe('following');
  await pass(100);
  expect(three.role()).toBe('writing');
});

test('a tab that waits while another takes over is not given the lock after it has left', async () => {
  const [one, two, three] = await joined(3);
  one.lock.leave();
  await pass(100);
  expect(two.role()).toBe('writing');
  three.lock.leave();
  two.lock.leave();
  await pass(100);
  const four = tab();
  await four.lock.join();
  expect([three.role(), four.role()]).toEqual(['following', 'writing']);
});

test('a returning tab joins the others again', async () => {
  const [one, two] = [tab(), tab()];
  await one.lock.join();
  one.lock.leave();
  await settled();
  await two.lock.join();
  await one.lock.join();
  expect([one.role(), two.role()]).toEqual(['following', 'writing']);
  two.lock.leave();
  await pass(100);
  expect(one.role()).toBe('writing');
});

test('tabs of different reviews do not affect each other', async () => {
  const [one, two] = [tab(), tab('run_2')];
  await one.lock.join();
  await two.lock.join();
  one.lock.announce();
  await settled();
  expect([one.role(), two.role(), two.did]).toEqual(['writing', 'writing', ['reload']]);
});

test('a tab that has left no longer asks or listens', async () => {
  const [one, two] = await joined();
  two.lock.take();
  two.lock.leave();
  expect(Channel.open).toHaveLength(1);
  await pass(10_000);
  expect(two.asking()).toBe('asked');
  one.lock.leave();
  await pass(100);
  expect([one.role(), two.role(), two.did]).toEqual(['following', 'following', ['reload']]);
});

test('late news of another writing tab does not make a returning one keep the lock', async () => {
  const [one, two] = [tab(), tab()];
  await one.lock.join();
  one.lock.leave();
  await settled();
  await one.lock.join();
  new Channel('captioner review run_1').postMessage({ kind: 'taken' });
  await settled();
  await two.lock.join();
  two.lock.take();
  await pass(100);
  expect([one.role(), two.role()]).toEqual(['following', 'writing']);
});
