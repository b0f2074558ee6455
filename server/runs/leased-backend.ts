/** The engine's store with leases of our own length, one claim at a time, and news of what was freed. */
import type { Backend } from 'openworkflow/internal';

/** A process that dies keeps its runs from others for so long. */
export const LEASE_MS = 15_000;

/** A run that this process executes, by the engine's own names. */
export interface HeldRun {
  workflowRunId: string;
  workerId: string;
}

const keyOf = ({ workflowRunId, workerId }: HeldRun): string => `${workflowRunId} ${workerId}`;

export interface LeasedBackend {
  backend: Backend;
  /** Lengthens the leases of all that is held. */
  extend(): Promise<void>;
  /** Gives back all that is held: it becomes the next to be claimed, by anyone. */
  handOver(): Promise<void>;
  held(): number;
}

/**
 * Wraps a store. The engine's worker asks for a run per free slot at once, with leases of half a
 * minute: here the first claim that finds nothing answers for those that wait behind it.
 * @param onFree called when a run has been given back or has ended, so that a slot is free
 */
export function leaseRuns(backend: Backend, onFree: () => void): LeasedBackend {
  /** By run and worker: a run whose lease was lost may be taken again while its old execution ends. */
  const held = new Map<string, HeldRun>();
  let claiming: Promise<void> = Promise.resolve();
  let waiting = 0;
  let foundNone = false;

  const freed = async <T extends HeldRun, R>(
    params: T,
    end: (params: T) => Promise<R>,
  ): Promise<R> => {
    try {
      return await end(params);
    } finally {
      held.delete(keyOf(params));
      onFree();
    }
  };

  const overrides: Partial<Backend> = {
    async claimWorkflowRun(params) {
      waiting += 1;
      const turn = claiming;
      const done = Promise.withResolvers<void>();
      claiming = done.promise;
      await turn;
      try {
        if (foundNone) return null;
        const claimed = await backend.claimWorkflowRun({ ...params, leaseDurationMs: LEASE_MS });
        if (claimed) {
          const run = { workflowRunId: claimed.id, workerId: params.workerId };
          held.set(keyOf(run), run);
        } else foundNone = true;
        return claimed;
      } finally {
        waiting -= 1;
        if (waiting === 0) foundNone = false;
        done.resolve();
      }
    },
    extendWorkflowRunLease: (params) =>
      backend.extendWorkflowRunLease({ ...params, leaseDurationMs: LEASE_MS }),
    completeWorkflowRun: (params) => freed(params, (given) => backend.completeWorkflowRun(given)),
    failWorkflowRun: (params) => freed(params, (given) => backend.failWorkflowRun(given)),
    rescheduleWorkflowRunAfterFailedStepAttempt: (params) =>
      freed(params, (given) => backend.rescheduleWorkflowRunAfterFailedStepAttempt(given)),
  };

  return {
    backend: new Proxy(backend, {
      get: (target, name) => {
        if (Object.hasOwn(overrides, name)) return Reflect.get(overrides, name);
        const value: unknown = Reflect.get(target, name);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    }),
    async extend() {
      const all = [...held.values()];
      const done = await Promise.allSettled(
        all.map((run) => backend.extendWorkflowRunLease({ ...run, leaseDurationMs: LEASE_MS })),
      );
      const lost = done.find((one) => one.status === 'rejected');
      if (lost) throw lost.reason;
    },
    async handOver() {
      await Promise.allSettled(
        [...held.values()].map((run) =>
          backend.rescheduleWorkflowRunAfterFailedStepAttempt({
            ...run,
            error: { message: 'The process stopped.' },
            availableAt: new Date(0),
          }),
        ),
      );
      held.clear();
    },
    held: () => held.size,
  };
}
