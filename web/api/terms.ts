/** The terms of a workspace over HTTP: what recognisers should know, and how they get it wrong. */
import type { WorkspaceTerm, WorkspaceTerms } from '../../server/contract/workspace-terms.ts';
import { ApiProblem } from './problem.ts';
import { ask } from './request.ts';

const TERMS = '/terminology/terms';
/** Somebody else may change the terms at the same time: so often it is tried again. */
const TRIES = 4;

/** What is to be remembered: how a term is written, and what was heard in its place. */
export interface Remembered {
  readonly term: string;
  readonly mishear: string;
}

/**
 * Adds a term to the workspace, or a way in which it is misheard to one that is there; all else of it stays.
 * @throws as `ask` does; 422 for what is no term
 */
export async function rememberTerm(key: string, { term, mishear }: Remembered): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    const response = await ask(TERMS, { key });
    const { terms }: WorkspaceTerms = await response.json();
    const tag = response.headers.get('etag');
    const { source: _, ...known }: WorkspaceTerm = terms.find(
      ({ canonical }) => canonical === term,
    ) ?? { canonical: term };
    const mishears = new Set([...(known.mishears ?? []), mishear]);
    const body = { terms: [{ ...known, mishears: [...mishears] }] };
    try {
      await ask(TERMS, {
        method: 'PATCH',
        key,
        body,
        ...(tag === null ? {} : { headers: { 'if-match': tag } }),
      });
      return;
    } catch (error) {
      const isOutrun = error instanceof ApiProblem && error.status === 412;
      if (!isOutrun || tries === TRIES) throw error;
    }
  }
}
