/**
 * Applies and undoes the rules of a workspace, by evidence or by a person's decision. Each function returns a new
 * document.
 */
import type { TermSource } from '../contract/workspace-terms.ts';
import { memoized } from '../terminology/match/memoized.ts';
import { includesPhrase, phraseKey } from '../terminology/match/normalize.ts';
import {
  termOf,
  type DecidedRule,
  type StoredTerm,
  type WorkspaceDocument,
} from './terminology-store.ts';
import { type Candidate } from './rules.ts';
import { isCommonWord } from '../terminology/match/ordinary-words.ts';
import { isDocumentFull, kindOfTerm, storedTerm, termFitsAmong } from './edit-terms.ts';

/** The number of confirmations in later talks after which people are asked about a withdrawn rule again. */
const CONFIRMED_AGAIN = 2;

type Rule = Omit<DecidedRule, 'state' | 'settledAt'>;

const ruleOf = (
  { id, kind, surface, canonical, near, risky, accepted, rejected, unmade, talks }: Candidate,
  automatic: boolean,
): Rule => ({
  id,
  kind,
  surface,
  canonical,
  near,
  risky,
  accepted,
  rejected,
  unmade,
  talks,
  automatic,
});

/** The document with a rule added, or replaced if its id is known. */
const withRule = (document: WorkspaceDocument, rule: DecidedRule): WorkspaceDocument => ({
  ...document,
  rules: [...document.rules.filter(({ id }) => id !== rule.id), rule],
});

/** The document with a rule in force; null if its terms would then be invalid, or there is no room for another term. */
export function applyRule(
  document: WorkspaceDocument,
  rule: Rule,
  now: number,
): WorkspaceDocument | null {
  const settled = withRule(document, { ...rule, state: 'applied', settledAt: now });
  if (rule.kind === 'never') return settled;
  const source: TermSource = { kind: 'learned', at: new Date(now).toISOString() };
  const before = termOf(document.terms, rule.canonical);
  if (!before && isDocumentFull(document)) return null;
  const term =
    before ?? storedTerm({ canonical: rule.canonical, kind: kindOfTerm(rule.canonical) }, source);
  const changed = rule.surface === null ? term : withMishear(term, rule, rule.surface);
  const terms = before
    ? document.terms.map((other) => (other === before ? changed : other))
    : [...document.terms, changed];
  const others = document.terms.filter((other) => other !== before);
  return termFitsAmong(changed, others) ? { ...settled, terms } : null;
}

function withMishear(
  term: StoredTerm,
  { near, risky: isRisky }: Rule,
  surface: string,
): StoredTerm {
  const add = (list: readonly string[] = [], more: readonly string[]) => [
    ...list,
    ...more.filter((one) => !includesPhrase(list, one)),
  ];
  return {
    ...term,
    mishears: add(term.mishears, [surface]),
    ...(isRisky
      ? {
          risky: add(term.risky, [surface]),
          // A learned rule never changes the most common words; it only marks them for review.
          confirmed: add(term.confirmed, isCommonWord(surface) ? [] : [surface]),
          near: add(term.near, near).slice(-50),
        }
      : {}),
  };
}

/** The document without anything that a rule has added to its terms. */
export function undoRule(
  document: WorkspaceDocument,
  id: string,
  state: 'withdrawn' | 'undone' | 'dismissed',
  now: number,
): WorkspaceDocument {
  const rule = document.rules.find((one) => one.id === id);
  if (!rule) return document;
  const settled = withRule(document, { ...rule, state, settledAt: now });
  const term = termOf(document.terms, rule.canonical);
  if (rule.state !== 'applied' || rule.kind === 'never' || !term) return settled;
  const { surface } = rule;
  const without = (list: readonly string[] = []) =>
    list.filter((one) => surface === null || phraseKey(one) !== surface);
  const { risky: _r, confirmed: _c, ...rest } = term;
  const [risky, confirmed] = [without(term.risky), without(term.confirmed)];
  const left: StoredTerm = {
    ...rest,
    mishears: without(term.mishears),
    ...(risky.length > 0 ? { risky } : {}),
    ...(confirmed.length > 0 ? { confirmed } : {}),
  };
  // A term that was only learned is removed with the last rule that supports it.
  const isSpokenFor = settled.rules.some(
    (other) =>
      other.state === 'applied' && phraseKey(other.canonical) === phraseKey(term.canonical),
  );
  const isGone = term.source.kind === 'learned' && left.mishears.length === 0 && !isSpokenFor;
  return {
    ...settled,
    terms: document.terms.flatMap((other) => (other !== term ? other : isGone ? [] : left)),
  };
}

/**
 * Applies and withdraws rules by their evidence: withdraws a rule that was rejected since it was applied, and applies
 * one that is safe. A person's decision stands, unless a later review rejects it.
 */
export function decideByEvidence(
  document: WorkspaceDocument,
  candidates: readonly Candidate[],
  now: number,
): WorkspaceDocument {
  if (!document.automatic) return document;
  let settled = document;
  for (const candidate of candidates) {
    const rule = ruleFor(settled, candidate);
    if (rule?.state === 'applied' && rule.kind !== 'never') {
      // Rejections that existed when the rule was applied have already been weighed. If a rule
      // needs a near word, rejections of places without one, where it changed nothing, do not count against it.
      const against = rule.risky ? candidate.unmade : candidate.rejected;
      if (against > (rule.risky ? (rule.unmade ?? rule.rejected) : rule.rejected))
        settled = undoRule(settled, rule.id, 'withdrawn', now);
      continue;
    }
    // A rule that was withdrawn once is restored only by a person.
    if (rule || !candidate.safe) continue;
    if (candidate.kind !== 'never' && isListed(settled, candidate)) continue;
    settled = applyRule(settled, ruleOf(candidate, true), now) ?? settled;
  }
  return settled;
}

const ruleFor = (document: WorkspaceDocument, { id }: Candidate): DecidedRule | undefined =>
  rulesById(document.rules).get(id);

const rulesById = memoized(
  (rules: readonly DecidedRule[]) => new Map(rules.map((rule) => [rule.id, rule] as const)),
);

/** Whether to ask about a rule: nobody has decided on it, or later talks confirm it after it was withdrawn. */
const isOpen = (rule: DecidedRule | undefined, { confirmedAt }: Candidate): boolean =>
  rule === undefined ||
  (rule.state === 'withdrawn' &&
    confirmedAt.filter((at) => at > rule.settledAt).length >= CONFIRMED_AGAIN);

/** The rules to ask people about, those with the most evidence first. */
export const questionsOf = (
  document: WorkspaceDocument,
  candidates: readonly Candidate[],
): Candidate[] =>
  document.automatic
    ? candidates.filter(
        (candidate) =>
          isOpen(ruleFor(document, candidate), candidate) &&
          (candidate.kind === 'never' ||
            candidate.kind === 'risky_word' ||
            !isListed(document, candidate)),
      )
    : [];

/** A candidate as a person decided it. */
export const decidedRule = (
  candidate: Candidate,
  edited: Partial<Pick<Rule, 'surface' | 'canonical' | 'near'>>,
): Rule => ({
  ...ruleOf(candidate, false),
  ...edited,
});

/** Whether the document already has the term of a rule, with its surface as a mishear. */
const isListed = (document: WorkspaceDocument, { surface, canonical }: Candidate): boolean => {
  const term = termOf(document.terms, canonical);
  return term !== undefined && (surface === null || includesPhrase(term.mishears, surface));
};
