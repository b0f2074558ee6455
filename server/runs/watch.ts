/** Follows a run as it progresses. */
import type { RunSummary } from './stored-run.ts';
import type { Runs } from './service.ts';

/**
 * Yields a run without its result, at once and whenever it has progressed, and finally in its end
 * state. Ends without a run if there is none.
 * @throws the signal's reason once it is aborted; the run continues
 */
export async function* watchSummary(
  runs: Runs,
  organizationId: string,
  runId: string,
  signal: AbortSignal,
): AsyncGenerator<RunSummary> {
  // Subscribed before reading, so that nothing in between is missed.
  const watch = runs.watch(runId, 'changes', signal);
  let seen = '';
  try {
    for (;;) {
      signal.throwIfAborted();
      const run = await runs.summary(organizationId, runId);
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
