/** Deletes or keeps the recording. Contract 3.3. */
import type { SourceAudioRetention } from '../contract/results.ts';
import { StorageUnavailable } from '../storage/outage.ts';
import { LOCAL_RETRIES, perform, type Steps } from './perform.ts';
import type { CaptionerRun, RunContext, RunAudio, RunRecord } from './run.ts';
import { isAudioVersion } from '../storage/audio.ts';

type CleanUpPhase = SourceAudioRetention['cleanupPhase'];

interface CleanUpRequest {
  audio: RunAudio;
  retain: boolean;
  phase: CleanUpPhase;
  /** The version of the object that the run found; null if it found none, or ended before it looked. */
  version: string | null;
  /**
   * Whether transcription has finished with the recording. Otherwise it is kept, because a failure's suggestions could
   * not be followed without it.
   */
  consumed: boolean;
}

/**
 * Deletes the recording unless it is to be kept, and reports the outcome. A failed deletion is an outcome too (`failed`),
 * and is retried by a later phase, or by the service after the run.
 * @throws {StorageUnavailable} and nothing else
 */
async function cleanUpAudio(request: CleanUpRequest): Promise<SourceAudioRetention> {
  const { audio, retain, phase, version, consumed } = request;
  const head = {
    key: audio.key,
    policy: retain ? ('retain' as const) : ('delete_after_use' as const),
    cleanupPhase: phase,
  };
  // Only audio that transcription has finished with is deleted; otherwise the outcome is what is there now.
  if (retain || !consumed || version === null) {
    const found = await look(audio);
    if (found === undefined || found === null) {
      const reason =
        found === null ? 'No audio was found under this key.' : 'The audio was left as it is.';
      return { ...head, status: 'skipped', reason };
    }
    if (version !== null && !isAudioVersion(found, version)) {
      return { ...head, status: 'skipped', reason: 'A newer upload has replaced the audio.' };
    }
    if (retain) {
      return { ...head, status: 'retained', reason: 'storage.retainSourceAudio is set.' };
    }
    return {
      ...head,
      status: 'skipped',
      reason: 'The run did not use the audio. It is kept for another run until it expires.',
    };
  }
  try {
    // If nothing was deleted, the object is already gone or has been replaced.
    if (!(await audio.delete(version)) && (await audio.open())) {
      return { ...head, status: 'skipped', reason: 'A newer upload has replaced the audio.' };
    }
    return { ...head, status: 'deleted' };
  } catch (error) {
    return {
      ...head,
      status: 'failed',
      reason: 'The audio could not be deleted yet. The service keeps trying.',
      error: errorText(error),
    };
  }
}

/**
 * The version of the stored object; null if there is none, undefined if that is not known.
 * @throws {StorageUnavailable} the step is repeated later
 */
async function look(audio: RunAudio): Promise<string | null | undefined> {
  try {
    return (await audio.open())?.version ?? null;
  } catch (error) {
    if (error instanceof StorageUnavailable) throw error;
    return undefined;
  }
}

/** The part of an error that clients may see: messages of the file system contain paths of this host. */
function errorText(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  return 'code' in error ? String(error.code) : error.message;
}

const WITHOUT_STEPS: Steps = { run: (_name, work) => work() };

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
  const { retention: earlier } = record;
  if (earlier?.status === 'deleted' || earlier?.status === 'skipped') return earlier;
  const retain = run.request.storage.retainSourceAudio;
  // A step is a write. To look whether a recording is there changes nothing, so it can be repeated.
  const steps = retain ? WITHOUT_STEPS : context.steps;
  const done = await perform(
    { ...context, steps, signal: new AbortController().signal },
    `clean up: ${step}`,
    LOCAL_RETRIES,
    () =>
      cleanUpAudio({
        audio: run.audio,
        retain,
        phase,
        version: record.audioVersion,
        consumed: record.audioConsumed,
      }),
  );
  record.retention = done.value;
  if (done.value.status === 'failed' && record.audioVersion !== null) {
    context.undeleted?.(record.audioVersion);
  }
  return done.value;
}
