/** The result of a run that has ended. */
import { effect } from '@preact/signals';
import type { CaptionerResult } from '../../server/contract/results.ts';
import { keptResult } from '../storage/runs.ts';
import { watchRun } from './watch-run.ts';

/**
 * The result of a run that has ended: from this browser, otherwise from the service, whose result is then kept here.
 * @returns null if the service does not give it
 */
export async function resultOf(runId: string): Promise<CaptionerResult | null> {
  const kept = await keptResult(runId).catch(() => undefined);
  if (kept) return kept;
  const stop = new AbortController();
  const { run, problem } = watchRun(runId, stop.signal);
  const { promise, resolve } = Promise.withResolvers<CaptionerResult | null>();
  const leave = effect(() => {
    const found = run.value?.envelope?.result;
    if (found) resolve(found);
    else if (problem.value) resolve(null);
  });
  const result = await promise;
  leave();
  stop.abort();
  return result;
}
