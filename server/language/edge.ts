/** The auditor beside the service: the matcher over the terms, and a language model where one is configured. */
import { createMatcher } from '../terminology/match.ts';
import { decideByMatcher } from '../terminology/matcher-decisions.ts';
import { noCache, type AnswerCache } from './answer-cache.ts';
import type { AuditOutcome, Auditor, AuditRequest } from './auditor.ts';
import { auditWithModel } from './model-auditor.ts';
import { outcomeOf } from './outcome.ts';

/** Changes when the same transcript and terms may be audited otherwise. */
export const EDGE_AUDIT_MODEL = 'edge-matcher-2';

/** An OpenAI-compatible model beside the service. */
export interface EdgeModel {
  baseUrl: string;
  apiKey?: string | undefined;
  model: string;
}

/**
 * Makes the auditor. The matcher applies what the packs know for certain; what is ordinary English, or
 * sounds like a term, goes to the model or, where there is none, to a person. A model that cannot be
 * asked ends no run: the matcher's word stands, and the outcome says so.
 */
export function createEdgeAuditor({
  model,
  cache = noCache,
}: { model?: EdgeModel | undefined; cache?: AnswerCache } = {}): Auditor {
  return {
    name: 'edge',
    async audit(request, context) {
      context.signal.throwIfAborted();
      if (!model) {
        const outcome = auditWithMatcher(request);
        context.progress(1);
        return outcome;
      }
      const named = request.model === EDGE_AUDIT_MODEL ? undefined : request.model;
      const asked = {
        service: { provider: 'edge', baseUrl: model.baseUrl, apiKey: model.apiKey },
        model: named ?? model.model,
        cache,
      };
      const { outcome, failure } = await auditWithModel(request, asked, context);
      if (!failure) return outcome;
      return {
        ...auditWithMatcher(request),
        usage: outcome.usage,
        note: `The language model of this server could not be asked (${failure.failure.code}): the audit is the matcher's alone.`,
      };
    },
  };
}

function auditWithMatcher({
  words,
  language,
  terms,
  minConfidence,
  model,
}: AuditRequest): AuditOutcome {
  const drafts = decideByMatcher(createMatcher(terms, { language }), words, minConfidence);
  const unused = model !== undefined && model !== 'auto' && model !== EDGE_AUDIT_MODEL;
  return outcomeOf(drafts, {
    provider: 'edge',
    model: EDGE_AUDIT_MODEL,
    usage: { calls: 0, tokens: 0, cached: 0 },
    ...(unused
      ? {
          note: `The edge audit of this server has one model, ${EDGE_AUDIT_MODEL}; ${model} was not used.`,
        }
      : {}),
  });
}
