/** The messages between the main thread and a worker thread. */
import type { WorkStage } from '../../contract/stage-progress.ts';
import type { RunState } from '../../contract/runs.ts';
import type { Config } from '../../config/config.ts';
import type { TermPack } from '../../terminology/packs/pack.ts';
import type { HeldRun } from '../queue/queue.ts';

/** The interval at which a worker thread signals that it is not stuck, in milliseconds. */
export const BEAT_MS = 500;

export type ToWorker =
  | { type: 'start'; config: Config; packs: TermPack[]; slots: number; tempDir: string }
  /** A run was queued, so look for it now. */
  | { type: 'wake' }
  | { type: 'cancel'; runId: string }
  /** Finish what can be finished within the grace time, then close. */
  | { type: 'stop'; graceMs: number };

export type FromWorker =
  | { type: 'ready' }
  /** The thread is not stuck. Sent every BEAT_MS, with its id in the operating system. */
  | { type: 'beat'; thread: number | null }
  /** The thread has taken a run from the queue, or released it. */
  | { type: 'held' | 'freed'; run: HeldRun }
  /**
   * A run is about to be counted, or still is for a moment; it begins or ends a computation, or a wait, which is not
   * counted.
   */
  | { type: 'counting'; id: number; runId: string }
  | { type: 'computing'; id: number; runId: string; stage: WorkStage; counted: boolean }
  | { type: 'computed'; id: number }
  /** A run has progressed, or has ended. */
  | { type: 'changed' | 'ended'; runId: string }
  | {
      type: 'finished';
      state: RunState;
      timingsMs: Record<string, number>;
      /** Of a failure. */
      code: string | null;
    }
  /** A call to a provider failed; it may be retried. */
  | { type: 'provider_error'; provider: string; code: string }
  /** The thread has started a process, or one has ended. */
  | { type: 'child'; pid: number; alive: boolean }
  | { type: 'stopped' }
  /** The thread cannot work at all, for instance because a module cannot be loaded. */
  | { type: 'broken'; message: string };
