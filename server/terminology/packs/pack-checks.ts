/** Checks of packs that a schema cannot express, and the lines of a file that break them. */
import type { TermPack } from './pack.ts';
import { phraseKey, tokenize } from '../match/normalize.ts';
import { MAX_SURFACE_TOKENS } from '../match/surfaces.ts';

/** An error in a pack; `field` is a path such as `terms.3.risky.0`. */
export interface PackIssue {
  /** The index into the checked packs. */
  pack: number;
  field: string;
  message: string;
}

/** The longest key term that every provider accepts, in words. */
const MAX_KEYTERM_WORDS = 6;

type Report = (field: string, message: string) => void;

/** Finds every error in the packs, in order. */
export function checkPacks(packs: readonly TermPack[]): PackIssue[] {
  const issues: PackIssue[] = [];
  const ids = new Set(packs.map((pack) => pack.id));
  const accepted = acceptedForms(packs);
  for (const [index, pack] of packs.entries()) {
    const report: Report = (field, message) => issues.push({ pack: index, field, message });
    checkRelations(pack, ids, report);
    checkUnique(pack, report);
    for (const [at, term] of pack.terms.entries()) {
      checkTerm(term, accepted, (field, message) => report(`terms.${at}.${field}`, message));
    }
  }
  return issues;
}

/** Maps the key of each accepted form to its canonical forms. */
function acceptedForms(packs: readonly TermPack[]): Map<string, Set<string>> {
  const forms = new Map<string, Set<string>>();
  for (const term of packs.flatMap((pack) => pack.terms)) {
    const owner = phraseKey(term.canonical);
    for (const form of [term.canonical, ...(term.aliases ?? [])]) {
      const key = phraseKey(form);
      forms.set(key, (forms.get(key) ?? new Set()).add(owner));
    }
  }
  return forms;
}

function checkRelations(pack: TermPack, ids: ReadonlySet<string>, report: Report): void {
  for (const [at, id] of pack.relatedPackIds.entries()) {
    if (id === pack.id) report(`relatedPackIds.${at}`, 'refers to the pack itself');
    else if (!ids.has(id)) report(`relatedPackIds.${at}`, `refers to an unknown pack: ${id}`);
  }
  for (const [at, trigger] of pack.triggers.entries()) {
    if (trigger !== trigger.toLowerCase()) report(`triggers.${at}`, 'must be lower case');
    if (phraseKey(trigger) === '') report(`triggers.${at}`, 'has no letter or digit');
  }
}

/** Checks that canonical forms are unique, and that no surface of a pack has two meanings. */
function checkUnique(pack: TermPack, report: Report): void {
  const canonicals = new Map<string, number>();
  const surfaces = new Map<string, number>();
  for (const [at, term] of pack.terms.entries()) {
    const key = phraseKey(term.canonical);
    const first = canonicals.get(key);
    if (first !== undefined)
      report(`terms.${at}.canonical`, `is the same as that of terms.${first}`);
    else canonicals.set(key, at);
    for (const [i, mishear] of (term.mishears ?? []).entries()) {
      const owner = surfaces.get(phraseKey(mishear)) ?? at;
      if (owner !== at) report(`terms.${at}.mishears.${i}`, `is also a mishear of terms.${owner}`);
      surfaces.set(phraseKey(mishear), owner);
    }
  }
}

function checkTerm(
  term: TermPack['terms'][number],
  accepted: Map<string, Set<string>>,
  report: Report,
): void {
  const own = phraseKey(term.canonical);
  if (own === '') report('canonical', 'has no letter or digit');
  if ((term.keyterm ?? true) && term.canonical.split(/\s+/).length > MAX_KEYTERM_WORDS) {
    report('canonical', `is a key term of more than ${MAX_KEYTERM_WORDS} words`);
  }
  const mishears = new Set(term.mishears);
  for (const [at, mishear] of (term.mishears ?? []).entries()) {
    const field = `mishears.${at}`;
    const key = phraseKey(mishear);
    if (key === '') report(field, 'has no letter or digit');
    if (mishear !== mishear.toLowerCase()) report(field, 'must be lower case');
    if (tokenize(mishear).length > MAX_SURFACE_TOKENS) {
      report(field, `has more than ${MAX_SURFACE_TOKENS} words`);
    }
    // A mishear may be the term's own canonical form in different case or spacing. If it is marked as risky, the form
    // is also ordinary English; if not, it is always the term.
    const owners = accepted.get(key);
    const other = owners && [...owners].find((owner) => owner !== own);
    if (other !== undefined) report(field, `"${mishear}" is an accepted form of "${other}"`);
    if (mishear === term.canonical || (term.aliases ?? []).includes(mishear)) {
      report(field, `"${mishear}" is an accepted form of the term itself`);
    }
  }
  for (const [at, entry] of (term.risky ?? []).entries()) {
    if (!mishears.has(entry)) report(`risky.${at}`, `"${entry}" is not among the mishears`);
  }
}
