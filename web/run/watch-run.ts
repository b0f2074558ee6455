/** Follows a run to its end, reconnecting when the connection breaks. */
import { signal, type Signal } from '@preact/signals';
import type { TranscriptPart, WorkflowRun } from '../../server/contract/runs.ts';
import { ApiProblem, NoAnswer, retrying } from '../api/request.ts';
import { listRuns, runEvents } from '../api/runs.ts';
import { SignInDismissed, withKey } from '../session.ts';
import { keepResult } from '../storage/runs.ts';

/** The latest state of a run, updated as events arrive. */
export interface WatchedRun {
  run: Signal<WorkflowRun | null>;
  /** The words recognised so far, in order. */
  heard: Signal<readonly TranscriptPart[]>;
  /** The number of this workspace's runs ahead of it; null if not known. */
  ahead: Signal<number | null>;
  problem: Signal<ApiProblem | SignInDismissed | null>;
}

/** Watches a run until it ends or `stop` is aborted. */
export function watchRun(runId: string, stop: AbortSignal): WatchedRun {
  const watched: WatchedRun = {
    run: signal(null),
    heard: signal([]),
    ahead: signal(null),
    problem: signal(null),
  };
  follow(runId, watched, stop).catch((error: unknown) => {
    if (stop.aborted) return;
    if (error instanceof ApiProblem || error instanceof SignInDismissed) {
      watched.problem.value = error;
    } else throw error;
  });
  return watched;
}

async function follow(
  runId: string,
  { run, heard, ahead }: WatchedRun,
  stop: AbortSignal,
): Promise<void> {
  /** The id of the last event, from which the stream resumes after a break. */
  let last: string | null = null;
  await retrying(stop, (reached) =>
    withKey(async (key) => {
      try {
        for await (const update of runEvents(key, runId, last, stop)) {
          last = update.id;
          reached();
          if (update.event === 'transcript') {
            heard.value = [...heard.peek(), update.data];
            continue;
          }
          const next = update.data;
          const result = next.envelope?.result;
          // A run without captions is shown by the service's own message, which names the
          // recording's key.
          if (result?.status === 'completed') await keepResult(runId, result).catch(() => {});
          run.value = next;
          void keepCounting(key, { run, ahead }, stop);
        }
      } catch (error) {
        throw error instanceof ApiProblem ? error : new NoAnswer('', { cause: error });
      }
      // The stream ended before the run did, so the connection was cut.
      if (!run.peek()?.finishedAt) throw new NoAnswer();
    }),
  );
}

const COUNT_EVERY_MS = 3000;

/**
 * Counts the workspace's earlier unfinished runs while this one is queued: a queued run has no
 * events of its own.
 */
async function keepCounting(
  key: string,
  { run, ahead }: Pick<WatchedRun, 'run' | 'ahead'>,
  signal: AbortSignal,
): Promise<void> {
  for (let waits = run.peek(); waits?.state === 'queued' && !signal.aborted; waits = run.peek()) {
    const { createdAt } = waits;
    const found = await listRuns(key, { limit: 100, signal }).catch(() => null);
    if (found) ahead.value = found.runs.filter((each) => isAhead(each, createdAt)).length;
    await new Promise((resolve) => setTimeout(resolve, COUNT_EVERY_MS));
  }
}

const isAhead = ({ finishedAt, createdAt }: WorkflowRun, ofOne: string): boolean =>
  !finishedAt && createdAt < ofOne;
