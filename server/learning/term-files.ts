/** Terms as files: a pack's YAML, and a plain list. The YAML library is loaded on first use. */
import type { ValidationIssue } from '../contract/schema.ts';
import { glossaryTerms } from '../contract/glossary.ts';
import type { WorkspaceTerm } from '../contract/workspace-terms.ts';
import type { StoredTerm } from './document.ts';

/** The terms as a pack that can be saved in the folder of packs, as `workspace/terms.yaml`. */
export async function toYaml(terms: readonly StoredTerm[]): Promise<string> {
  const { stringify } = await import('yaml');
  return stringify({
    id: 'workspace/terms',
    version: 1,
    title: 'Terms of a workspace',
    triggers: [],
    relatedPackIds: [],
    terms: terms.map(({ source: _source, confirmed: _confirmed, ...term }) => term),
  });
}

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

/** Reads YAML: the terms of a pack, or a list of terms. The value is not checked yet. */
export async function fromYaml(
  text: string,
): Promise<{ value: unknown } | { issues: ValidationIssue[] }> {
  const { parseDocument } = await import('yaml');
  const document = parseDocument(text, { prettyErrors: false, schema: 'core' });
  const [error] = document.errors;
  if (error) return { issues: [{ path: '', message: `is not YAML: ${error.message}` }] };
  try {
    const value: unknown = document.toJS({ maxAliasCount: 100 });
    const terms =
      typeof value === 'object' && value !== null && 'terms' in value ? value.terms : value;
    return { value: { terms } };
  } catch (failure) {
    return { issues: [{ path: '', message: `is not YAML: ${String(failure).slice(0, 200)}` }] };
  }
}
