/** The clean-up of a run's recording, as a step of the run. */
import type { SourceAudioRetention } from '../contract/results.ts';
import { cleanUpAudio, type CleanUpPhase } from './clean-up.ts';
import { LOCAL_RETRIES, perform } from './perform.ts';
import type { RunRecord } from './record.ts';
import type { CaptionerRun, RunContext } from './run.ts';

/**
 * Keeps or deletes the recording as the run's storage settings require, and records the outcome. It has a signal of its
 * own, because it runs even while the run is being cancelled.
 * @param step the phase that names the step, if it differs from the reported phase
 */
export async function cleanUp(
  run: CaptionerRun,
  context: RunContext,
  record: RunRecord,
  phase: CleanUpPhase,
  step: CleanUpPhase = phase,
): Promise<SourceAudioRetention> {
  const done = await perform(
    { ...context, signal: new AbortController().signal },
    `clean up: ${step}`,
    LOCAL_RETRIES,
    () =>
      cleanUpAudio({
        audio: run.audio,
        retain: run.request.storage.retainSourceAudio,
        phase,
        version: record.audioVersion,
        consumed: record.audioConsumed,
        earlier: record.retention?.status === 'retained' ? undefined : record.retention,
      }),
  );
  record.retention = done.value;
  if (done.value.status === 'failed' && record.audioVersion !== null) {
    context.undeleted?.(record.audioVersion);
  }
  return done.value;
}
