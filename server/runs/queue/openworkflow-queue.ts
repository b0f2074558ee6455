/** Durable runs with openworkflow, on SQLite or PostgreSQL. */
import { setTimeout as sleep } from 'node:timers/promises';
import { defineWorkflowSpec, OpenWorkflow, type Worker } from 'openworkflow';
import type { Log } from '../../base/log.ts';
import { isPostgres } from '../../storage/locations.ts';
import type { SqliteUse } from '../../storage/sqlite.ts';
import { RunInterrupted, type Steps } from '../../pipeline/perform.ts';
import type { HeldRun, RunQueue } from './queue.ts';
import { openSqliteStore, prepareSqlite, type QueueStore } from './openworkflow-sqlite.ts';
import { repeat, type Repetition } from '../../base/concurrency.ts';

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

/** The time for which a dead process keeps its runs from others, unless RUN_LEASE is set. */
const LEASE_MS = 15_000;

type Backend = QueueStore['backend'];
/** What openworkflow calls a queue entry and its holder. */
type Lease = Omit<HeldRun, 'runId'>;

/** Receives events about held runs. */
interface Holding {
  held(run: HeldRun): void;
  freed(run: HeldRun): void;
}

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
    async work(concurrency, handler) {
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

const keyOf = ({ workflowRunId, workerId }: Lease): string => `${workflowRunId} ${workerId}`;

/**
 * Returns runs to the queue. A run that the owner of the lease no longer holds stays where it is.
 * @param availableAt when they can be claimed; the run that was available earliest is next
 * @param insist repeats work that another thread's write may block
 */
async function release(
  backend: Backend,
  runs: readonly HeldRun[],
  availableAt: Date,
  insist: <T>(work: () => Promise<T>) => Promise<T> = (work) => work(),
): Promise<void> {
  const error = { message: 'The worker stopped.' };
  await Promise.allSettled(
    runs.map(({ workflowRunId, workerId }) =>
      // openworkflow's SQLite store throws some of its errors synchronously.
      insist(async () =>
        backend.rescheduleWorkflowRunAfterFailedStepAttempt({
          workflowRunId,
          workerId,
          error,
          availableAt,
        }),
      ),
    ),
  );
}

/** An availability earlier than that of every waiting run. */
const NEXT = new Date(0);

/**
 * Wraps a store. openworkflow's worker claims a run for every free slot at the same time, with leases of half a minute.
 * Here, if a claim finds nothing, that is also the answer for those waiting behind it.
 * @param onFree called when a run was returned or has ended, so that a slot is free
 */
function leaseRuns(
  backend: Backend,
  onFree: () => void,
  holding: Holding = { held() {}, freed() {} },
  leaseDurationMs = LEASE_MS,
) {
  /**
   * Held runs, by run and worker: a run whose lease was lost may be taken again while its old execution is still
   * ending.
   */
  const held = new Map<string, HeldRun>();
  let claiming: Promise<void> = Promise.resolve();
  let waiting = 0;
  let foundNone = false;

  const letGo = (lease: Lease): void => {
    const run = held.get(keyOf(lease));
    if (!run) return;
    held.delete(keyOf(lease));
    holding.freed(run);
  };
  const freed = async <T extends Lease, R>(
    params: T,
    end: (params: T) => Promise<R>,
  ): Promise<R> => {
    try {
      return await end(params);
    } finally {
      letGo(params);
      onFree();
    }
  };

  const leased: Backend = {
    ...passedOn(backend),
    async claimWorkflowRun(params) {
      waiting += 1;
      const turn = claiming;
      const done = Promise.withResolvers<void>();
      claiming = done.promise;
      await turn;
      try {
        if (foundNone) return null;
        const claimed = await backend.claimWorkflowRun({ ...params, leaseDurationMs });
        if (claimed) {
          const { workerId } = params;
          // The key of a queue entry is its run's id.
          const runId = String(claimed.idempotencyKey);
          const run = { runId, workflowRunId: claimed.id, workerId };
          held.set(keyOf(run), run);
          holding.held(run);
        } else foundNone = true;
        return claimed;
      } finally {
        waiting -= 1;
        if (waiting === 0) foundNone = false;
        done.resolve();
      }
    },
    extendWorkflowRunLease: (params) =>
      backend.extendWorkflowRunLease({ ...params, leaseDurationMs }),
    completeWorkflowRun: (params) => freed(params, (given) => backend.completeWorkflowRun(given)),
    failWorkflowRun: (params) => freed(params, (given) => backend.failWorkflowRun(given)),
    rescheduleWorkflowRunAfterFailedStepAttempt: (params) =>
      freed(params, (given) => backend.rescheduleWorkflowRunAfterFailedStepAttempt(given)),
  };

  return {
    backend: leased,
    /** Releases all held runs, which become the next to be claimed by anyone. */
    async handOver(): Promise<void> {
      const all = [...held.values()];
      await release(backend, all, NEXT);
      for (const run of all) letGo(run);
    },
    held: (): HeldRun[] => [...held.values()],
  };
}

/** Passes every method of a store on. The compiler reports one that a later version adds. */
const passedOn = (store: Backend): Backend => ({
  createWorkflowRun: (params) => store.createWorkflowRun(params),
  getWorkflowRun: (params) => store.getWorkflowRun(params),
  listWorkflowRuns: (params) => store.listWorkflowRuns(params),
  countWorkflowRuns: () => store.countWorkflowRuns(),
  claimWorkflowRun: (params) => store.claimWorkflowRun(params),
  extendWorkflowRunLease: (params) => store.extendWorkflowRunLease(params),
  sleepWorkflowRun: (params) => store.sleepWorkflowRun(params),
  completeWorkflowRun: (params) => store.completeWorkflowRun(params),
  failWorkflowRun: (params) => store.failWorkflowRun(params),
  rescheduleWorkflowRunAfterFailedStepAttempt: (params) =>
    store.rescheduleWorkflowRunAfterFailedStepAttempt(params),
  cancelWorkflowRun: (params) => store.cancelWorkflowRun(params),
  createStepAttempt: (params) => store.createStepAttempt(params),
  getStepAttempt: (params) => store.getStepAttempt(params),
  listStepAttempts: (params) => store.listStepAttempts(params),
  completeStepAttempt: (params) => store.completeStepAttempt(params),
  failStepAttempt: (params) => store.failStepAttempt(params),
  setStepAttemptChildWorkflowRun: (params) => store.setStepAttemptChildWorkflowRun(params),
  sendSignal: (params) => store.sendSignal(params),
  getSignalDelivery: (params) => store.getSignalDelivery(params),
  stop: () => store.stop(),
});
