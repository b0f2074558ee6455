/** Runs as the HTTP side sees them: submit, look, wait, cancel. The work itself is in worker threads. */
import { randomUUID } from 'node:crypto';
import type { CaptionerPayload } from '../contract/payload.ts';
import type { RunEngine } from './engine.ts';
import type { RunStore, StoredRun } from './run-store.ts';
import type { WorkerThreads } from './worker-threads.ts';

/** A wait looks into the database this often too, should another process end the run. */
const LOOK_EVERY_MS = 500;

export interface Runs {
  /** Queues a run and answers its id once it is on disk. */
  submit(request: RunRequest): Promise<string>;
  /** A run of an organisation; null where it has none of that id. */
  get(organizationId: string, runId: string): Promise<StoredRun | null>;
  /**
   * Waits for the end of a run, however long it takes.
   * @throws the signal's reason once it is aborted; the run goes on
   */
  wait(runId: string, signal: AbortSignal): Promise<void>;
  /** Asks for a cancel; false where the run has ended already. */
  cancel(runId: string): Promise<boolean>;
  /** Queues again what a crash left between the two databases. */
  recover(): Promise<number>;
}

export interface RunRequest {
  organizationId: string;
  keyId: string;
  payload: CaptionerPayload;
}

export function createRuns(parts: {
  store: RunStore;
  engine: RunEngine;
  threads: WorkerThreads;
}): Runs {
  const { store, engine, threads } = parts;
  return {
    async submit(request) {
      const id = `run_${randomUUID()}`;
      await store.insert({ id, ...request });
      await engine.start({ runId: id });
      threads.wake();
      return id;
    },
    async get(organizationId, runId) {
      const run = await store.get(runId);
      return run?.organizationId === organizationId ? run : null;
    },
    async wait(runId, signal) {
      for (;;) {
        signal.throwIfAborted();
        if (await store.finished(runId)) return;
        await threads.nextNews(runId, LOOK_EVERY_MS, signal);
      }
    },
    async cancel(runId) {
      const asked = await store.requestCancel(runId);
      if (asked) threads.cancel(runId);
      return asked;
    },
    async recover() {
      const unfinished = await store.unfinished();
      for (const runId of unfinished) await engine.start({ runId });
      if (unfinished.length > 0) threads.wake();
      return unfinished.length;
    },
  };
}
