/** Runs as the HTTP side sees them: submit, look, wait, cancel. The work itself is in worker threads. */
import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { CaptionerPayload } from '../contract/payload.ts';
import type { Log } from '../log.ts';
import type { RunEvents } from './run-events.ts';
import { cancelledBeforeStart } from './cancelled.ts';
import type { RunEngine } from './engine.ts';
import { inBatches } from './batch.ts';
import type { ResultQuota } from './result-quota.ts';
import type { RunPosition, RunStore } from './run-store.ts';
import type { RunQueries } from './run-queries.ts';
import type { RunSummary, StoredRun } from './stored-run.ts';
import type { RunWatches } from './watches.ts';

export interface Runs {
  /**
   * Queues a run and answers its id once it is on disk; the run there is where the same request was
   * made before under the same idempotency key.
   * @throws {IdempotencyConflict} that key was given to another request
   * @throws {ResultQuotaExceeded} the workspace keeps as much as it may
   */
  submit(request: RunRequest): Promise<string>;
  /** At most `limit` runs of an organisation, the newest first. */
  list(organizationId: string, limit: number, after: RunPosition | null): Promise<RunSummary[]>;
  /** A run of an organisation; null where it has none of that id. */
  get(organizationId: string, runId: string): Promise<StoredRun | null>;
  /** The same without its result, which may be megabytes. */
  summary(organizationId: string, runId: string): Promise<RunSummary | null>;
  /** The result of a run as JSON text, whoever's it is; null where there is none yet. */
  result(runId: string): Promise<string | null>;
  /**
   * Waits for the end of a run, however long it takes.
   * @throws the signal's reason once it is aborted; the run goes on
   */
  wait(runId: string, signal: AbortSignal): Promise<void>;
  /** Tells when a run has got on. */
  watch: RunWatches['watch'];
  /** Asks for a cancel; false where the run has ended already. */
  cancel(run: RunSummary): Promise<boolean>;
  /** Queues what was stored before an instant and never queued, since a process died in between. */
  recover(before: number): Promise<number>;
}

/** Runs that one statement notes as queued. */
const MOST_NOTED = 100;
const RUN_ID = /^run_[0-9a-f-]{36}$/;

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

/** Joins the parts; nothing is started by it, and closing them is left to whoever made them. */
export function createRuns(parts: {
  store: RunStore;
  queries: RunQueries;
  resultQuota: ResultQuota;
  engine: RunEngine;
  events: RunEvents;
  watches: RunWatches;
  log: Log;
}): Runs {
  const { store, queries, resultQuota, engine, events, watches, log } = parts;

  // What is not noted is started again, which changes nothing.
  const noteEnqueued = inBatches<string>(async (ids) => {
    await store.markEnqueued(ids).catch((error: unknown) => {
      log.warn('queueing_not_noted', { error });
    });
  }, MOST_NOTED);

  const enqueue = async (runId: string, position: number): Promise<void> => {
    await engine.start({ runId }, position);
    events.publish({ type: 'queued' });
    noteEnqueued(runId);
  };

  return {
    async submit({ idempotencyKey = null, ...request }) {
      const id = `run_${randomUUID()}`;
      const position = await store.insert({ id, ...request, idempotencyKey });
      if (position !== null) {
        await resultQuota.admit(request.organizationId, id);
        await enqueue(id, position);
        return id;
      }
      const earlier =
        idempotencyKey === null
          ? null
          : await store.byIdempotencyKey(request.organizationId, idempotencyKey);
      if (!earlier || !isDeepStrictEqual(earlier.payload, request.payload)) {
        throw new IdempotencyConflict('this idempotency key was used for another request');
      }
      return earlier.id;
    },
    list: (organizationId, limit, after) => store.list(organizationId, limit, after),
    async get(organizationId, runId) {
      // Not every text can be asked for: PostgreSQL takes no NUL.
      if (!RUN_ID.test(runId)) return null;
      const run = await store.get(runId);
      return run?.organizationId === organizationId ? run : null;
    },
    async summary(organizationId, runId) {
      if (!RUN_ID.test(runId)) return null;
      const run = await store.getSummary(runId);
      return run?.organizationId === organizationId ? run : null;
    },
    async result(runId) {
      return (await store.get(runId))?.result ?? null;
    },
    async wait(runId, signal) {
      // Listened for before the look, so that an end in between is heard.
      const watch = watches.watch(runId, 'end', signal);
      try {
        for (;;) {
          signal.throwIfAborted();
          if (await store.finished(runId)) return;
          await watch.next();
        }
      } finally {
        watch.close();
      }
    },
    watch: watches.watch,
    async cancel(run) {
      const runId = run.id;
      const asked = await store.requestCancel(runId);
      if (!asked) return false;
      events.publish({ type: 'cancel', runId });
      // Whoever is far back in the queue does not wait for a worker to hear that.
      const isOver =
        run.state === 'queued' &&
        (await store.endQueued(runId, 'cancelled', cancelledBeforeStart(run)));
      if (isOver) events.publish({ type: 'ended', runId });
      return true;
    },
    async recover(before) {
      const lost = await queries.notEnqueued(before);
      for (const { id, position } of lost) await enqueue(id, position);
      return lost.length;
    },
  };
}
