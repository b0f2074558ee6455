/** Adds, replaces and removes the terms of a workspace, after normalising and checking them. */
import { CORE_SCHEMA, dump, load } from 'js-yaml';
import type { ValidationIssue } from '../contract/schema.ts';
import { glossaryTerms } from '../contract/glossary.ts';
import { isTermSized } from '../contract/terms.ts';
import type { TermSource, WorkspaceTerm } from '../contract/workspace-terms.ts';
import { checkPacks } from '../terminology/packs/pack-checks.ts';
import { memoized } from '../terminology/match/memoized.ts';
import { phraseKey } from '../terminology/match/normalize.ts';
import type { StoredTerm, WorkspaceDocument } from './terminology-store.ts';
import { TERM } from '../contract/limits.ts';

/** The most words of a key term that every provider accepts. */
const MAX_KEYTERM_WORDS = 6;

const tidy = (text: string): string => text.trim().replace(/\s+/g, ' ');
const unique = (phrases: readonly string[]): string[] => [...new Set(phrases)];
const lower = (phrases: readonly string[] = []): string[] =>
  unique(phrases.map((text) => tidy(text).toLowerCase()));

/** The kind of term that a name appears to be. */
export const kindOfTerm = (canonical: string): StoredTerm['kind'] => {
  if (/^[\p{Lu}\p{N}]{2,6}s?$/u.test(canonical)) return 'acronym';
  return /\p{Ll}\p{Lu}/u.test(canonical) ? 'product_name' : 'technical_term';
};

/** The stored form of a term. A text that is listed only as risky or as confirmed is a mishear too. */
export function storedTerm(term: WorkspaceTerm, source: TermSource): StoredTerm {
  const canonical = tidy(term.canonical);
  const confirmed = lower(term.confirmed);
  const risky = unique([...lower(term.risky), ...confirmed]);
  const mishears = unique([...lower(term.mishears), ...risky]).filter((text) => text !== canonical);
  const near = lower(term.near);
  const aliases = unique((term.aliases ?? []).map(tidy));
  const isLong = canonical.split(/\s+/).length > MAX_KEYTERM_WORDS;
  return {
    canonical,
    kind: term.kind ?? kindOfTerm(canonical),
    mishears,
    ...(risky.length > 0 ? { risky } : {}),
    ...(near.length > 0 ? { near } : {}),
    ...(confirmed.length > 0 ? { confirmed } : {}),
    ...(term.say === undefined ? {} : { say: tidy(term.say) }),
    ...(aliases.length > 0 ? { aliases } : {}),
    weight: term.weight ?? 10,
    ...(term.keyterm === false || isLong ? { keyterm: false } : {}),
    ...(term.note === undefined ? {} : { note: term.note }),
    ...(term.translations && Object.keys(term.translations).length > 0
      ? { translations: term.translations }
      : {}),
    source,
  };
}

/** The errors in terms that a schema cannot express: the number of words, and forms that conflict. */
export function termsIssues(terms: readonly StoredTerm[]): ValidationIssue[] {
  const issues: ValidationIssue[] = [];
  for (const [at, term] of terms.entries()) {
    const { canonical, say = canonical, mishears, near = [], aliases = [] } = term;
    const long = [canonical, say, ...mishears, ...near, ...aliases].find(
      (text) => !isTermSized(text),
    );
    if (long !== undefined) {
      issues.push({
        path: `terms.${at}`,
        message: `has a form with too many words: ${long.slice(0, 40)}`,
      });
    }
  }
  if (issues.length > 0) return issues.slice(0, 50);
  const packed = terms.map(({ source: _source, confirmed: _confirmed, ...term }) => term);
  const pack = { id: 'workspace', version: 1, title: '', triggers: [], relatedPackIds: [] };
  return checkPacks([{ ...pack, terms: packed }])
    .slice(0, 50)
    .map(({ field, message }) => ({ path: field, message }));
}

