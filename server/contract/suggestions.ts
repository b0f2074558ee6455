/** Suggestions after a provider failure: patches to the payload that work on this server. */
import { StageFailure, type CaptionerErrorSuggestion, type FailureCode } from './failure.ts';

/** The payload section that names a provider, or a translation, which is a request of its own without sections. */
type Section = 'transcription' | 'audit' | 'translation';

/** The provider that a payload named, and the providers of this server. */
export interface ProviderChoice {
  section: Section;
  provider: string;
  /** The model that the payload named. */
  model?: string | undefined;
  /** The providers configured on this server. */
  configured: readonly string[];
}

/** Patches to the other configured providers. They reset the model, because other providers do not know it. */
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
        ? { label: 'Skip the audit', description: 'The transcript stays as it was recognised.' }
        : {
            label: `${VERBS[section]} with ${name}`,
            description: `${name} is configured on this server.`,
          }),
      payloadPatch: patchOf(section, { provider: name, ...(model === undefined ? {} : AUTO) }),
    }));

const VERBS = { transcription: 'Transcribe', audit: 'Audit', translation: 'Translate' };

const patchOf = (section: Section, patch: object): Record<string, unknown> =>
  section === 'translation' ? { ...patch } : { [section]: patch };

/** A patch that lets the server choose the model. */
const anyModel = (section: Section): CaptionerErrorSuggestion => ({
  label: 'Let the server choose the model',
  payloadPatch: patchOf(section, AUTO),
});

const AUTO = { model: 'auto' };

/**
 * The failure of a run whose payload names a provider without a key.
 * @example
 * const choice = { section: 'transcription', provider: 'deepgram', configured: ['edge'] } as const;
 * providerNotConfigured(choice).failure.message;
 * // => 'The transcription provider deepgram is not configured on this server.'
 */
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
 * Adds the other providers as alternatives to a failure of the one in use, or else a suggestion to repeat the run.
 * @example
 * const choice = { section: 'audit', provider: 'groq', configured: ['groq', 'none'] } as const;
 * withOtherProviders('not a StageFailure', choice); // => 'not a StageFailure'
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
  if (patched) return explained;
  return explained.withSuggestions([choice.section === 'translation' ? TRANSLATE_AGAIN : REPEAT]);
}

/** Failures that another provider would not prevent. */
const OWN_FAILURES: ReadonlySet<FailureCode> = new Set([
  'audio_not_found',
  'audio_unreadable',
  'cancelled',
  'internal',
] as const);

const TRANSLATE_AGAIN: CaptionerErrorSuggestion = { label: 'Translate again later' };

/** The last resort: to run again, and to keep the recording whatever the outcome. */
export const REPEAT: CaptionerErrorSuggestion = {
  label: 'Start the run again',
  description:
    'Upload the recording again if it has been deleted: audio is deleted once it is transcribed, unless storage.retainSourceAudio is set.',
  payloadPatch: { storage: { retainSourceAudio: true } },
};
