/** What the main thread and a worker thread tell each other. */
import type { RunState } from '../contract/runs.ts';
import type { Config } from '../config.ts';

export type ToWorker =
  | { type: 'start'; config: Config; slots: number; tempDir: string }
  /** A run was queued: look for it now. */
  | { type: 'wake' }
  | { type: 'cancel'; runId: string }
  /** Finish what can be finished within the grace time, then close. */
  | { type: 'stop'; graceMs: number };

export type FromWorker =
  | { type: 'ready' }
  /** A run has got on, or has ended. */
  | { type: 'changed' | 'ended'; runId: string }
  | { type: 'finished'; state: RunState; timingsMs: Record<string, number> }
  /** A call to a provider failed, maybe to be made again. */
  | { type: 'provider_error'; provider: string; code: string }
  | { type: 'stopped' }
  /** The thread cannot work at all: a pack that cannot be read, say. */
  | { type: 'broken'; message: string };
