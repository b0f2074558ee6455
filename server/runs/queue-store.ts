/** The interface to the queue's storage, including what its own library does not offer. */
import type { OpenWorkflowOptions } from 'openworkflow';

/** The library's interface to a database, which others may implement. */
export type Backend = OpenWorkflowOptions['backend'];

/** What openworkflow calls a queue entry and its holder. */
export interface Lease {
  workflowRunId: string;
  workerId: string;
}

/** Storage for run state. */
export interface QueueStore {
  backend: Backend;
  /** Repeats work that another thread's write may block; the work must be safe to repeat. */
  insist<T>(work: () => Promise<T>): Promise<T>;
  /** Extends leases. @throws {Error} one was lost; the others are extended */
  extend(held: readonly Lease[], leaseMs: number): Promise<void>;
  /** Makes the runs of dead workers the next to be claimed. */
  freeExpired(): Promise<void>;
  /** Deletes runs that ended before an instant, with their steps. */
  prune(before: number): Promise<number>;
  /** Deletes the steps of a run by its id, and the queue entry too if openworkflow is done with it. */
  forget(runId: string): Promise<number>;
  /** Removes what was deleted from the log of the file, if the store is one. */
  forgetDeleted(): Promise<void>;
  close(): Promise<void>;
}
