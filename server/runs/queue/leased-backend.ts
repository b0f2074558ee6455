/** openworkflow's store with leases of a chosen length, one claim at a time, and a signal when a run is freed. */
import type { OpenWorkflowOptions } from 'openworkflow';

/** The library's interface to a database, which others may implement. */
type Backend = OpenWorkflowOptions['backend'];

/** What openworkflow calls a queue entry and its holder. */
interface Lease {
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

/** The time for which a dead process keeps its runs from others, unless RUN_LEASE is set. */
export const LEASE_MS = 15_000;

/** A run that this process executes. */
export interface HeldRun extends Lease {
  runId: string;
}

/** Receives events about held runs. */
export interface Holding {
  held(run: HeldRun): void;
  freed(run: HeldRun): void;
}

const keyOf = ({ workflowRunId, workerId }: Lease): string => `${workflowRunId} ${workerId}`;

interface LeasedBackend {
  backend: Backend;
  /** Releases all held runs, which become the next to be claimed by anyone. */
  handOver(): Promise<void>;
  held(): HeldRun[];
}

/** Extends the leases of runs. @throws the first failure, after trying all of them */
export async function extendLeases(
  backend: Backend,
  runs: readonly Lease[],
  leaseDurationMs: number,
): Promise<void> {
  const done = await Promise.allSettled(
    runs.map(({ workflowRunId, workerId }) =>
      backend.extendWorkflowRunLease({ workflowRunId, workerId, leaseDurationMs }),
    ),
  );
  const lost = done.find((one) => one.status === 'rejected');
  if (lost) throw lost.reason;
}

/**
 * Returns runs to the queue. A run that the owner of the lease no longer holds stays where it is.
 * @param availableAt when they can be claimed; the run that was available earliest is next
 * @param insist repeats work that another thread's write may block
 */
export async function release(
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
export const NEXT = new Date(0);

/**
 * Wraps a store. openworkflow's worker claims a run for every free slot at the same time, with leases of half a minute.
 * Here, if a claim finds nothing, that is also the answer for those waiting behind it.
 * @param onFree called when a run was returned or has ended, so that a slot is free
 */
export function leaseRuns(
  backend: Backend,
  onFree: () => void,
  holding: Holding = { held() {}, freed() {} },
  leaseDurationMs = LEASE_MS,
): LeasedBackend {
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
    async handOver() {
      const all = [...held.values()];
      await release(backend, all, NEXT);
      for (const run of all) letGo(run);
    },
    held: () => [...held.values()],
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
