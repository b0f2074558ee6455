/** The failure and the result of a cancelled run. */
import { StageFailure } from '../../contract/failure.ts';
import { type CaptionerPayload, resolvePayload } from '../../contract/payload.ts';
import type { CaptionerResult } from '../../contract/results.ts';
import type { RunSummary } from './run-store.ts';
import { failedResult } from '../../pipeline/result.ts';

/** The failure that ends a cancelled run. */
export const cancelled = (): StageFailure =>
  new StageFailure({
    code: 'cancelled',
    message: 'The run was cancelled.',
    retryable: false,
    suggestions: [{ label: 'Start the run again' }],
  });

/**
 * The result of a run that was cancelled before a worker took it; its recording was not touched. A task.
 * @param cancelled its payload is the whole one, as JSON
 */
export function cancelledBeforeStart({
  run: { id, createdAt },
  payload,
}: {
  run: Pick<RunSummary, 'id' | 'createdAt'>;
  payload: string;
}): CaptionerResult {
  const request = resolvePayload(JSON.parse(payload) as CaptionerPayload);
  return failedResult({
    runId: id,
    request,
    timingsMs: { total: Math.max(0, Date.now() - createdAt) },
    models: {},
    stage: 'payload',
    failure: cancelled().failure,
    retention: {
      key: request.audio.key,
      policy: request.storage.retainSourceAudio ? 'retain' : 'delete_after_use',
      cleanupPhase: 'failure',
      status: 'skipped',
      reason:
        'The run had not started. Audio under this key is kept for another run until it expires.',
    },
    terminology: {},
  });
}
