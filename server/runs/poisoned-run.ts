/** A run whose computation took its thread or its process with it, again and again. */
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
 * The end of such a run. Of its finished steps only those that tell about its recording are read back:
 * nothing is computed, and no provider is asked.
 * @param stage where it was when its worker ended
 * @throws {RunInterrupted} this execution is over, the run is not
 */
export async function endPoisonedRun(
  run: CaptionerRun,
  context: RunContext,
  stage: CaptionerStage | null,
): Promise<CaptionerResult> {
  const record = newRecord();
  record.audioVersion = await audioVersion(run, context);
  // Where this was done, transcription had consumed the recording.
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
      message: `The run was tried ${MAX_ATTEMPTS} times, and each time the worker that computed it did not come to an end.`,
      retryable: false,
      suggestions: [
        { label: 'Start the run with a simpler payload, with fewer terms above all' },
        { label: 'Encode the recording anew as an MP3, and start a run with that' },
        { label: 'Tell whoever runs this service the id of the run' },
      ],
      debug: { attempts: MAX_ATTEMPTS },
    },
    retention,
    terminology: {},
  });
}

/** The version of the recording that the run worked on; null where there is none. */
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
