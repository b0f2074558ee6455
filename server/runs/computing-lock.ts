/** A lock for the computations of a thread, shared or exclusive, granted in the order of the requests. */
import { setTimeout as sleep } from 'node:timers/promises';

/** The longest time that a computation waiting for storage holds up the others. */
const LONGEST_WAIT_MS = 30_000;

interface ComputingLock {
  /**
   * Waits for the lock, which computations share unless one needs it alone.
   * @param alone whether nothing else may compute meanwhile, so that a computation that ends the process can be
   *   identified
   * @returns a function that releases the lock
   */
  acquire(alone: boolean): Promise<() => void>;
}

/** Creates the lock of a thread. */
export function createComputingLock(longestMs = LONGEST_WAIT_MS): ComputingLock {
  /** The computations that share the thread, and the last one that does not. */
  const shared = new Set<Promise<void>>();
  let lastAlone: Promise<void> | null = null;

  return {
    async acquire(alone) {
      const { promise: ended, resolve: end } = Promise.withResolvers<void>();
      const before = [...(lastAlone ? [lastAlone] : []), ...(alone ? shared : [])];
      if (alone) lastAlone = ended;
      else shared.add(ended);
      if (before.length > 0) await within(longestMs, Promise.all(before));
      return () => {
        shared.delete(ended);
        if (lastAlone === ended) lastAlone = null;
        end();
      };
    },
  };
}

async function within(ms: number, work: Promise<unknown>): Promise<void> {
  const over = new AbortController();
  const late = sleep(ms, undefined, { signal: over.signal });
  await Promise.race([work, late]);
  over.abort();
}
