/** Follows a run as it progresses. */
import type { RunSummary, StoredRun } from './stored-run.ts';
import type { Runs } from './service.ts';

/**
 * Yields a run at once and whenever it has progressed, and finally in its end state with its
 * result. Ends without a run if there is none.
 * @throws the signal's reason once it is aborted; the run continues
 */
export const watchRun = (
  runs: Runs,
  organizationId: string,
  runId: string,
  signal: AbortSignal,
): AsyncGenerator<StoredRun> => watched(runs, runId, signal, () => runs.get(organizationId, runId));

/** The same without results. */
export const watchSummary = (
  runs: Runs,
  organizationId: string,
  runId: string,
  signal: AbortSignal,
): AsyncGenerator<RunSummary> =>
  watched(runs, runId, signal, () => runs.summary(organizationId, runId));

async function* watched<T extends RunSummary>(
  runs: Runs,
  runId: string,
  signal: AbortSignal,
  look: () => Promise<T | null>,
): AsyncGenerator<T> {
  // Subscribed before reading, so that nothing in between is missed.
  const watch = runs.watch(runId, 'changes', signal);
  let seen = '';
  try {
    for (;;) {
      signal.throwIfAborted();
      const run = await look();
      if (!run) return;
      const state = `${run.state} ${run.stage} ${run.progress}`;
      if (state !== seen) yield run;
      if (run.finishedAt !== null) return;
      seen = state;
      await watch.next();
    }
  } finally {
    watch.close();
  }
}
