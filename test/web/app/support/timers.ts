/** Timers of one length, which fire when a test says so. */
import { drawn } from './app.ts';

export interface HeldTimers {
  /** The number of waiting timers. */
  count(): number;
  /** Fires them. */
  pass(): Promise<void>;
  /** From now on, timers of this length run by the clock again; those that wait are dropped. */
  release(): void;
}

/**
 * Holds all timers and intervals of a length, in milliseconds, that are set from now on. Timers of other lengths run
 * by the clock, so a test that waits for a held timer fails if the app uses another length.
 */
export function holdTimers(ms: number): HeldTimers {
  const { setTimeout: timeout, setInterval: interval, clearTimeout: clear } = globalThis;
  const { clearInterval: clearEvery } = globalThis;
  const held = new Map<number, { work: () => void; repeats: boolean }>();
  // No timer of the runtime has such a number.
  let next = -1;
  const hold =
    (set: (work: () => void, wait?: number) => unknown, repeats: boolean) =>
    (work: () => void, wait?: number, ...given: unknown[]) => {
      if (wait !== ms) return Reflect.apply(set, globalThis, [work, wait, ...given]);
      held.set(next, { work, repeats });
      return next--;
    };
  const drop = (of: (id: never) => void) => (id: unknown) => {
    if (!held.delete(id as number)) of(id as never);
  };
  Object.assign(globalThis, {
    setTimeout: hold(timeout, false),
    setInterval: hold(interval, true),
    clearTimeout: drop(clear),
    clearInterval: drop(clearEvery),
  });
  return {
    count: () => held.size,
    async pass() {
      for (const [id, { work, repeats }] of held) {
        if (!repeats) held.delete(id);
        work();
      }
      await drawn();
    },
    release() {
      held.clear();
      Object.assign(globalThis, {
        setTimeout: timeout,
        setInterval: interval,
        clearTimeout: clear,
        clearInterval: clearEvery,
      });
    },
  };
}
