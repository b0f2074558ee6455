/** The auditor on this host: the matcher over the terms, no language model. */
import { observe } from '../terminology/decide.ts';
import { createMatcher } from '../terminology/match.ts';
import { findPhonetic } from '../terminology/phonetic.ts';
import { settle } from '../terminology/settle.ts';
import type { AuditOutcome, Auditor } from './auditor.ts';

/** Changes when the same transcript and terms may be audited otherwise. */
export const EDGE_AUDIT_MODEL = 'edge-matcher-1';

/**
 * Makes the auditor. It applies what the packs know for certain; what is ordinary English, or sounds
 * like a term, it leaves to a person.
 */
export function createEdgeAuditor(): Auditor {
  return {
    name: 'edge',
    async audit({ words, language, terms, minConfidence, model }, { signal, progress }) {
      signal.throwIfAborted();
      const matcher = createMatcher(terms, { language });
      const settled = settle(words, matcher, minConfidence);
      progress(0.5);
      signal.throwIfAborted();
      const drafts = [...settled, ...findPhonetic(words, terms, settled, minConfidence)].sort(
        (a, b) => a.correction.firstWord - b.correction.firstWord,
      );
      const outcome: AuditOutcome = {
        provider: 'edge',
        model: EDGE_AUDIT_MODEL,
        corrections: drafts.map(({ correction }, at) => ({ id: `c${at + 1}`, ...correction })),
        observations: drafts.map((draft, at) => observe(draft, `c${at + 1}`)),
        usage: { calls: 0, tokens: 0, cached: 0 },
      };
      if (model !== undefined && model !== 'auto' && model !== EDGE_AUDIT_MODEL) {
        outcome.note = `The edge audit of this server has one model, ${EDGE_AUDIT_MODEL}; ${model} was not used.`;
      }
      progress(1);
      return outcome;
    },
  };
}
