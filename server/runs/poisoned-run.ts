/** Ends a run whose computation repeatedly crashed or hung its thread or process. */
import { MAX_ATTEMPTS } from '../contract/limits.ts';
import { StageFailure, type CaptionerStage } from '../contract/failure.ts';
import type { CaptionerResult } from '../contract/results.ts';
import { failedResult } from '../pipeline/result.ts';
import { openAudio } from '../pipeline/transcribe.ts';
import { LOCAL_RETRIES, perform } from '../pipeline/perform.ts';
import { newRecord } from '../pipeline/record.ts';
import { cleanUp } from '../pipeline/clean-up-step.ts';
import type { CaptionerRun, RunContext } from '../pipeline/run.ts';

/**
 * Ends such a run. Only the outputs of finished steps about its recording are read: nothing is computed, and no
 * provider is called.
 * @param stage the stage in which its worker died
 * @throws {RunInterrupted} this execution is over, but not the run
 */
export async function endPoisonedRun(
  run: CaptionerRun,
  context: RunContext,
  stage: CaptionerStage | null,
): Promise<CaptionerResult> {
  const record = newRecord();
  record.audioVersion = await audioVersion(run, context);
  // If this step was done, transcription has finished with the recording.
  const earlier = await cleanUp(run, context, record, 'failure', 'after_transcription');
  record.audioConsumed = earlier.cleanupPhase === 'after_transcription';
  const retention = await cleanUp(run, context, record, 'failure');
  return failedResult({
    runId: run.runId,
    request: run.request,
    timingsMs: { total: Math.max(0, Date.now() - run.createdAt) },
    models: {},
    stage: stage ?? 'workflow',
    failure: {
      code: 'internal',
      message: `The run was tried ${MAX_ATTEMPTS} times, and each time its worker crashed or did not finish.`,
      retryable: false,
      suggestions: [
        { label: 'Start the run with a simpler payload, in particular fewer terms' },
        { label: 'Encode the recording as MP3 again, and start a run with that' },
        { label: 'Report the id of the run to the operator of this service' },
      ],
      debug: { attempts: MAX_ATTEMPTS },
    },
    retention,
    terminology: {},
  });
}

/** The version of the recording that the run worked on; null if there is none. */
async function audioVersion(run: CaptionerRun, context: RunContext): Promise<string | null> {
  try {
    const opened = await perform(context, 'audio', LOCAL_RETRIES, async () => {
      const { version, source } = await openAudio(run.audio);
      return { version, size: source.size };
    });
    return opened.value.version;
  } catch (error) {
    if (error instanceof StageFailure) return null;
    throw error;
  }
}
