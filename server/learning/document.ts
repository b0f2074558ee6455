/** The document of a workspace: its terms, the learning switch, and the rules that were decided. */
import type { RULE_KINDS, RuleState } from '../contract/learning.ts';
import { MAX_TERMS_BYTES } from '../contract/limits.ts';
import type { WorkspaceTerm } from '../contract/workspace-terms.ts';
import { memoized } from '../terminology/match/memoized.ts';
import { includesPhrase, phraseKey } from '../terminology/match/normalize.ts';
import type { OwnTerms } from '../terminology/packs/compile.ts';

/** A term as it is stored, with the defaults filled in. */
export type StoredTerm = WorkspaceTerm &
  Required<Pick<WorkspaceTerm, 'kind' | 'mishears' | 'weight' | 'source'>>;

/** A rule that was decided, by a person or by its evidence. Proposed rules are not stored. */
export interface DecidedRule {
  id: string;
  kind: (typeof RULE_KINDS)[number];
  state: Exclude<RuleState, 'proposed'>;
  automatic: boolean;
  /** The text as recognised, as folded tokens; null for a rule that only adds a term. */
  surface: string | null;
  canonical: string;
  near: string[];
  /** Whether it applies only near one of the words in `near`. */
  risky: boolean;
  accepted: number;
  rejected: number;
  /** The number of these that rejected corrections that were made; absent in older rules. */
  unmade?: number;
  talks: number;
  /** Epoch milliseconds. */
  settledAt: number;
}

/** The document of a workspace, which is replaced as a whole. */
export interface WorkspaceDocument {
  terms: StoredTerm[];
  automatic: boolean;
  rules: DecidedRule[];
}

/** The document of a workspace that has nothing yet. */
export const emptyDocument = (): WorkspaceDocument => ({ terms: [], automatic: true, rules: [] });

/** The most rules that are kept. Beyond it, the oldest rules that are not in force are dropped first. */
const MAX_RULES = 5000;

/** Thrown if a document would take more than MAX_TERMS_BYTES. */
export class TooManyTerms extends Error {
  override readonly name = 'TooManyTerms';
}

/**
 * A document as it is stored: with at most MAX_RULES rules, and at most MAX_TERMS_BYTES of JSON. Applied rules that its
 * terms no longer contain become undone. The oldest rules that are not in force give way first.
 * @param before the document that it replaces, which may be larger if an earlier version of the service stored it
 * @throws {TooManyTerms} it is too large without them, and not smaller than before
 */
export function documentText(
  changed: WorkspaceDocument,
  before?: WorkspaceDocument,
): { document: WorkspaceDocument; text: string } {
  const document = reconciled(changed);
  const text = JSON.stringify(document);
  const excess = Buffer.byteLength(text) - MAX_TERMS_BYTES;
  if (excess <= 0) return { document, text };
  const fewer = { ...document, rules: withoutOldest(document.rules, excess) };
  const shorter = JSON.stringify(fewer);
  const bytes = Buffer.byteLength(shorter);
  const isSmaller = before && bytes < Buffer.byteLength(JSON.stringify(before));
  if (bytes <= MAX_TERMS_BYTES || isSmaller) return { document: fewer, text: shorter };
  throw new TooManyTerms(
    `The terms and rules would take ${bytes} bytes of JSON; a workspace has ${MAX_TERMS_BYTES}.`,
  );
}

/** The rules without the oldest that are not in force, which have about this many bytes. */
function withoutOldest(rules: readonly DecidedRule[], bytes: number): DecidedRule[] {
  let left = bytes;
  const dropped = new Set<DecidedRule>();
  const idle = rules.filter(({ state }) => state !== 'applied');
  for (const rule of idle.toSorted((a, b) => a.settledAt - b.settledAt)) {
    if (left <= 0) break;
    dropped.add(rule);
    left -= Buffer.byteLength(JSON.stringify(rule)) + 1;
  }
  return rules.filter((rule) => !dropped.has(rule));
}

/** The document with at most MAX_RULES rules; applied rules that its terms no longer contain become undone. */
export function reconciled(document: WorkspaceDocument): WorkspaceDocument {
  const rules = document.rules.map((rule) =>
    rule.state === 'applied' && !isInForce(document, rule)
      ? { ...rule, state: 'undone' as const }
      : rule,
  );
  if (rules.length <= MAX_RULES) return { ...document, rules };
  const byAge = rules.toSorted(
    (a, b) =>
      Number(b.state === 'applied') - Number(a.state === 'applied') || b.settledAt - a.settledAt,
  );
  return { ...document, rules: byAge.slice(0, MAX_RULES) };
}

function isInForce({ terms }: WorkspaceDocument, rule: DecidedRule): boolean {
  if (rule.kind === 'never') return true;
  const term = termOf(terms, rule.canonical);
  if (!term) return false;
  return rule.surface === null || includesPhrase(term.mishears, rule.surface);
}

/** The term with a canonical form, in any case. */
export const termOf = (terms: readonly StoredTerm[], canonical: string): StoredTerm | undefined =>
  byKey(terms).get(phraseKey(canonical));

/** The key of a term, which is never changed in place. */
const keyOf = memoized((term: StoredTerm) => phraseKey(term.canonical));
const byKey = memoized(
  (terms: readonly StoredTerm[]) =>
    new Map(terms.toReversed().map((term) => [keyOf(term), term] as const)),
);

/** The terms and rules of a document that a run uses. */
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
