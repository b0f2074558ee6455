/** Tabs with the same review, which share locks and channels, and a clock that a test advances. */
import { afterAll, afterEach, beforeAll, beforeEach, jest } from 'bun:test';
import { tabLock } from '../../../web/review/save/tab-lock.ts';
import { Channel, Locks } from '../support/tabs.ts';

export let locks = new Locks();
const before = { locks: Reflect.get(navigator, 'locks'), channel: globalThis.BroadcastChannel };
export const hasLocks = (has: boolean): void => {
  if (has) Object.defineProperty(navigator, 'locks', { value: locks, configurable: true });
  else Reflect.deleteProperty(navigator, 'locks');
};

/** Gives the tests of a file locks, channels and a clock. */
export function useTabs(): void {
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
}

/** Runs everything that does not wait for the clock. */
export async function settled(): Promise<void> {
  for (let at = 0; at < 50; at += 1) await Promise.resolve();
}

/** Advances the clock by some milliseconds. */
export async function pass(ms: number): Promise<void> {
  await settled();
  jest.advanceTimersByTime(ms);
  await settled();
}

/** A tab that has opened the review. */
export function tab(runId = 'run_1') {
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
