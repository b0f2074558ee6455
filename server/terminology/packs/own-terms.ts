/** A workspace's own terms, in the form in which runs use them. Plain JSON, as the output of a durable step. */
import { phraseKey } from '../match/normalize.ts';
import type { PackTerm } from './pack.ts';

/** A term of a workspace: the fields of a term in a pack, and what people have confirmed. */
export type OwnTerm = PackTerm & {
  /**
   * Risky mishears that people have confirmed. They are corrected, rather than only shown, if a near word is close by.
   */
  confirmed?: string[];
};

/** A surface that is never a mishear of a term, according to people. */
interface NeverRule {
  surface: string;
  canonical: string;
}

/** A learned mishear in force, so that a run can record which captions it has changed. */
interface RuleInForce extends NeverRule {
  id: string;
}

/** The terms and rules that a run takes from its workspace, recorded when it starts. */
export interface OwnTerms {
  terms: OwnTerm[];
  never: NeverRule[];
  rules: RuleInForce[];
}

/** The terms of a run without a workspace. */
export const NO_OWN_TERMS: OwnTerms = { terms: [], never: [], rules: [] };

/** The id of a workspace's terms where packs are named by id. */
export const WORKSPACE = 'workspace';

/** The terms in the order in which runs rank them: by weight, then as listed. */
export const rankedOwn = ({ terms }: OwnTerms): OwnTerm[] =>
  terms.toSorted((a, b) => b.weight - a.weight);

/** Maps canonical forms to the surfaces that are never mishears of them, both as keys. */
export function neverByTerm({ never }: OwnTerms): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const { surface, canonical } of never) {
    const key = phraseKey(canonical);
    found.set(key, (found.get(key) ?? new Set()).add(phraseKey(surface)));
  }
  return found;
}

/** A correction made by a learned rule; `start` in seconds. */
export interface RuleChange {
  ruleId: string;
  correctionId: string;
  start: number;
  before: string;
  after: string;
}
