/** Opens the recording of a run. */
import { StageFailure } from '../contract/failure.ts';
import type { AudioSource } from '../mp3/frames.ts';
import type { RunAudio } from './run.ts';
import { isAudioVersion } from '../storage/audio.ts';

/**
 * Opens the recording of a run.
 * @param version that of the object seen by an earlier step; another upload may have replaced it since
 * @throws {StageFailure} `audio_not_found`
 */
export async function openAudio(
  audio: RunAudio,
  version: string,
): Promise<{ source: AudioSource; version: string }> {
  const found = await audio.open();
  if (!found) throw noAudio();
  if (!isAudioVersion(found.version, version)) {
    throw audioNotFound('The audio was replaced by a newer upload while it was being transcribed.');
  }
  return found;
}

/** The failure for a run whose recording does not exist. */
export const noAudio = (): StageFailure => audioNotFound('There is no audio under this key.');

const audioNotFound = (message: string): StageFailure =>
  new StageFailure({
    code: 'audio_not_found',
    message,
    retryable: false,
    suggestions: [
      {
        label: 'Upload the MP3 again',
        description:
          'Send it with PUT /audio/{key} and start the run again. Audio is deleted once it is transcribed, unless the payload sets storage.retainSourceAudio.',
      },
    ],
  });
