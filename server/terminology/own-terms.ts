/** The terms that a workspace keeps for itself, as a run takes them. Plain JSON: the output of a durable step. */
import { phraseKey } from './normalize.ts';
import type { PackTerm } from './pack.ts';

/** A term of a workspace: what packs have, and what people have confirmed. */
export type OwnTerm = PackTerm & {
  /** Risky mishears that people confirmed: corrected, not only shown, where a near word stands by. */
  confirmed?: string[];
};

/** What people have said is no mishear of a term. */
export interface NeverRule {
  surface: string;
  canonical: string;
}

/** A learned mishear that is in force, so that a run can tell which captions it has changed. */
export interface RuleInForce extends NeverRule {
  id: string;
}

/** What a run takes from its workspace, recorded when it starts. */
export interface OwnTerms {
  terms: OwnTerm[];
  never: NeverRule[];
  rules: RuleInForce[];
}

/** What a run takes where there is no workspace. */
export const NO_OWN_TERMS: OwnTerms = { terms: [], never: [], rules: [] };

/** The name of a workspace's terms where packs are named. */
export const WORKSPACE = 'workspace';

/** The terms in the order in which runs rank them: by weight, then as they are listed. */
export const rankedOwn = ({ terms }: OwnTerms): OwnTerm[] =>
  terms.toSorted((a, b) => b.weight - a.weight);

/** Canonical form → the surfaces that are never it, both as keys. */
export function neverByTerm({ never }: OwnTerms): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const { surface, canonical } of never) {
    const key = phraseKey(canonical);
    found.set(key, (found.get(key) ?? new Set()).add(phraseKey(surface)));
  }
  return found;
}

/** A correction that a learned rule has made; `start` in seconds. */
export interface RuleChange {
  ruleId: string;
  correctionId: string;
  start: number;
  before: string;
  after: string;
}
