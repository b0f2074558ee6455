/** The audit stage: chooses the auditor, audits the transcript, applies the corrections and reports them. */
import type { AuditReport } from '../contract/results.ts';
import type { CaptionerRequest } from '../contract/payload.ts';
import { withOtherProviders } from '../contract/suggestions.ts';
import type { Transcript, TranscriptSpan } from '../contract/transcript.ts';
import type { AuditContext, AuditOutcome } from '../language/auditor.ts';
import { chooseAuditor, type AuditorRegistry, type ChosenAuditor } from '../language/registry.ts';
import { buildTranscript } from '../speech/transcript.ts';
import type { Compiled } from '../terminology/packs/compile.ts';
import { correct } from '../terminology/decide/correct.ts';

/** Chooses the auditor for a request. @throws {StageFailure} `provider_not_configured` */
export const chooseAudit = (registry: AuditorRegistry, request: CaptionerRequest): ChosenAuditor =>
  chooseAuditor(registry, request.audit);

/**
 * Audits a transcript. Returns plain JSON, so that it can be stored as the output of a step.
 * @throws {StageFailure} if the audit is not possible; the failure suggests other auditors
 */
export const auditTranscript = (
  { auditor, model, choice }: ChosenAuditor,
  transcript: Transcript,
  terminology: Compiled,
  request: CaptionerRequest,
  context: AuditContext,
): Promise<AuditOutcome> =>
  auditor
    .audit(
      {
        words: transcript.words,
        language: transcript.language,
        terms: terminology.terms,
        minConfidence: request.audit.minConfidence,
        model,
      },
      context,
    )
    .catch((error: unknown) => {
      throw withOtherProviders(error, choice);
    });

/** Applies the accepted corrections to a transcript; utterances and paragraphs are adjusted to the words. */
export function applyAudit(transcript: Transcript, audit: AuditOutcome): Transcript {
  const { words, origins } = correct(transcript.words, audit.corrections);
  const starts = (spans: readonly TranscriptSpan[]): number[] => {
    let at = 0;
    return spans.map(({ firstWord }) => {
      while (at < origins.length && (origins[at]?.last ?? 0) < firstWord) at += 1;
      return at;
    });
  };
  return buildTranscript(words, {
    ...transcript,
    utterances: starts(transcript.utterances),
    paragraphs: starts(transcript.paragraphs),
  });
}

/** The audit section of the result: the settings, every correction, and the cost (calls, tokens, cached). */
export function auditReport(
  request: CaptionerRequest,
  chosen: ChosenAuditor,
  audit: AuditOutcome,
): AuditReport {
  const notes = [chosen.reason, audit.note].filter((note) => note !== undefined);
  const decided = (decision: string) =>
    audit.corrections.filter((correction) => correction.decision === decision).length;
  return {
    enabled: request.audit.enabled,
    mode: request.audit.mode,
    provider: audit.provider,
    model: audit.model,
    minConfidence: request.audit.minConfidence,
    ...(chosen.fallbackFrom ? { fallbackFrom: chosen.fallbackFrom } : {}),
    ...(notes.length > 0 ? { note: notes.join(' ') } : {}),
    summary: {
      accepted: decided('accepted'),
      needsReview: decided('needs_review'),
      rejected: decided('rejected'),
    },
    corrections: audit.corrections,
    ...audit.usage,
  };
}
