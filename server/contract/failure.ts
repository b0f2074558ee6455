/** Failures of runs and of requests: the stages, the errors and their suggestions. */
import { closed, enumeration, freeObject, Type, type Static, open } from './schema.ts';

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

/** The current stage of a run, or the stage in which it failed. Contract 2.4. */
export const CaptionerStage = enumeration(CAPTIONER_STAGES);
export type CaptionerStage = Static<typeof CaptionerStage>;

/** A suggestion to the caller; `payloadPatch` is meant to be merged into the payload. Contract 2.4. */
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

/** The codes of failed runs. */
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

/** Those of failed calls to providers. */
export const CALL_ERROR_CODES = [
  'provider_unauthorized',
  'provider_rate_limited',
  'provider_unavailable',
  'provider_timeout',
  'provider_bad_response',
  'model_unavailable',
  'language_unsupported',
  'audio_unreadable',
] as const satisfies readonly FailureCode[];
export type CallErrorCode = (typeof CALL_ERROR_CODES)[number];

/** The reason why a stage failed. The runner adds the name of the stage. */
export interface Failure {
  code: FailureCode;
  /** A sentence for a person about what happened, without secrets or transcript. */
  message: string;
  /** Whether the same payload may succeed later. A retryable failure is retried before it ends a run. */
  retryable: boolean;
  suggestions: CaptionerErrorSuggestion[];
  provider?: string;
  model?: string;
  debug?: Record<string, unknown>;
}

/** A failure thrown by a stage; the pipeline turns it into a failed result. */
export class StageFailure extends Error {
  readonly failure: Failure;
  /** Whether the thrower has already retried enough, so that callers do not. */
  readonly isFinal: boolean;
  /** What the provider said, in a sentence for the log of the operator; never published. */
  readonly said: string | undefined;

  constructor(
    failure: Failure,
    {
      isFinal = false,
      said,
      ...options
    }: ErrorOptions & { isFinal?: boolean; said?: string | undefined } = {},
  ) {
    super(failure.message, options);
    this.name = 'StageFailure';
    this.failure = failure;
    this.isFinal = isFinal;
    this.said = said;
  }

  /** The same failure with more suggestions. */
  withSuggestions(more: readonly CaptionerErrorSuggestion[]): StageFailure {
    const suggestions = [...this.failure.suggestions, ...more];
    return new StageFailure(
      { ...this.failure, suggestions },
      { cause: this.cause, isFinal: this.isFinal, said: this.said },
    );
  }
}

/** The error that an upstream identity provider returned. */
const IdpError = open({
  status: Type.Integer(),
  code: Type.String(),
  request: Type.Optional(
    open({ method: Type.Optional(Type.String()), path: Type.Optional(Type.String()) }),
  ),
});

/** The error body of the service, used everywhere except for two upload errors that give more detail. */
export const ErrorResponse = closed({
  error: open({
    code: Type.String(),
    message: Type.String(),
    idp: Type.Optional(IdpError),
    scope: Type.Optional(Type.String({ description: 'the scope that the key lacks' })),
    details: Type.Optional(
      Type.Array(closed({ path: Type.String(), message: Type.String() }), {
        description: 'the errors in the request, one entry each',
      }),
    ),
  }),
});
