/** Follows a run as it progresses. */
import type { StoredPart } from './store/partial-transcripts.ts';
import type { RunSummary } from './store/run-store.ts';
import type { Runs } from './service.ts';

/** An update of a run: its new state, or newly recognised words. */
export type RunUpdate = { run: RunSummary } | { heard: StoredPart };

/** The number of parts read at once, which are at most a few hundred kilobytes. */
const PARTS = 100;

/**
 * Yields a run without its result: immediately, whenever it progresses, and in its final state, with the parts of its
 * preview in between. Yields nothing if there is no such run.
 * @param heardAfter the position after which to yield the preview; null for no preview
 * @throws the signal's reason once it is aborted; the run continues
 */
export async function* watchUpdates(
  runs: Pick<Runs, 'watch' | 'summary' | 'heard'>,
  { organizationId, id }: Pick<RunSummary, 'organizationId' | 'id'>,
  heardAfter: number | null,
  signal: AbortSignal,
): AsyncGenerator<RunUpdate> {
  // Subscribed before reading, so that nothing in between is missed.
  const watch = runs.watch(id, 'changes', signal);
  let seen = '';
  let position = heardAfter;
  try {
    for (;;) {
      signal.throwIfAborted();
      const run = await runs.summary(organizationId, id);
      if (!run) return;
      const state = `${run.state} ${run.stage} ${run.progress}`;
      if (state !== seen) yield { run };
      if (run.finishedAt !== null) return;
      seen = state;
      while (position !== null) {
        const parts = await runs.heard(run, position, PARTS);
        for (const heard of parts) {
          signal.throwIfAborted();
          yield { heard };
          position = heard.position;
        }
        if (parts.length < PARTS) break;
      }
      await watch.next();
    }
  } finally {
    watch.close();
  }
}

/**
 * Yields a run without its result, as `watchUpdates` does, but no preview.
 * @throws the signal's reason once it is aborted; the run continues
 */
export async function* watchSummary(
  runs: Runs,
  organizationId: string,
  id: string,
  signal: AbortSignal,
): AsyncGenerator<RunSummary> {
  for await (const update of watchUpdates(runs, { organizationId, id }, null, signal)) {
    if ('run' in update) yield update.run;
  }
}
