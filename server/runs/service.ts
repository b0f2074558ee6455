/** The run operations for HTTP: submit, read, wait, cancel. Worker threads execute the runs. */
import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { CaptionerPayload } from '../contract/payload.ts';
import type { Log } from '../base/log.ts';
import type { RunEvents } from './store/run-events.ts';
import { cancelledBeforeStart } from './store/cancelled.ts';
import type { RunQueue } from './queue/queue.ts';
import { inBatches } from './batch.ts';
import type { ResultQuota } from './store/result-quota.ts';
import type { RunStore, RunSummary } from './store/run-store.ts';
import type { RunQueries } from './store/run-queries.ts';
import type { PartialTranscripts, StoredPart } from './store/partial-transcripts.ts';
import type { RunWatches } from './store/watches.ts';

/** The most runs that one statement marks as queued. */
const MAX_NOTED = 100;
const RUN_ID = /^run_[0-9a-f-]{36}$/;

export interface RunRequest {
  organizationId: string;
  keyId: string;
  payload: CaptionerPayload;
  idempotencyKey?: string | null;
  /** Its recording as it is stored, if it is to stay with the run as its sound. */
  sound?: { size: number; version: string } | null;
  /** The number of speakers, if it is given. */
  speakers?: number | null;
}

/**
 * Does work on texts that may be long: in other threads where this one answers requests.
 * @param task a function of values that can be sent to another thread
 */
export type DoWork = <Input, Output>(
  task: (input: Input) => Output | Promise<Output>,
  input: Input,
  load: { workspace: string; size: number },
) => Promise<Output>;

/** Does work in this thread. */
export const here: DoWork = async (task, input) => task(input);

/** Whether two payloads are the same; the stored one is JSON. A task. */
export const isSamePayload = ({
  stored,
  sent,
}: {
  stored: string;
  sent: CaptionerPayload;
}): boolean => isDeepStrictEqual(JSON.parse(stored), sent);

/** The same idempotency key was used for two different requests. */
export class IdempotencyConflict extends Error {
  override readonly name = 'IdempotencyConflict';
}

export type Runs = ReturnType<typeof createRuns>;

/** Combines the parts; it starts nothing, and their creator closes them. */
export function createRuns(parts: {
  store: RunStore;
  queries: RunQueries;
  partial: Pick<PartialTranscripts, 'read'>;
  resultQuota: ResultQuota;
  queue: RunQueue;
  events: RunEvents;
  watches: RunWatches;
  log: Log;
  /** Works on whole payloads; default: here. */
  work?: DoWork;
}) {
  const { store, queries, partial, resultQuota, queue, events, watches, log } = parts;
  const { work = here } = parts;

  // If a run is not marked, it is started again later, which changes nothing.
  const noteEnqueued = inBatches<string>(async (ids) => {
    await store.markEnqueued(ids).catch((error: unknown) => {
      log.warn('queueing_not_recorded', { error });
    });
  }, MAX_NOTED);

  const enqueue = async (runId: string, position: number): Promise<void> => {
    await queue.start({ runId }, position);
    events.publish({ type: 'queued' });
    noteEnqueued(runId);
  };

  /** Whether a request repeats an earlier one. */
  const repeats = async (
    { payload: stored, speakers }: { payload: string; speakers: number | null },
    { payload, organizationId, speakers: sent = null }: RunRequest,
  ) => {
    if (speakers !== sent) return false;
    const text = JSON.stringify(payload);
    if (stored === text) return true;
    const size = Math.max(stored.length, text.length);
    const load = { workspace: organizationId, size };
    return work(isSamePayload, { stored, sent: payload }, load);
  };

  return {
    /**
     * Queues a run and returns its id once it is stored. Returns the existing run if the same request was already made
     * with the same idempotency key.
     * @throws {IdempotencyConflict} the key was used for a different request
     * @throws {QuotaExceeded} the workspace has reached its quota
     */
    async submit({ idempotencyKey = null, ...request }: RunRequest): Promise<string> {
      const id = `run_${randomUUID()}`;
      const run = { id, ...request, idempotencyKey };
      const position = await resultQuota.admit(request.organizationId, (database) =>
        store.insert(run, database),
      );
      if (position !== null) {
        await enqueue(id, position);
        return id;
      }
      const earlier =
        idempotencyKey === null
          ? null
          : await store.byIdempotencyKey(request.organizationId, idempotencyKey);
      if (!earlier || !(await repeats(earlier, request))) {
        throw new IdempotencyConflict('this idempotency key was already used for another request');
      }
      return earlier.id;
    },
    /** At most `limit` runs of an organisation, newest first. */
    list: store.list,
    /** A run of an organisation; null if it has none with that id. */
    async summary(organizationId: string, runId: string): Promise<RunSummary | null> {
      // Other ids are not looked up, because PostgreSQL does not accept NUL in a text.
      if (!RUN_ID.test(runId)) return null;
      const run = await store.getSummary(runId);
      return run?.organizationId === organizationId ? run : null;
    },
    /** Names a run, for everyone in its workspace. */
    rename: ({ id }: RunSummary, name: string): Promise<void> => store.rename(id, name),
    /** The result of any organisation's run as JSON text; null if there is none yet. */
    result: store.result,
    /**
     * Waits for the end of a run, however long it takes.
     * @throws the signal's reason once it is aborted; the run continues
     */
    async wait(runId: string, signal: AbortSignal): Promise<void> {
      // Subscribed before reading, so that an end in between is noticed.
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
    /** The preview of a run in progress after a position, in order; at most `most` parts. */
    async heard(run: RunSummary, after: number, most: number): Promise<StoredPart[]> {
      // Once a run has ended, its words are in the result, or are withheld.
      return run.finishedAt === null ? partial.read(run.id, after, most) : [];
    },
    /** Reports when a run has progressed. */
    watch: watches.watch,
    /** Requests a cancel; false if the run has already ended. */
    async cancel(run: RunSummary): Promise<boolean> {
      const runId = run.id;
      const asked = await store.requestCancel(runId);
      if (!asked) return false;
      events.publish({ type: 'cancel', runId });
      // A run far back in the queue is cancelled without waiting for a worker.
      const payload = run.state === 'queued' ? await store.payload(runId) : null;
      if (payload === null) return true;
      const load = { workspace: run.organizationId, size: payload.length };
      const result = await work(cancelledBeforeStart, { run, payload }, load).catch(
        (error: unknown) => {
          // A worker ends it when it is its turn.
          log.warn('cancel_left_to_worker', { runId, error });
          return null;
        },
      );
      if (result && (await store.endQueued(runId, 'cancelled', result))) {
        events.publish({ type: 'ended', runId });
      }
      return true;
    },
    /** Queues runs that were stored before an instant but never queued, because a process died in between. */
    async recover(before: number): Promise<number> {
      const lost = await queries.notEnqueued(before);
      for (const { id, position } of lost) await enqueue(id, position);
      return lost.length;
    },
  };
}
