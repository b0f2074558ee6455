/** The `audit` of a completed result. The contract leaves its inner fields open. */
import { enumeration, open, Type, type Static } from './schema.ts';
import { TermCorrection } from './terminology.ts';

const count = (description: string) => Type.Integer({ minimum: 0, description });

/** The settings, every correction, and the cost of the audit. */
export const AuditReport = open({
  enabled: Type.Boolean(),
  mode: enumeration(['publishable', 'fast', 'experimental']),
  provider: Type.String({ description: 'the provider that audited' }),
  model: Type.String(),
  minConfidence: Type.Number({ minimum: 0, maximum: 1 }),
  fallbackFrom: Type.Optional(
    Type.String({
      description: 'the provider of the mode, if this server lacks it and used another',
    }),
  ),
  note: Type.Optional(Type.String()),
  summary: open({
    accepted: count('corrections that were made'),
    needsReview: count('corrections for a person to decide'),
    rejected: count('corrections that were not made'),
  }),
  corrections: Type.Array(TermCorrection),
  calls: count('questions put to a language model'),
  tokens: count('tokens of questions and answers together'),
  cached: count('answers taken from the cache'),
});
export type AuditReport = Static<typeof AuditReport>;
