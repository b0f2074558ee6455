/** Reads and changes a workspace's terms, for HTTP and MCP. */
import { MAX_TERMS } from '../contract/limits.ts';
import { validator, type TSchema, type Static } from '../contract/schema.ts';
import {
  WorkspaceTermsInput,
  WorkspaceTermsPatch,
  type TermSource,
  type WorkspaceTerms,
} from '../contract/workspace-terms.ts';
import { patchTerms, replaceTerms, storedTerm, termsIssues } from '../learning/edit-terms.ts';
import type { WorkspaceDocument } from '../learning/document.ts';
import {
  TermsChanged,
  type TerminologyStore,
  type Versioned,
} from '../learning/terminology-store.ts';
import type { TermProposals } from '../contract/term-proposals.ts';
import { phraseKey } from '../terminology/match/normalize.ts';
import { proposeTerms } from '../terminology/packs/propose-terms.ts';
import { preconditionFailed } from './preconditions.ts';
import { invalidPayload, Problem } from './problems.ts';

const NOT_FIT = 'The terms are invalid.';

function checked<S extends TSchema>(schema: S, value: unknown): Static<S> {
  const found = validator(schema);
  if (found.check(value)) return value;
  throw invalidPayload(NOT_FIT, found.issues(value));
}

/** The origin of terms that are sent now. */
const sourceOf = (kind: TermSource['kind']): TermSource => ({
  kind,
  at: new Date().toISOString(),
});

/** The tag of a version of the terms. */
export const termsTag = ({ version }: Pick<Versioned, 'version'>): string => `terms-${version}`;

/** The versions that entity tags name; NaN for any other tag. */
export const versionsOf = (tags: readonly string[]): number[] =>
  tags.map((tag) => Number(/^terms-(\d{1,15})$/.exec(tag)?.[1]));

/** The terms in the contract's format. */
export const termsOf = ({ document }: Versioned): WorkspaceTerms => ({
  terms: document.terms,
  limit: MAX_TERMS,
});

/**
 * Changes terms. @throws {Problem} 412 if the stored version is not an expected one, 422 if the new terms are invalid
 */
async function change(
  store: TerminologyStore,
  organizationId: string,
  make: (document: WorkspaceDocument) => WorkspaceDocument,
  expected: readonly number[] | null,
): Promise<Versioned> {
  try {
    return await store.change(
      organizationId,
      (document) => {
        const changed = make(document);
        if (changed.terms.length > MAX_TERMS) {
          const message = `must not be more than ${MAX_TERMS}`;
          throw invalidPayload('There are too many terms.', [{ path: 'terms', message }]);
        }
        const issues = termsIssues(changed.terms);
        if (issues.length > 0) throw invalidPayload(NOT_FIT, issues);
        return changed;
      },
      expected,
    );
  } catch (error) {
    if (!(error instanceof TermsChanged)) throw error;
    throw preconditionFailed('Somebody has changed the terms. Read them again.', termsTag(error));
  }
}

/** Replaces all terms. @throws {Problem} as `change` does */
export function putTerms(
  store: TerminologyStore,
  organizationId: string,
  value: unknown,
  kind: TermSource['kind'],
  expected: readonly number[] | null,
): Promise<Versioned> {
  const { terms } = checked(WorkspaceTermsInput, value);
  const source = sourceOf(kind);
  return change(store, organizationId, (now) => replaceTerms(now, terms, source), expected);
}

/** Adds, replaces and removes some terms. @throws {Problem} as `change` does */
export function changeTerms(
  store: TerminologyStore,
  organizationId: string,
  value: unknown,
  kind: TermSource['kind'],
  expected: readonly number[] | null,
): Promise<Versioned> {
  const patch = checked(WorkspaceTermsPatch, value);
  const source = sourceOf(kind);
  // Checked before merging, so that issues refer to the terms as they were sent.
  const issues = termsIssues((patch.terms ?? []).map((term) => storedTerm(term, source)));
  if (issues.length > 0) throw invalidPayload(NOT_FIT, issues);
  return change(store, organizationId, (now) => patchTerms(now, patch, source), expected);
}

/** Removes terms by their canonical forms, or all terms if none is named. @throws {Problem} 404 for an unknown term */
export function removeTerms(
  store: TerminologyStore,
  organizationId: string,
  names: readonly string[],
  expected: readonly number[] | null,
): Promise<Versioned> {
  return change(
    store,
    organizationId,
    (document) => {
      if (names.length === 0) {
        return document.terms.length === 0 ? document : { ...document, terms: [] };
      }
      const changed = patchTerms(document, { remove: names }, sourceOf('person'));
      if (changed.terms.length < document.terms.length) return changed;
      throw new Problem(404, 'term_not_found', 'The workspace has no such term.');
    },
    expected,
  );
}

/** The names and terms found in a text, and whether the workspace already has them. */
export async function proposalsFor(
  store: TerminologyStore,
  organizationId: string,
  text: string,
): Promise<TermProposals> {
  const { document } = await store.get(organizationId);
  const has = new Set(document.terms.map(({ canonical }) => phraseKey(canonical)));
  return {
    proposals: proposeTerms(text).map((found) => ({
      ...found,
      known: has.has(phraseKey(found.term)),
    })),
  };
}
