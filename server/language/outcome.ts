/** Decisions → what an audit says of a run. */
import { observe, type Draft } from '../terminology/decide.ts';
import type { AuditOutcome } from './auditor.ts';

/** Numbers the decisions c1, c2, … and observes each. */
export const outcomeOf = (
  drafts: readonly Draft[],
  told: Omit<AuditOutcome, 'corrections' | 'observations'>,
): AuditOutcome => ({
  ...told,
  corrections: drafts.map(({ correction }, at) => ({ id: `c${at + 1}`, ...correction })),
  observations: drafts.map((draft, at) => observe(draft, `c${at + 1}`)),
});
