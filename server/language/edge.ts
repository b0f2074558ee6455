/** The auditor on this server: the matcher with the terms and, if one is configured, a language model. */
import { uncounted } from '../compute.ts';
import { createMatcher } from '../terminology/match/match.ts';
import { decideByMatcher } from '../terminology/decide/decide-in-rounds.ts';
import { type Auditor, type AuditOutcome, type AuditRequest, outcomeOf } from './auditor.ts';
import { auditWithModel } from './model-auditor.ts';
import type { ChosenModel } from './ask.ts';

/** The version of the matcher; it changes whenever the same transcript and terms may be audited differently. */
export const EDGE_AUDIT_MODEL = 'edge-matcher-3';

/**
 * Creates the auditor. The matcher applies the certain corrections from the packs. Ordinary English and sound-alikes go
 * to the model or, without one, to a person. If the model does not respond, the run continues with the matcher's
 * decisions, and the outcome says so.
 */
export function createEdgeAuditor(preset: ChosenModel | null = null): Auditor {
  return {
    name: 'edge',
    async audit(request, context) {
      const { signal, compute = uncounted } = context;
      signal.throwIfAborted();
      if (!preset) {
        const outcome = await compute(() => auditWithMatcher(request));
        context.progress(1);
        return outcome;
      }
      const asked = { ...preset, model: otherModel(request) ?? preset.model };
      const { outcome, failure } = await auditWithModel(request, asked, context);
      if (!failure) return outcome;
      return {
        ...(await compute(() => auditWithMatcher(request))),
        usage: outcome.usage,
        note: `The language model of this server failed (${failure.failure.code}): only the matcher audited the transcript.`,
      };
    },
  };
}

/** The model that a request names, if it is not the matcher. */
const otherModel = ({ model }: AuditRequest): string | undefined =>
  model === 'auto' || model === EDGE_AUDIT_MODEL ? undefined : model;

function auditWithMatcher(request: AuditRequest): AuditOutcome {
  const { words, language, terms, minConfidence } = request;
  const drafts = decideByMatcher(createMatcher(terms, { language }), words, minConfidence);
  const unused = otherModel(request);
  return outcomeOf(drafts, {
    provider: 'edge',
    model: EDGE_AUDIT_MODEL,
    usage: { calls: 0, tokens: 0, cached: 0 },
    ...(unused === undefined
      ? {}
      : {
          note: `The edge audit of this server has one model, ${EDGE_AUDIT_MODEL}; ${unused} was not used.`,
        }),
  });
}
