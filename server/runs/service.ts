/** Runs as the HTTP side sees them: submit, look, wait, cancel. The work itself is in worker threads. */
import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { CaptionerPayload } from '../contract/payload.ts';
import type { RunEngine } from './engine.ts';
import type { RunPosition, RunStore } from './run-store.ts';
import type { RunSummary, StoredRun } from './stored-run.ts';
import type { WorkerThreads } from './worker-threads.ts';

/** A wait looks into the database this often too, should another process end the run. */
const LOOK_EVERY_MS = 500;

export interface Runs {
  /**
   * Queues a run and answers its id once it is on disk; the run there is where the same request was
   * made before under the same idempotency key.
   * @throws {IdempotencyConflict} that key was given to another request
   */
  submit(request: RunRequest): Promise<string>;
  /** At most `limit` runs of an organisation, the newest first. */
  list(organizationId: string, limit: number, after: RunPosition | null): Promise<RunSummary[]>;
  /** A run of an organisation; null where it has none of that id. */
  get(organizationId: string, runId: string): Promise<StoredRun | null>;
  /**
   * Waits for the end of a run, however long it takes.
   * @throws the signal's reason once it is aborted; the run goes on
   */
  wait(runId: string, signal: AbortSignal): Promise<void>;
  /** Resolves when a run may have got on, early rather than late; also once the signal is aborted. */
  news(runId: string, signal: AbortSignal): Promise<void>;
  /** Asks for a cancel; false where the run has ended already. */
  cancel(runId: string): Promise<boolean>;
  /** Queues again what a crash left between the two databases. */
  recover(): Promise<number>;
}

export interface RunRequest {
  organizationId: string;
  keyId: string;
  payload: CaptionerPayload;
  idempotencyKey?: string | null;
}

/** One idempotency key, two different requests. */
export class IdempotencyConflict extends Error {
  override readonly name = 'IdempotencyConflict';
}

export function createRuns(parts: {
  store: RunStore;
  engine: RunEngine;
  threads: WorkerThreads;
}): Runs {
  const { store, engine, threads } = parts;
  return {
    async submit({ idempotencyKey = null, ...request }) {
      const id = `run_${randomUUID()}`;
      if (await store.insert({ id, ...request, idempotencyKey })) {
        await engine.start({ runId: id });
        threads.wake();
        return id;
      }
      const earlier =
        idempotencyKey === null
          ? null
          : await store.byIdempotencyKey(request.organizationId, idempotencyKey);
      if (!earlier || !isDeepStrictEqual(earlier.payload, request.payload)) {
        throw new IdempotencyConflict('this idempotency key was used for another request');
      }
      // What came between storing a run and queueing it may be why the client asks again.
      if (earlier.finishedAt === null) await engine.start({ runId: earlier.id });
      return earlier.id;
    },
    list: (organizationId, limit, after) => store.list(organizationId, limit, after),
    async get(organizationId, runId) {
      const run = await store.get(runId);
      return run?.organizationId === organizationId ? run : null;
    },
    async wait(runId, signal) {
      for (;;) {
        signal.throwIfAborted();
        // Listened for before the look, so that an end in between is heard.
        const news = this.news(runId, signal);
        if (await store.finished(runId)) return;
        await news;
      }
    },
    news: (runId, signal) => threads.nextNews(runId, LOOK_EVERY_MS, signal),
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
