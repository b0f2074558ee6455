import { closed, enumeration, freeObject, Type, type Static } from './schema.ts';

const CAPTIONER_STAGES = [
  'payload',
  'transcription',
  'moderation',
  'terminology_audit',
  'correction',
  'captioning',
  'storage',
  'workflow',
] as const;

/** Where a run is, or where it failed. Contract 2.4. */
export const CaptionerStage = enumeration(CAPTIONER_STAGES);
export type CaptionerStage = Static<typeof CaptionerStage>;

/** What may help; `payloadPatch` is to be merged into the payload. Contract 2.4. */
export const CaptionerErrorSuggestion = closed({
  label: Type.String(),
  description: Type.Optional(Type.String()),
  payloadPatch: Type.Optional(freeObject()),
});
export type CaptionerErrorSuggestion = Static<typeof CaptionerErrorSuggestion>;

/** The `error` of a failed result; `code` is one of FAILURE_CODES. Contract 2.4. */
export const CaptionerWorkflowError = closed({
  code: Type.String(),
  stage: CaptionerStage,
  message: Type.String(),
  retryable: Type.Boolean(),
  suggestions: Type.Array(CaptionerErrorSuggestion),
  runId: Type.Optional(Type.String()),
  provider: Type.Optional(Type.String()),
  model: Type.Optional(Type.String()),
  debug: Type.Optional(freeObject()),
});
export type CaptionerWorkflowError = Static<typeof CaptionerWorkflowError>;

/** Every code a failed run may carry. */
export const FAILURE_CODES = [
  'audio_not_found',
  'audio_unreadable',
  'audio_too_long',
  'provider_not_configured',
  'provider_unauthorized',
  'provider_rate_limited',
  'provider_unavailable',
  'provider_timeout',
  'provider_bad_response',
  'model_unavailable',
  'language_unsupported',
  'audit_unparseable',
  'cancelled',
  'internal',
] as const;
export type FailureCode = (typeof FAILURE_CODES)[number];

/** What a stage says when it cannot go on. The stage itself is added by whoever runs it. */
export interface Failure {
  code: FailureCode;
  /** A sentence for a person: what happened. No secrets, no transcript. */
  message: string;
  /** Whether the same payload may succeed later. A retryable failure is tried again before it ends a run. */
  retryable: boolean;
  suggestions: CaptionerErrorSuggestion[];
  provider?: string;
  model?: string;
  debug?: Record<string, unknown>;
}

/** A failure on its way up: thrown by a stage, turned into a failed result by runs/. */
export class StageFailure extends Error {
  readonly failure: Failure;
  /** Whoever threw it has tried as often as is worth it: nobody above tries again. */
  readonly isFinal: boolean;

  constructor(failure: Failure, options: ErrorOptions & { isFinal?: boolean } = {}) {
    super(failure.message, options);
    this.name = 'StageFailure';
    this.failure = failure;
    this.isFinal = options.isFinal ?? false;
  }

  /** The same failure with more to do about it. */
  withSuggestions(more: readonly CaptionerErrorSuggestion[]): StageFailure {
    const suggestions = [...this.failure.suggestions, ...more];
    return new StageFailure(
      { ...this.failure, suggestions },
      { cause: this.cause, isFinal: this.isFinal },
    );
  }
}
