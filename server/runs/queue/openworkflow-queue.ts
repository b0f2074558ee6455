/** Durable runs with openworkflow, on SQLite or PostgreSQL. */
import { setTimeout as sleep } from 'node:timers/promises';
import { defineWorkflowSpec, OpenWorkflow, type Worker } from 'openworkflow';
import type { Log } from '../../log.ts';
import { isPostgres } from '../../config/stores.ts';
import type { SqliteUse } from '../../storage/sqlite.ts';
import { RunInterrupted, type Steps } from '../../pipeline/perform.ts';
import type { RunQueue, RunHandler } from './queue.ts';
import {
  type QueueStore,
  release,
  LEASE_MS,
  leaseRuns,
  NEXT,
  type Holding,
} from './leased-backend.ts';
import { openSqliteStore, prepareSqlite } from './openworkflow-sqlite.ts';
import { repeat, type Repetition } from '../../concurrency.ts';

/** The pause before the first retry of a step that threw; each later pause is twice as long. */
const RETRY_MS = 1000;
/** Unlimited retries: a step that throws is the fault of the process, not of the run. */
const unlimited = (retryMs: number) =>
  ({
    initialInterval: `${retryMs}ms`,
    backoffCoefficient: 2,
    maximumInterval: '30s',
    maximumAttempts: 0,
  }) as const;
/** The interval at which a worker with a free slot polls for runs whose event was lost. */
const POLL_MS = 1000;

interface QueueOptions {
  /** The settings for a file, if the store is one. */
  use?: SqliteUse | undefined;
  /** Receives the runs that `work` holds. */
  holding?: Holding | undefined;
  /** The time for which a dead process keeps its runs; default: LEASE_MS. */
  leaseMs?: number | undefined;
  /** The pause before the first retry of a step that threw; default: a second. */
  retryMs?: number | undefined;
}

/**
 * Opens the run queue.
 * @param location a PostgreSQL address, or a file created by prepareQueue
 */
export async function openQueue(
  location: string,
  log: Log,
  options: QueueOptions = {},
): Promise<RunQueue> {
  if (!isPostgres(location)) {
    const { use = { answersRequests: false } } = options;
    return queueOn(openSqliteStore(location, use), log, options);
  }
  const { openPostgresStore } = await import('./openworkflow-postgres.ts');
  return queueOn(await openPostgresStore(location), log, options);
}

/**
 * Creates or migrates the queue's tables and, in a file, frees the runs that the last process held when it died. Only
 * one process at a time may call it, before any thread opens the queue.
 */
export async function prepareQueue(location: string): Promise<void> {
  if (!isPostgres(location)) return prepareSqlite(location);
  const { preparePostgres } = await import('./openworkflow-postgres.ts');
  return preparePostgres(location);
}

/** Creates the queue on an open store. */
export function queueOn(
  store: QueueStore,
  log: Log,
  { holding, leaseMs = LEASE_MS, retryMs = RETRY_MS }: QueueOptions,
): RunQueue {
  const retryPolicy = unlimited(retryMs);
  const captioner = defineWorkflowSpec<{ runId: string }, null>({ name: 'captioner', retryPolicy });
  const runs = leaseRuns(store.backend, () => setImmediate(wake), holding, leaseMs);
  const client = new OpenWorkflow({ backend: runs.backend });
  let worker: Worker | null = null;
  const stopping = new AbortController();
  /** Rejects once the runs in progress are others'. */
  const left = Promise.withResolvers<never>();
  left.promise.catch(() => {});
  let looping: Promise<void> = Promise.resolve();
  let heart: Repetition | null = null;
  let woken = Promise.withResolvers<void>();
  const wake = () => woken.resolve();

  /** Runs the worker. openworkflow's own loop sleeps for up to a second even if runs are queued and a slot is free. */
  const loop = async (ticking: Worker): Promise<void> => {
    while (!stopping.signal.aborted) {
      woken = Promise.withResolvers<void>();
      const claimed = await ticking.tick().catch((error: unknown) => {
        log.warn('queue_not_read', { error });
        return 0;
      });
      if (claimed > 0) continue;
      const pause = new AbortController();
      const poll = sleep(POLL_MS, undefined, { signal: pause.signal }).catch(() => {});
      await Promise.race([woken.promise, poll]);
      pause.abort();
    }
  };
  const beat = async () => {
    try {
      await Promise.all([store.extend(runs.held(), leaseMs), store.freeExpired()]);
    } catch (error) {
      log.warn('leases_not_extended', { error });
    }
  };

  return {
    async start(input, position) {
      // openworkflow takes the run that has been available longest, so queue positions are represented as instants in
      // the distant past.
      const options = { idempotencyKey: input.runId, availableAt: new Date(1 + position) };
      await store.insist(() => client.runWorkflow(captioner, { ...input }, options));
    },
    async work(concurrency: number, handler: RunHandler) {
      client.implementWorkflow(captioner, async ({ input, step, run }) => {
        const steps: Steps = {
          async run(name, work) {
            try {
              // Stored as text, because PostgreSQL's jsonb accepts neither NUL nor unpaired surrogates.
              const kept = await step.run({ name, retryPolicy }, async () =>
                JSON.stringify({ value: await work() }),
              );
              return JSON.parse(kept).value;
            } catch (error) {
              throw new RunInterrupted(`The step ${name} was not completed.`, { cause: error });
            }
          },
        };
        const handled = async () => {
          try {
            await handler({ runId: input.runId, entry: run.id }, steps);
            return null;
          } catch (error) {
            // openworkflow recognises only its own errors, not errors that wrap them.
            const cause = error instanceof RunInterrupted ? error.cause : error;
            log.warn('run_interrupted', { runId: input.runId, error: cause });
            throw cause;
          }
        };
        return Promise.race([handled(), left.promise]);
      });
      worker = client.newWorker({ concurrency });
      heart = repeat(leaseMs / 3, beat);
      looping = loop(worker);
    },
    wake,
    extend: (held) => store.insist(() => store.extend(held, leaseMs)),
    release: (held, last = false) =>
      release(store.backend, held, last ? new Date() : NEXT, store.insist),
    prune: (before) => store.prune(before),
    forget: (runId) => store.forget(runId),
    forgetDeleted: () => store.forgetDeleted(),
    async stop(graceMs: number) {
      stopping.abort();
      wake();
      await looping;
      for (let waited = 0; runs.held().length > 0 && waited < graceMs; waited += 20)
        await sleep(20);
      await heart?.stop();
      await runs.handOver();
      // An execution that has to leave its run as it is waits for ever, and openworkflow's heartbeat with it.
      left.reject(new Error('The run was handed over.'));
      await worker?.stop();
      await store.close();
    },
  };
}
