/** Records the computations of runs in a worker thread before they begin, in the run's row and in the main thread. */
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { WorkStage } from '../../contract/stage-progress.ts';
import type { Log } from '../../base/log.ts';
import type { Computing } from '../../pipeline/run.ts';
import { StorageUnavailable } from '../../storage/outage.ts';
import type { FromWorker } from './messages.ts';
import type { RunAttempts } from '../store/run-attempts.ts';

export type Computations = ReturnType<typeof createComputations>;

/** A run that is counted once, however many of its computations are in progress. */
interface Counted {
  underWay: number;
  noted: Promise<void>;
  /** The number under which it is still counted although none is in progress. */
  lingersAs?: number;
}

/** Does work later; who cares may wait for it. */
type Later = (work: () => Promise<void>) => void | Promise<void>;

/** The time for which a run stays counted after a computation, in milliseconds. */
const LINGER_MS = 20;

/** Does work after LINGER_MS and, on a busy thread, the next computations of runs that wait for others. */
const afterAWhile: Later = (work) => {
  setTimeout(() => setImmediate(() => setImmediate(() => void work())), LINGER_MS);
};

/**
 * Creates the computations of a worker thread.
 * @param later does work after a while. One computation of a run usually follows another at once, so that the run stays
 *   counted between them: to store that each of them ends and the next one begins would take a third of all its writes.
 */
export function createComputations(
  attempts: RunAttempts,
  post: (message: FromWorker) => void,
  log: Log,
  later: Later = afterAWhile,
) {
  /** The numbers of the last computation, and of the last run that was still counted after one; they differ. */
  let last = 0;
  let lowest = 0;
  const lock = createComputingLock();
  const counted = new Map<string, Counted>();
  /** Runs that are counted once too often. */
  const overcounted: string[] = [];
  /** Whether counts are taken back soon. */
  let isDue = false;

  const correctCounts = async (): Promise<void> => {
    while (overcounted.length > 0) {
      // One statement takes back one count of each run.
      const runIds = [...new Set(overcounted)];
      for (const runId of runIds) overcounted.splice(overcounted.indexOf(runId), 1);
      try {
        await attempts.uncount(runIds);
      } catch (error) {
        overcounted.push(...runIds);
        log.warn('attempts_not_reverted', { runIds, error });
        return;
      }
    }
  };
  /** Whether the run computes no more. */
  const leave = (runId: string, entry: Counted): boolean => {
    entry.underWay -= 1;
    return entry.underWay === 0 && counted.get(runId) === entry;
  };
  const stopLingering = (entry: Counted): void => {
    if (entry.lingersAs === undefined) return;
    post({ type: 'computed', id: entry.lingersAs });
    delete entry.lingersAs;
  };
  /** Takes back the counts of all runs that compute no more. */
  const takeBack = async (): Promise<void> => {
    const over = [...counted].filter(([, { underWay }]) => underWay === 0);
    for (const [runId] of over) {
      counted.delete(runId);
      overcounted.push(runId);
    }
    await correctCounts();
    for (const [, entry] of over) stopLingering(entry);
  };
  const linger = (runId: string, entry: Counted): void | Promise<void> => {
    entry.lingersAs = lowest -= 1;
    post({ type: 'counting', id: entry.lingersAs, runId });
    if (isDue) return;
    isDue = true;
    return later(() => {
      isDue = false;
      return takeBack();
    });
  };
  /** Counts the run and returns a function that takes the count back. */
  const count = async (
    runId: string,
    stage: WorkStage,
    isSuspected: boolean,
  ): Promise<() => Promise<void>> => {
    const entry = counted.get(runId) ?? { underWay: 0, noted: attempts.count(runId, stage) };
    counted.set(runId, entry);
    entry.underWay += 1;
    stopLingering(entry);
    await entry.noted.catch((cause: unknown) => {
      if (leave(runId, entry)) counted.delete(runId);
      throw new StorageUnavailable('The attempt could not be recorded.', { cause });
    });
    return async () => {
      if (!leave(runId, entry)) return;
      // The stage in which a suspected run ends its worker is stored with its count.
      await (isSuspected ? takeBack() : linger(runId, entry));
    };
  };

  return {
    /**
     * The computations of one run.
     * @param suspected whether a worker has died during one of its computations; then nothing else computes at the same
     *   time
     */
    of: (runId: string, suspected: boolean = false): Computing => ({
      async compute(stage, work) {
        await nextTurn();
        const releaseLock = await lock.acquire(suspected);
        if (suspected) await takeBack();
        const id = (last += 1);
        try {
          // If the thread gets stuck meanwhile, another run is the cause, and this count is taken back when the thread
          // ends.
          post({ type: 'counting', id, runId });
          const uncount = await count(runId, stage, suspected);
          post({ type: 'computing', id, runId, stage, counted: true });
          try {
            return await work();
          } finally {
            await uncount();
          }
        } finally {
          post({ type: 'computed', id });
          releaseLock();
        }
      },
      async attend(stage, work) {
        const id = (last += 1);
        post({ type: 'computing', id, runId, stage, counted: false });
        try {
          return await work();
        } finally {
          post({ type: 'computed', id });
        }
      },
    }),
    /** Corrects counts that could not be corrected while the database was down. Never rejects. */
    correctCounts,
    /** Takes back the counts of everything in progress, because the process is stopping, which is no run's fault. */
    async release(): Promise<void> {
      overcounted.push(...counted.keys());
      counted.clear();
      await correctCounts();
    },
  };
}

/** The longest time that a computation waiting for storage holds up the others. */
const LONGEST_WAIT_MS = 30_000;

/** Creates the lock of a thread. */
function createComputingLock(longestMs = LONGEST_WAIT_MS) {
  /** The computations that share the thread, and the last one that does not. */
  const shared = new Set<Promise<void>>();
  let lastAlone: Promise<void> | null = null;

  return {
    /**
     * Waits for the lock, which computations share unless one needs it alone.
     * @param alone whether nothing else may compute meanwhile, so that a computation that ends the process can be
     *   identified
     * @returns a function that releases the lock
     */
    async acquire(alone: boolean): Promise<() => void> {
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
