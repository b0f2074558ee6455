/** The document of a workspace: its terms, the learning switch, and the rules that were decided. */
import type { RULE_KINDS, RuleState } from '../contract/learning.ts';
import type { WorkspaceTerm } from '../contract/workspace-terms.ts';
import { phraseKey } from '../terminology/normalize.ts';
import type { OwnTerms } from '../terminology/own-terms.ts';

/** A term as it is stored: every field that has a default is filled in. */
export type StoredTerm = WorkspaceTerm &
  Required<Pick<WorkspaceTerm, 'kind' | 'mishears' | 'weight' | 'source'>>;

/** A rule that was settled, by a person or by its evidence. Those that are only proposed are not stored. */
export interface SettledRule {
  id: string;
  kind: (typeof RULE_KINDS)[number];
  state: Exclude<RuleState, 'proposed'>;
  automatic: boolean;
  /** Folded tokens; null for a term that is only to be known. */
  surface: string | null;
  canonical: string;
  near: string[];
  /** Whether it is made only where one of these words is near. */
  risky: boolean;
  accepted: number;
  rejected: number;
  talks: number;
  /** Epoch milliseconds. */
  settledAt: number;
}

/** The document of a workspace; it is replaced as a whole. */
export interface WorkspaceDocument {
  terms: StoredTerm[];
  automatic: boolean;
  rules: SettledRule[];
}

/** A workspace that has nothing yet. */
export const emptyDocument = (): WorkspaceDocument => ({ terms: [], automatic: true, rules: [] });

/** Most rules that are remembered; of the others the oldest that are not in force go. */
const MOST_RULES = 5000;

/** The document with its rules within bounds, each in force only where the terms still say so. */
export function reconciled(document: WorkspaceDocument): WorkspaceDocument {
  const rules = document.rules.map((rule) =>
    rule.state === 'applied' && !isInForce(document, rule)
      ? { ...rule, state: 'undone' as const }
      : rule,
  );
  if (rules.length <= MOST_RULES) return { ...document, rules };
  const byAge = rules.toSorted(
    (a, b) =>
      Number(b.state === 'applied') - Number(a.state === 'applied') || b.settledAt - a.settledAt,
  );
  return { ...document, rules: byAge.slice(0, MOST_RULES) };
}

function isInForce({ terms }: WorkspaceDocument, rule: SettledRule): boolean {
  if (rule.kind === 'never') return true;
  const term = termOf(terms, rule.canonical);
  if (!term) return false;
  return rule.surface === null || holds(term.mishears, rule.surface);
}

/** The term of a canonical form, whatever its case. */
export const termOf = (terms: readonly StoredTerm[], canonical: string): StoredTerm | undefined => {
  const key = phraseKey(canonical);
  return terms.find((term) => phraseKey(term.canonical) === key);
};

/** Whether a phrase is among others, by their keys. */
export const holds = (phrases: readonly string[] | undefined, surface: string): boolean =>
  (phrases ?? []).some((phrase) => phraseKey(phrase) === phraseKey(surface));

/** What a run takes of the document. */
export function ownTermsOf({ terms, rules }: WorkspaceDocument): OwnTerms {
  const applied = rules.filter(({ state }) => state === 'applied');
  return {
    terms: terms.map(({ source: _source, ...term }) => term),
    never: applied.flatMap(({ kind, surface, canonical }) =>
      kind === 'never' && surface !== null ? { surface, canonical } : [],
    ),
    rules: applied.flatMap(({ kind, id, surface, canonical }) =>
      kind === 'never' || surface === null ? [] : { id, surface, canonical },
    ),
  };
}
