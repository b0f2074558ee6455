/** Pages of an organisation's runs: the query parameters, and the cursor of the next page. */
import { RUNS_PAGE } from '../../contract/limits.ts';
import type { RunState, WorkflowRunList } from '../../contract/runs.ts';
import type { RunPosition } from '../../runs/run-store.ts';
import type { Runs } from '../../runs/service.ts';
import { invalidPayload, type Problem } from '../problems.ts';
import { summary } from './run-representation.ts';

/** The query parameters. */
export interface PageQuery {
  limit?: number | undefined;
  cursor?: string | undefined;
  /** The state of the runs to list; all states if absent. */
  state?: RunState | undefined;
}

/**
 * A page of an organisation's runs, in the contract's format.
 * @throws {Problem} 422 `invalid_payload` for an invalid cursor
 */
export async function runPage(
  runs: Runs,
  organizationId: string,
  { limit = RUNS_PAGE.default, cursor, state }: PageQuery,
): Promise<WorkflowRunList> {
  const after = cursor === undefined ? null : readCursor(cursor);
  // One more run than fits on the page shows whether there is another page.
  const found = await runs.list(organizationId, limit + 1, after, state);
  const page = found.slice(0, limit);
  const last = found.length > limit ? page.at(-1) : undefined;
  return { runs: page.map(summary), nextCursor: last ? `${last.createdAt}.${last.id}` : null };
}

/**
 * The position that a cursor encodes.
 * @throws {Problem} 422 for an invalid one
 */
function readCursor(cursor: string): RunPosition {
  if (!/^\d{1,15}\.[\w-]{1,64}$/.test(cursor)) {
    throw invalid('cursor', 'must be a nextCursor of this list');
  }
  const [createdAt, id = ''] = cursor.split('.');
  return { createdAt: Number(createdAt), id };
}

const invalid = (path: string, message: string): Problem =>
  invalidPayload(`The query parameter ${path} ${message}.`, [{ path, message }]);
