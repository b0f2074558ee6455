/** Downloads the captions of all recordings of the queue that are done. */
import { loadPart } from '../api/load-part.ts';
import type { Format } from '../review/download.ts';
import { queueText as texts } from '../texts/queue.ts';
import { queued } from './queue-state.ts';
import { resultOf } from './result-of.ts';

/**
 * The downloads, each with the edits made in this browser so far. @returns a message about the
 * outcome
 */
export async function downloadQueue(format: Format): Promise<string> {
  const { download, openReviewOf } = await loadPart(() => import('../review/review-screen.tsx'));
  let made = 0;
  const without: string[] = [];
  for (const { file, job, run } of queued.peek()) {
    const runId = job.peek().runId.peek();
    if (runId === null || run.peek()?.state !== 'completed') continue;
    const result = await resultOf(runId);
    if (result?.status !== 'completed') continue;
    const { review, lock } = await openReviewOf(runId, file.name, result);
    if (review.cues.peek().length > 0) {
      await download(review, format);
      made += 1;
    } else without.push(file.name);
    lock.leave();
  }
  return [texts.converted(made), ...without.map(texts.without)].join(' ');
}
