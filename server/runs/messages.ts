/** What the HTTP thread and a worker thread tell each other. */
import type { CaptionerStage } from '../contract/failure.ts';
import type { Config } from '../config.ts';

export type ToWorker =
  | { type: 'start'; config: Config; slots: number; concurrency: number }
  /** A run was queued: look for it now. */
  | { type: 'wake' }
  | { type: 'cancel'; runId: string }
  /** Finish what can be finished within the grace time, then close. */
  | { type: 'stop'; graceMs: number };

export type FromWorker =
  | { type: 'ready' }
  | { type: 'progress'; runId: string; stage: CaptionerStage; progress: number }
  | { type: 'finished'; runId: string }
  | { type: 'stopped' }
  /** The thread cannot work at all: a pack that cannot be read, say. */
  | { type: 'broken'; message: string };
