/** Downloads the captions of all recordings of the queue that are done. */
import { effect } from '@preact/signals';
import type { CaptionerResult } from '../../server/contract/results.ts';
import { loadPart } from '../api/load-part.ts';
import type { Format } from '../review/download.ts';
import { keptResult } from '../storage/runs.ts';
import { queueSays as says } from '../words/queue.ts';
import { queued } from './queued.ts';
import { watchRun } from './watch-run.ts';

/** The downloads, each with the edits made in this browser so far. @returns what came of it */
export async function downloadQueue(format: Format): Promise<string> {
  const { download, openReviewOf } = await loadPart(() => import('../review/review-screen.tsx'));
  let made = 0;
  const without: string[] = [];
  for (const { file, job, run } of queued.peek()) {
    const runId = job.peek().runId.peek();
    if (runId === null || run.peek()?.state !== 'completed') continue;
    const result = await resultOf(runId);
    if (result?.status !== 'completed') continue;
    const { review, turn } = await openReviewOf(runId, file.name, result);
    if (review.cues.peek().length > 0) {
      await download(review, format);
      made += 1;
    } else without.push(file.name);
    turn.leave();
  }
  return [says.converted(made), ...without.map(says.without)].join(' ');
}

/** The result of a run that has ended: from this browser, otherwise from the service. */
async function resultOf(runId: string): Promise<CaptionerResult | null> {
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