/** Gives terms their origin; a term that has not changed keeps the one it had. */
function withSource(
  terms: readonly WorkspaceTerm[],
  before: readonly StoredTerm[],
  source: TermSource,
): StoredTerm[] {
  const known = new Map(before.map((term) => [phraseKey(term.canonical), term]));
  return terms.map((term) => {
    const earlier = known.get(phraseKey(term.canonical));
    const fresh = storedTerm(term, source);
    const same =
      earlier && JSON.stringify({ ...fresh, source: earlier.source }) === JSON.stringify(earlier);
    return same ? earlier : fresh;
  });
}

/** The document with all terms replaced. */
export const replaceTerms = (
  document: WorkspaceDocument,
  terms: readonly WorkspaceTerm[],
  source: TermSource,
): WorkspaceDocument => ({ ...document, terms: withSource(terms, document.terms, source) });

/** The document with some terms added (replacing those of the same name) and some removed. */
export function patchTerms(
  document: WorkspaceDocument,
  { terms = [], remove = [] }: { terms?: readonly WorkspaceTerm[]; remove?: readonly string[] },
  source: TermSource,
): WorkspaceDocument {
  const gone = new Set(remove.map(phraseKey));
  const fresh = new Map(
    withSource(terms, document.terms, source).map((term) => [phraseKey(term.canonical), term]),
  );
  const kept = document.terms.flatMap((term) => {
    const key = phraseKey(term.canonical);
    const replaced = fresh.get(key);
    fresh.delete(key);
    return replaced ?? (gone.has(key) ? [] : term);
  });
  return { ...document, terms: [...kept, ...fresh.values()] };
}

/** Whether the document has the maximum number of terms. */
export const isDocumentFull = ({ terms }: WorkspaceDocument): boolean =>
  terms.length >= TERM.maxTerms;

/** The keys of all forms of a term, which is never changed in place. */
const formsOf = memoized(
  ({ canonical, mishears, aliases = [] }: StoredTerm): ReadonlySet<string> =>
    new Set([canonical, ...mishears, ...aliases].map(phraseKey)),
);

/** Whether a term fits others that fit each other: only those that share a form with it are compared. */
export function termFitsAmong(term: StoredTerm, others: readonly StoredTerm[]): boolean {
  const forms = [...formsOf(term)];
  const touching = others.filter((other) => forms.some((form) => formsOf(other).has(form)));
  return termsIssues([term, ...touching]).length === 0;
}

/** The terms as a pack that can be saved in the folder of packs, as `workspace/terms.yaml`. */
export const termsToYaml = (terms: readonly StoredTerm[]): string =>
  dump({
    id: 'workspace/terms',
    version: 1,
    title: 'Terms of a workspace',
    triggers: [],
    relatedPackIds: [],
    terms: terms.map(({ source: _source, confirmed: _confirmed, ...term }) => term),
  });

/** The terms as a list with one on each line, as a glossary accepts it. */
export const termsToList = (terms: readonly StoredTerm[]): string =>
  terms.map(({ canonical }) => `${canonical}\n`).join('');

/**
 * Reads a plain list, in which terms are separated by line breaks, commas or semicolons. Of each term, the first
 * spelling counts.
 */
export function termsFromList(text: string): WorkspaceTerm[] {
  const byKey = new Map<string, WorkspaceTerm>();
  for (const raw of glossaryTerms(text.replaceAll('\r', '\n'))) {
    const canonical = raw.trim();
    const key = canonical.toLowerCase();
    if (canonical !== '' && !byKey.has(key)) byKey.set(key, { canonical });
  }
  return [...byKey.values()];
}

/** The deepest nesting of collections in YAML; a list of terms needs four. */
const MAX_DEPTH = 16;

/**
 * Reads YAML: the terms of a pack, or a list of terms. The value is not checked yet. Aliases are refused, and of equal
 * keys the last one counts, as in JSON.
 */
export function termsFromYaml(text: string): { value: unknown } | { issues: ValidationIssue[] } {
  try {
    const value: unknown = load(text, {
      schema: CORE_SCHEMA,
      json: true,
      maxAliases: 0,
      maxDepth: MAX_DEPTH,
    });
    const terms =
      typeof value === 'object' && value !== null && 'terms' in value ? value.terms : value;
    return { value: { terms } };
  } catch (failure) {
    return { issues: [{ path: '', message: `is not YAML: ${String(failure).slice(0, 200)}` }] };
  }
}
