/** Follows a run to its end, over breaks of the connection. */
import { signal, type Signal } from '@preact/signals';
import type { WorkflowRun } from '../../server/contract/runs.ts';
import { patiently } from '../api/patience.ts';
import { ApiProblem, NoAnswer } from '../api/problem.ts';
import { listRuns, runEvents } from '../api/runs.ts';
import { SignInDismissed, withKey } from '../session.ts';
import { keepResult } from '../storage/runs.ts';

/** What is known of a run, as it comes. */
export interface WatchedRun {
  run: Signal<WorkflowRun | null>;
  /** Runs of this workspace that go first; null where that is not known. */
  ahead: Signal<number | null>;
  problem: Signal<ApiProblem | SignInDismissed | null>;
}

/** Watches a run until it ends or `stop` is aborted. */
export function watchRun(runId: string, stop: AbortSignal): WatchedRun {
  const watched: WatchedRun = { run: signal(null), ahead: signal(null), problem: signal(null) };
  follow(runId, watched, stop).catch((error: unknown) => {
    if (stop.aborted) return;
    if (error instanceof ApiProblem || error instanceof SignInDismissed) {
      watched.problem.value = error;
    } else throw error;
  });
  return watched;
}

async function follow(runId: string, { run, ahead }: WatchedRun, stop: AbortSignal): Promise<void> {
  await patiently(stop, () =>
    withKey(async (key) => {
      try {
        for await (const next of runEvents(key, runId, stop)) {
          if (next.envelope) await keepResult(runId, next.envelope.result).catch(() => {});
          run.value = next;
          if (next.state === 'queued') void countAhead(key, next, ahead, stop);
        }
      } catch (error) {
        stop.throwIfAborted();
        throw error instanceof ApiProblem ? error : new NoAnswer('', { cause: error });
      }
      // A stream that ends before the run does was cut.
      if (!run.peek()?.finishedAt) throw new NoAnswer();
    }),
  );
}

/** Counts the runs of this workspace that were asked for earlier and are not done. */
async function countAhead(
  key: string,
  { createdAt }: WorkflowRun,
  ahead: Signal<number | null>,
  signal: AbortSignal,
): Promise<void> {
  const found = await listRuns(key, { limit: 100, signal }).catch(() => null);
  if (!found) return;
  ahead.value = found.runs.filter((run) => !run.finishedAt && run.createdAt < createdAt).length;
}
