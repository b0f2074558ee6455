/**
 * The interface to the queue that makes runs durable. The rest of the program uses nothing else of it, so another queue
 * would take one more file next to openworkflow-queue.ts.
 */

import type { Steps } from '../../pipeline/perform.ts';

/** A run that this process executes, as the queue knows it and its holder. */
export interface HeldRun {
  runId: string;
  workflowRunId: string;
  workerId: string;
}

export interface RunQueue {
  /**
   * Puts a run in the queue. Starting the same run id again changes nothing.
   * @param position its place in the queue; the lowest is next. An interrupted run comes before all others.
   */
  start(input: { runId: string }, position: number): Promise<void>;
  /**
   * Executes queued runs in this thread, at most `concurrency` at once.
   * @param handler executes one run from its start, or from where it stopped. If it throws, the run is retried with
   *   increasing delays. `entry` is the id of the queue entry, which stays the same if the run is taken again.
   */
  work(
    concurrency: number,
    handler: (run: { runId: string; entry: string }, steps: Steps) => Promise<void>,
  ): Promise<void>;
  /** Looks for queued runs now, instead of at the next poll. */
  wake(): void;
  /** Extends the leases of another thread's runs, so that nobody else takes them. Rejects if one was lost. */
  extend(runs: readonly HeldRun[]): Promise<void>;
  /**
   * Returns the runs of a thread that has ended to the queue.
   * @param last whether they go behind all waiting runs instead of before them
   */
  release(runs: readonly HeldRun[], last?: boolean): Promise<void>;
  /** Deletes the steps of runs that ended before an instant (epoch milliseconds). */
  prune(before: number): Promise<number>;
  /**
   * Deletes the steps of one run, which must have ended. Safe to repeat.
   * @returns the number of steps
   */
  forget(runId: string): Promise<number>;
  /** Removes what was deleted from the log of the file, if the queue is one. */
  forgetDeleted(): Promise<void>;
  /** Stops taking runs, waits at most `graceMs` for those in progress, and leaves the rest to other workers. */
  stop(graceMs: number): Promise<void>;
}
