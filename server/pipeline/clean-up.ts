/** What becomes of the recording. Contract 3.3. */
import type { SourceAudioRetention } from '../contract/results.ts';
import type { RunAudio } from './services.ts';

export type CleanUpPhase = SourceAudioRetention['cleanupPhase'];

export interface CleanUpRequest {
  audio: RunAudio;
  retain: boolean;
  phase: CleanUpPhase;
  /** The object the run found; null where it found none. */
  version: string | null;
  /**
   * Whether transcription is done with the recording. Where it is not, the recording is kept: a
   * failure's suggestions could not be followed without it.
   */
  consumed: boolean;
  /** What an earlier phase reached. */
  earlier?: SourceAudioRetention | undefined;
}

/**
 * Deletes the recording unless it is to be kept, and says what was done. Never rejects: a deletion
 * that fails is an answer (`failed`), tried again by a later phase.
 */
export async function cleanUpAudio(request: CleanUpRequest): Promise<SourceAudioRetention> {
  const { audio, retain, phase, version, consumed, earlier } = request;
  const head = {
    key: audio.key,
    policy: retain ? ('retain' as const) : ('delete_after_use' as const),
    cleanupPhase: phase,
  };
  if (earlier && earlier.status !== 'failed') return earlier;
  if (version === null) {
    return { ...head, status: 'skipped', reason: 'No audio was found under this key.' };
  }
  if (retain) {
    return { ...head, status: 'retained', reason: 'storage.retainSourceAudio is set.' };
  }
  if (!consumed) {
    return {
      ...head,
      status: 'skipped',
      reason: 'Transcription did not use the audio, so it is kept for another run.',
    };
  }
  try {
    const found = await audio.open();
    if (found && found.version !== version) {
      return { ...head, status: 'skipped', reason: 'A newer upload has replaced the audio.' };
    }
    await audio.delete(version);
    return { ...head, status: 'deleted' };
  } catch (error) {
    return {
      ...head,
      status: 'failed',
      reason: 'The audio could not be deleted.',
      error: error instanceof Error ? error.message : String(error),
    };
  }
}
