/** Checks of packs that a schema cannot express, and the lines of a file that break them. */
import {
  EVENT_ALIAS,
  EVENT_DOCUMENT,
  EVENT_MAPPING,
  EVENT_POP,
  EVENT_SCALAR,
  load,
  parseEvents,
  YAMLException,
} from 'js-yaml';
import type { PackTerm, TermPack } from './pack.ts';
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

function checkTerm(term: PackTerm, accepted: Map<string, Set<string>>, report: Report): void {
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

interface InvalidPackFile {
  /** The path relative to the folder of packs, with `/`. */
  path: string;
  text: string;
  issues: readonly Omit<PackIssue, 'pack'>[];
}

/** One line per error: `vendors/workos.yaml:9: terms.0.weight must be number`. An error of YAML hides all others. */
export function describeIssues({ path, text, issues }: InvalidPackFile): string[] {
  try {
    load(text);
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    return [`${path}:${(error.mark?.line ?? 0) + 1}: ${error.reason}`];
  }
  const places = placesOf(text);
  return issues.map(({ field, message }) => {
    let known = field;
    while (known !== '' && !places.has(known)) known = known.replace(/(?:^|\.)[^.]*$/, '');
    const line = text.slice(0, known === '' ? 0 : places.get(known)).split('\n').length;
    return `${path}:${line}: ${field || 'the file'} ${message}`;
  });
}

/** Where each value begins, by its path, such as `terms.0.weight`. */
function placesOf(text: string): ReadonlyMap<string, number> {
  const places = new Map<string, number>();
  /** What contains the next value: its path, the key that the value belongs to, and the number of values before it. */
  const around: { path: string; isMapping: boolean; key: string | null; count: number }[] = [];
  for (const event of parseEvents(text, {})) {
    if (event.type === EVENT_POP) {
      around.pop();
      continue;
    }
    const parent = around.at(-1);
    const isKey = parent?.isMapping === true && parent.key === null;
    let path = '';
    if (isKey) {
      parent.key = event.type === EVENT_SCALAR ? text.slice(event.valueStart, event.valueEnd) : '?';
    } else if (parent) {
      const name = parent.isMapping ? parent.key : parent.count;
      path = parent.path === '' ? `${name ?? ''}` : `${parent.path}.${name}`;
      parent.key = null;
      parent.count += 1;
    }
    if (event.type === EVENT_DOCUMENT) {
      around.push({ path: '', isMapping: false, key: null, count: 0 });
      continue;
    }
    // The value of the document has no path of its own.
    if (around.length === 1) path = '';
    if (event.type === EVENT_SCALAR) {
      if (!isKey) places.set(path, event.valueStart);
    } else if (event.type === EVENT_ALIAS) {
      if (!isKey) places.set(path, event.anchorStart);
    } else {
      if (!isKey) places.set(path, event.start);
      around.push({ path, isMapping: event.type === EVENT_MAPPING, key: null, count: 0 });
    }
  }
  return places;
}
