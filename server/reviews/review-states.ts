/** Stores whom reviews are assigned to, and whether they are approved. */
import type { ReviewState, ReviewStatePatch } from '../contract/review-versions.ts';
import type { Database } from '../storage/database.ts';
import { queueEvent } from '../webhooks/webhook-store.ts';
import { lockReview } from './review-versions.ts';
import { isExpected, type Expected, type ReviewedRun } from './review-store.ts';

const rowsOf = (database: Database, runIds: readonly string[]) =>
  database
    .selectFrom('review_states as state')
    .leftJoin('reviews', 'reviews.run_id', 'state.run_id')
    .selectAll('state')
    .select('reviews.tag')
    .where('state.run_id', 'in', [...runIds]);

/** The states of those runs that have one. */
export async function statesOf(
  database: Database,
  runIds: readonly string[],
): Promise<ReviewState[]> {
  if (runIds.length === 0) return [];
  const rows = await rowsOf(database, runIds).execute();
  return rows.map((row) => ({
    runId: row.run_id,
    state: row.state,
    assignee: row.assignee,
    due: row.due,
    approval:
      row.state === 'approved'
        ? {
            name: row.approved_by ?? '',
            at: new Date(Number(row.approved_at)).toISOString(),
            changedSince: (row.tag ?? '') !== row.approved_tag,
          }
        : null,
  }));
}

/** The state of a run. */
export async function stateOf(database: Database, runId: string): Promise<ReviewState> {
  const [found] = await statesOf(database, [runId]);
  return found ?? { runId, state: 'open', assignee: null, due: null, approval: null };
}

/**
 * Changes the state of a run's review.
 * @param expected the version of the review that whoever approves it has seen; null for whichever is stored
 * @returns `stale` if another version is stored, `no-run` if the run is gone
 */
export async function changeState(
  database: Database,
  run: ReviewedRun,
  { state, name, assignee, due }: ReviewStatePatch,
  expected: Expected | null,
  now: () => number = Date.now,
): Promise<
  { outcome: 'changed' } | { outcome: 'stale'; tag: string | null } | { outcome: 'no-run' }
> {
  return database.transaction().execute(async (transaction) => {
    await lockReview(transaction, run.id);
    const found = await transaction
      .selectFrom('runs')
      .leftJoin('reviews', 'reviews.run_id', 'runs.id')
      .leftJoin('review_states as state', 'state.run_id', 'runs.id')
      .select(['reviews.tag', 'state.assignee', 'state.state'])
      .where('runs.id', '=', run.id)
      .executeTakeFirst();
    if (!found) return { outcome: 'no-run' } as const;
    const tag = found.tag ?? null;
    if (expected !== null && !isExpected(tag, expected)) return { outcome: 'stale', tag } as const;
    const approved = state === 'approved' && {
      approved_by: name?.trim() ?? null,
      approved_tag: tag ?? '',
      approved_at: now(),
    };
    const withdrawn = { approved_by: null, approved_tag: null, approved_at: null };
    const changed = {
      changed_at: now(),
      ...(state !== undefined && { state, ...(approved || withdrawn) }),
      ...(assignee !== undefined && { assignee: assignee?.trim() ?? null }),
      ...(due !== undefined && { due }),
    };
    await transaction
      .insertInto('review_states')
      .values({ run_id: run.id, state: 'open', ...changed })
      .onConflict((conflict) => conflict.column('run_id').doUpdateSet(changed))
      .execute();
    const { id: runId, organizationId } = run;
    if (changed.assignee && changed.assignee !== found.assignee) {
      await queueEvent(transaction, { type: 'review.assigned', organizationId, runId, data: {} });
    }
    if (approved) {
      await queueEvent(transaction, { type: 'review.approved', organizationId, runId, data: {} });
    }
    return { outcome: 'changed' } as const;
  });
}
