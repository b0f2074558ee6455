/** Terms as files: a pack's YAML, and a plain list. */
import { CORE_SCHEMA, dump, load } from 'js-yaml';
import type { ValidationIssue } from '../contract/schema.ts';
import { glossaryTerms } from '../contract/glossary.ts';
import type { WorkspaceTerm } from '../contract/workspace-terms.ts';
import type { StoredTerm } from './document.ts';

/** The terms as a pack that can be saved in the folder of packs, as `workspace/terms.yaml`. */
export const toYaml = (terms: readonly StoredTerm[]): string =>
  dump({
    id: 'workspace/terms',
    version: 1,
    title: 'Terms of a workspace',
    triggers: [],
    relatedPackIds: [],
    terms: terms.map(({ source: _source, confirmed: _confirmed, ...term }) => term),
  });

/** The terms as a list with one on each line, as a glossary accepts it. */
export const toPlainList = (terms: readonly StoredTerm[]): string =>
  terms.map(({ canonical }) => `${canonical}\n`).join('');

/**
 * Reads a plain list, in which terms are separated by line breaks, commas or semicolons. Of each term, the first
 * spelling counts.
 */
export function fromPlainList(text: string): WorkspaceTerm[] {
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
export function fromYaml(text: string): { value: unknown } | { issues: ValidationIssue[] } {
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
