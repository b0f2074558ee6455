/**
 * The seam to the engine that makes runs durable. The rest of the program knows nothing else of it,
 * so another engine is one more file beside openworkflow-engine.ts.
 */

import type { Steps } from '../pipeline/steps.ts';
import type { HeldRun } from './leased-backend.ts';

/** What a run is started with. Everything else of a run stands in the service's own table. */
export interface RunInput {
  runId: string;
}

/** A run that a worker has taken. */
export interface TakenRun extends RunInput {
  /** The engine's own name of what stands in its queue: the same when the run is taken again. */
  entry: string;
}

/** Executes one run from its start or from where it stopped. What it throws is tried again, later and later. */
export type RunHandler = (run: TakenRun, steps: Steps) => Promise<void>;

export interface RunEngine {
  /**
   * Puts a run in the queue; a second start of the same run id is the first one.
   * @param position its turn: the lowest is next. A run that was interrupted comes before all others.
   */
  start(input: RunInput, position: number): Promise<void>;
  /** Executes queued runs in this thread, at most `concurrency` at once. */
  work(concurrency: number, handler: RunHandler): Promise<void>;
  /** Looks for queued runs now, rather than at the next poll. */
  wake(): void;
  /** Keeps runs of another thread from being taken by others, for as long as a lease. Rejects where one was lost. */
  extend(runs: readonly HeldRun[]): Promise<void>;
  /**
   * Gives back runs of a thread that ended.
   * @param last behind all that wait now, rather than before them
   */
  giveBack(runs: readonly HeldRun[], last?: boolean): Promise<void>;
  /** Forgets the steps of runs that ended before an instant (epoch milliseconds). */
  prune(before: number): Promise<number>;
  /**
   * Takes no new run, waits for those under way for at most `graceMs`, and hands what is not done by
   * then to whoever is next.
   */
  stop(graceMs: number): Promise<void>;
}
