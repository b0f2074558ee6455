/** Chooses the transcription provider of a run, and handles the failures of calls to it. */
import { StageFailure } from '../contract/failure.ts';
import type { CaptionerRequest } from '../contract/payload.ts';
import {
  providerNotConfigured,
  withOtherProviders,
  type ProviderChoice,
} from '../contract/suggestions.ts';
import type { AudioSource } from '../mp3/frames.ts';
import type { SpeechProvider, TranscriptionRequest } from '../speech/provider.ts';
import type { SpeechRegistry } from '../speech/registry.ts';
import { isVersion } from '../storage/audio.ts';
import type { ActiveTerm, Compiled } from '../terminology/packs/compile.ts';
import type { KeytermLimit } from '../terminology/packs/keyterms.ts';
import type { RunAudio } from './run.ts';

/** The provider of a run, and the alternatives in case it fails. */
export interface ChosenSpeech {
  provider: SpeechProvider;
  choice: ProviderChoice;
}

/**
 * Chooses the provider that a request names.
 * @throws {StageFailure} `provider_not_configured`, with patches to the configured ones
 */
export function chooseSpeechProvider(
  registry: SpeechRegistry,
  { transcription, language }: CaptionerRequest,
): ChosenSpeech {
  const { model, provider: name } = transcription;
  const choice: ProviderChoice = {
    section: 'transcription',
    provider: name,
    model,
    // A provider that does not support the language of the run is not an alternative.
    configured: registry.configured.filter(
      (other) => registry.provider(other)?.speaks?.(language) ?? true,
    ),
  };
  const provider = registry.provider(name);
  if (!provider) throw providerNotConfigured(choice);
  return { provider, choice };
}

/** Adds alternatives to a provider's failures. */
export const withOthers = <T>({ choice }: ChosenSpeech, work: Promise<T>): Promise<T> =>
  work.catch((error: unknown) => {
    throw withOtherProviders(error, choice);
  });

/** The key term limits of a run's model. */
export const keytermLimit = (
  { provider }: ChosenSpeech,
  { transcription }: CaptionerRequest,
): KeytermLimit | undefined => provider.keytermLimit?.(namedModel(transcription));

const namedModel = ({ model }: { model?: string }): string | undefined =>
  model === 'auto' ? undefined : model;

/** The pronunciations of terms, where they are known. */
export const sayings = (terms: readonly ActiveTerm[]): Record<string, string> =>
  Object.fromEntries(terms.flatMap(({ canonical, say }) => (say ? [[canonical, say]] : [])));

/** The words that often occur near terms, where they are known. */
export const nearWords = (terms: readonly ActiveTerm[]): Record<string, string[]> =>
  Object.fromEntries(
    terms.flatMap(({ canonical, near }) => (near.length > 0 ? [[canonical, near]] : [])),
  );

/** The request to a provider, with the compiled key terms (best first). */
export function transcriptionRequest(
  request: CaptionerRequest,
  { summary, terms }: Compiled,
): TranscriptionRequest {
  const { chunkBytes, includeRawResponse } = request.transcription;
  const model = namedModel(request.transcription);
  return {
    language: request.language,
    ...(model ? { model } : {}),
    keyterms: summary.injectedKeyterms,
    says: sayings(terms),
    near: nearWords(terms),
    chunkBytes,
    includeRawResponse,
  };
}

/**
 * Opens the recording of a run.
 * @param version that of the object seen by an earlier step; another upload may have replaced it since
 * @throws {StageFailure} `audio_not_found`
 */
export async function openAudio(
  audio: RunAudio,
  version?: string,
): Promise<{ source: AudioSource; version: string }> {
  const found = await audio.open();
  if (!found) throw noAudio();
  if (version !== undefined && !isVersion(found.version, version)) {
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
          'Send it with PUT /audio/{key} and start the run again. Audio is deleted once it is transcribed; set storage.retainSourceAudio to keep it for reruns.',
        payloadPatch: { storage: { retainSourceAudio: true } },
      },
    ],
  });

/** The failure for a recording that is longer than the service allows. Durations in seconds. */
export const audioTooLong = (duration: number, maximum: number): StageFailure =>
  new StageFailure({
    code: 'audio_too_long',
    message: `The recording is more than ${hours(duration)} hours long. One run transcribes at most ${hours(maximum)} hours.`,
    retryable: false,
    suggestions: [
      {
        label: 'Cut the recording into parts',
        description: `Upload the parts and start a run for each: ffmpeg -i talk.mp3 -c copy -f segment -segment_time ${Math.floor(maximum / 2)} part-%02d.mp3`,
      },
      {
        label: 'Check that the recording is what you meant to send',
        description:
          'Speech at a very low bitrate, or hours of silence after the talk, can make a small file last for a day.',
      },
    ],
    debug: { duration, maximum },
  });

/** Converts seconds to hours, rounded down to a tenth. */
const hours = (seconds: number): number => Math.floor(seconds / 360) / 10;
