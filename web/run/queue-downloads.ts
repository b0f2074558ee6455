/** Downloads the captions of all recordings of the queue that are done. */
import { loadPart } from '../api/load-part.ts';
import type { Format } from '../review/save/download.ts';
import { queueText as texts } from '../texts/queue.ts';
import { queued } from './queue-state.ts';
import { resultOf } from './result-of.ts';

/**
 * The downloads, each with the edits made in this browser so far. @returns a message about the
 * outcome
 */
export async function downloadQueue(format: Format): Promise<string> {
  const { downloadSaved } = await loadPart(() => import('../review/save/download.ts'));
  let made = 0;
  const without: string[] = [];
  for (const { file, job, run } of queued.peek()) {
    const runId = job.peek().runId.peek();
    if (runId === null || run.peek()?.state !== 'completed') continue;
    const result = await resultOf(runId);
    if (result?.status !== 'completed') continue;
    if (await downloadSaved(runId, file.name, result, format)) made += 1;
    else without.push(file.name);
  }
  return [texts.converted(made), ...without.map(texts.without)].join(' ');
}
