/** Chooses the transcription provider of a run, and names the others if it fails. */
import type { CaptionerRequest } from '../contract/payload.ts';
import {
  providerNotConfigured,
  withOtherProviders,
  type ProviderChoice,
} from '../contract/suggestions.ts';
import type { SpeechProvider } from '../speech/provider.ts';
import type { SpeechRegistry } from '../speech/providers/registry.ts';
import type { KeytermLimit } from '../terminology/packs/keyterms.ts';

/** The provider of a run, and the alternatives in case it fails. */
export interface ChosenSpeech {
  provider: SpeechProvider;
  /** Finds speech on this host, if that is possible. */
  findSpeech?: SpeechProvider['findSpeech'];
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
  const findSpeech = registry.provider('edge')?.findSpeech;
  return { provider, choice, ...(findSpeech && { findSpeech }) };
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

/** The model that a request names; undefined for the provider's own choice. */
export const namedModel = ({ model }: { model?: string }): string | undefined =>
  model === 'auto' ? undefined : model;
