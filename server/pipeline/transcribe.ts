/** Audio → Transcript: which provider, and the guards around every call to one. */
import { StageFailure, type CaptionerErrorSuggestion } from '../contract/failure.ts';
import type { CaptionerRequest } from '../contract/payload.ts';
import type { AudioSource, SpeechProvider, TranscriptionRequest } from '../speech/provider.ts';
import type { SpeechRegistry } from '../speech/registry.ts';
import type { RunAudio } from './services.ts';

/**
 * The provider a request names.
 * @throws {StageFailure} `provider_not_configured`, with patches to those that are
 */
export function chooseSpeechProvider(
  registry: SpeechRegistry,
  request: CaptionerRequest,
): SpeechProvider {
  const { provider, model } = request.transcription;
  const found = registry.provider(provider);
  if (found) return found;
  throw new StageFailure({
    code: 'provider_not_configured',
    message: `The transcription provider ${provider} is not configured on this server.`,
    retryable: false,
    provider,
    ...(model ? { model } : {}),
    suggestions: registry.configured
      .filter((name) => name !== provider)
      .map((name) => providerPatch(name, model !== undefined)),
  });
}

/** A patch to another provider; a model of the old one would mean nothing to it. */
function providerPatch(provider: string, namesModel: boolean): CaptionerErrorSuggestion {
  return {
    label: `Transcribe with ${provider}`,
    description: `${provider} is configured on this server.`,
    payloadPatch: { transcription: { provider, ...(namesModel ? { model: 'auto' } : {}) } },
  };
}

/** What a provider is asked, from a request and the compiled key terms (best first). */
export function transcriptionRequest(
  request: CaptionerRequest,
  keyterms: string[],
): TranscriptionRequest {
  const { model, chunkBytes, includeRawResponse } = request.transcription;
  return {
    language: request.language,
    ...(model && model !== 'auto' ? { model } : {}),
    keyterms,
    chunkBytes,
    includeRawResponse,
  };
}

/**
 * Opens the recording of a run.
 * @param version the object an earlier step saw; another upload may have replaced it since
 * @throws {StageFailure} `audio_not_found`
 */
export async function openAudio(
  audio: RunAudio,
  version?: string,
): Promise<{ source: AudioSource; version: string }> {
  const found = await audio.open();
  if (!found) throw audioNotFound('There is no audio under this key.');
  if (version !== undefined && found.version !== version) {
    throw audioNotFound('The audio was replaced by a newer upload while it was being transcribed.');
  }
  return found;
}

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
