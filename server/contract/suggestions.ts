/** What a caller can do about a provider that cannot be used: patches that work on this server. */
import { StageFailure, type CaptionerErrorSuggestion, type FailureCode } from './failure.ts';

/** The part of the payload that names a provider. */
export type ProviderSection = 'transcription' | 'audit';

/** What a payload names there, and what this server has. */
export interface ProviderChoice {
  section: ProviderSection;
  provider: string;
  /** The model that the payload names. */
  model?: string | undefined;
  /** The providers that can be used here. */
  configured: readonly string[];
}

/** Patches to the other providers that are configured. A model of the old one would mean nothing to them. */
const otherProviders = ({
  section,
  provider,
  model,
  configured,
}: ProviderChoice): CaptionerErrorSuggestion[] =>
  configured
    .filter((name) => name !== provider)
    .map((name) => ({
      ...(name === 'none'
        ? { label: 'Leave the audit out', description: 'The transcript stays as it was heard.' }
        : {
            label: `${section === 'audit' ? 'Audit' : 'Transcribe'} with ${name}`,
            description: `${name} is configured on this server.`,
          }),
      payloadPatch: { [section]: { provider: name, ...(model === undefined ? {} : AUTO) } },
    }));

/** A patch that leaves the choice of a model to the server. */
const anyModel = (section: ProviderSection): CaptionerErrorSuggestion => ({
  label: 'Let the server choose the model',
  payloadPatch: { [section]: AUTO },
});

const AUTO = { model: 'auto' };

/** The failure of a payload that names a provider without its key. */
export const providerNotConfigured = (choice: ProviderChoice): StageFailure =>
  new StageFailure({
    code: 'provider_not_configured',
    message: `The ${choice.section} provider ${choice.provider} is not configured on this server.`,
    retryable: false,
    provider: choice.provider,
    ...(choice.model === undefined ? {} : { model: choice.model }),
    suggestions: otherProviders(choice),
  });

/**
 * A failure of the provider in use, with what may work in its place. One that this server cannot
 * mend otherwise can at least be repeated.
 */
export function withOtherProviders(error: unknown, choice: ProviderChoice): unknown {
  if (!(error instanceof StageFailure)) return error;
  const { code } = error.failure;
  if (OWN_FAILURES.has(code)) return error;
  const explained = error.withSuggestions([
    ...(code === 'model_unavailable' && choice.model !== undefined
      ? [anyModel(choice.section)]
      : []),
    ...otherProviders(choice),
  ]);
  const patched = explained.failure.suggestions.some(({ payloadPatch }) => payloadPatch);
  return patched ? explained : explained.withSuggestions([REPEAT]);
}

/** Failures that no other provider would spare a run. */
const OWN_FAILURES: ReadonlySet<FailureCode> = new Set([
  'audio_not_found',
  'audio_unreadable',
  'cancelled',
  'internal',
] as const);

/** The last resort: the same again, with the recording kept however it ends. */
export const REPEAT: CaptionerErrorSuggestion = {
  label: 'Start the run again',
  description:
    'Upload the recording again where it is gone: audio is deleted once it is transcribed, unless storage.retainSourceAudio is set.',
  payloadPatch: { storage: { retainSourceAudio: true } },
};
