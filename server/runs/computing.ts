/** The computations of runs in a worker thread: counted in the run's row, and told to the main thread, before they begin. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { CaptionerStage } from '../contract/failure.ts';
import type { Log } from '../log.ts';
import type { Computing } from '../pipeline/computing.ts';
import { StorageUnavailable } from '../storage/outage.ts';
import type { FromWorker } from './messages.ts';
import type { RunAttempts } from './run-attempts.ts';

export interface Computations {
  /** How one run computes. */
  of(runId: string): Computing;
  /** Takes back what could not be taken back while the database was away. Never rejects. */
  settle(): Promise<void>;
  /** Takes back all that is under way: the process stops, which is no fault of any run. */
  release(): Promise<void>;
}

/** Makes the computations of a worker thread. */
export function createComputations(
  attempts: RunAttempts,
  tell: (message: FromWorker) => void,
  log: Log,
): Computations {
  let last = 0;
  /** Counted computations under way, by number. */
  const counted = new Map<number, string>();
  /** Runs that are counted once too often. */
  const owed: string[] = [];

  const settle = async (): Promise<void> => {
    for (const runId of owed.splice(0)) {
      await attempts.uncount(runId).catch((error: unknown) => {
        owed.push(runId);
        log.warn('attempt_not_taken_back', { runId, error });
      });
    }
  };
  const told = async <T>(
    begun: { runId: string; stage: CaptionerStage; counted: boolean; id: number },
    work: () => T | Promise<T>,
  ): Promise<T> => {
    tell({ type: 'computing', ...begun });
    try {
      return await work();
    } finally {
      tell({ type: 'computed', id: begun.id });
    }
  };

  return {
    of: (runId) => ({
      async compute(stage, work) {
        await nextTurn();
        const id = (last += 1);
        await attempts.count(runId).catch((cause: unknown) => {
          throw new StorageUnavailable('The attempt could not be noted.', { cause });
        });
        counted.set(id, runId);
        try {
          return await told({ runId, stage, counted: true, id }, work);
        } finally {
          if (counted.delete(id)) owed.push(runId);
          await settle();
        }
      },
      attend: (stage, work) => told({ runId, stage, counted: false, id: (last += 1) }, work),
    }),
    settle,
    async release() {
      owed.push(...counted.values());
      counted.clear();
      await settle();
    },
  };
}
