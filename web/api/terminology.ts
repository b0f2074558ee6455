/** The workspace's terms and learned rules, over HTTP. */
import type { Static } from '../../server/contract/schema.ts';
import type {
  WorkspaceTerm,
  WorkspaceTerms,
  WorkspaceTermsPatch,
  LearnedRule,
  LearnedRules,
  RulePatch,
} from '../../server/contract/workspace-terms.ts';
import { ApiProblem, ask, askJson } from './request.ts';

const TERMS = '/terminology/terms';
const RULES = '/terminology/rules';

/** All terms of the workspace. */
export const readTerms = (key: string): Promise<WorkspaceTerms> => askJson(TERMS, { key });

/**
 * Adds, replaces and removes terms; returns all of them.
 * @throws {ApiProblem} 422 if one is invalid
 */
export const changeTerms = (
  key: string,
  patch: Static<typeof WorkspaceTermsPatch>,
): Promise<WorkspaceTerms> => askJson(TERMS, { method: 'PATCH', key, body: patch });

/**
 * Adds the terms of a file: a pack in YAML, or a plain list.
 * @throws {ApiProblem} 400, 422
 */
export const importTerms = (
  key: string,
  file: string,
  type: 'application/yaml' | 'text/plain',
): Promise<WorkspaceTerms> =>
  askJson(TERMS, { method: 'PATCH', key, text: file, headers: { 'content-type': type } });

/** The most attempts, in case others change the terms at the same time. */
const TRIES = 4;

/** A term, and the words recognised in its place, if any were wrong. */
interface Remembered {
  readonly term: string;
  readonly mishear?: string;
}

/**
 * Adds a term to the workspace, or a mishear to an existing term; the term's other fields stay.
 * @throws as `ask` does; 422 if it is not a valid term
 */
export async function rememberTerm(key: string, { term, mishear }: Remembered): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    const response = await ask(TERMS, { key });
    const { terms }: WorkspaceTerms = await response.json();
    const tag = response.headers.get('etag');
    const { source: _, ...known }: WorkspaceTerm = terms.find(
      ({ canonical }) => canonical === term,
    ) ?? { canonical: term };
    const mishears = new Set([
      ...(known.mishears ?? []),
      ...(mishear === undefined ? [] : [mishear]),
    ]);
    const body = { terms: [{ ...known, ...(mishears.size > 0 && { mishears: [...mishears] }) }] };
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

/** All terms as a file. */
export const exportTerms = async (key: string, format: 'yaml' | 'txt'): Promise<string> =>
  (await ask(`${TERMS}?format=${format}`, { key })).text();

/** The proposed and learned rules; with a run, only those that concern it. */
export function readRules(
  key: string,
  of: { state?: 'proposed'; runId?: string } = {},
): Promise<LearnedRules> {
  const query = new URLSearchParams(of).toString();
  return askJson(query === '' ? RULES : `${RULES}?${query}`, { key });
}

/**
 * Decides on a rule, or edits it.
 * @throws {ApiProblem} 404, 409, 422
 */
export const decideRule = (key: string, id: string, patch: RulePatch): Promise<LearnedRule> =>
  askJson(`${RULES}/${encodeURIComponent(id)}`, { method: 'PATCH', key, body: patch });

/** Turns learning on or off. */
export async function setLearning(key: string, automatic: boolean): Promise<void> {
  await ask('/terminology/learning', { method: 'PUT', key, body: { automatic } });
}
