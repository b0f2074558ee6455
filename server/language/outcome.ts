/** Turns decisions into the outcome of an audit. */
import { observe, type Draft } from '../terminology/decide/decide.ts';
import type { AuditOutcome } from './auditor.ts';

/** Numbers the decisions c1, c2, … and adds an observation for each. */
export const outcomeOf = (
  drafts: readonly Draft[],
  totals: Omit<AuditOutcome, 'corrections' | 'observations'>,
): AuditOutcome => ({
  ...totals,
  corrections: drafts.map(({ correction }, at) => ({ id: `c${at + 1}`, ...correction })),
  observations: drafts.map((draft, at) => observe(draft, `c${at + 1}`)),
});
