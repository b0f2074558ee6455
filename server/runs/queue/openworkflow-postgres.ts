/** The queue's storage in PostgreSQL, in its own schema beside the service's tables. */
import { BackendPostgres } from 'openworkflow/postgres';
import { openPostgresPool } from '../../storage/postgres.ts';
import type { QueueStore } from './openworkflow-sqlite.ts';
import { queueSql } from './queue-pool.ts';

/** Selects the row of a run, whose key is the run's id. Uses all columns of an index. */
const OF_RUN = `namespace_id = 'default' AND workflow_name = 'captioner' AND idempotency_key = $1`;

/** Creates or migrates the queue's tables. */
export async function preparePostgres(url: string): Promise<void> {
  const backend = await BackendPostgres.connect(url);
  await backend.stop();
}

/** Opens a database prepared by preparePostgres. */
export async function openPostgresStore(url: string): Promise<QueueStore> {
  const pool = await openPostgresPool(url);
  return {
    backend: BackendPostgres.fromPool(queueSql(pool)),
    insist: (work) => work(),
    async extend(held, leaseMs) {
      if (held.length === 0) return;
      const { rowCount } = await pool.query(
        `UPDATE openworkflow.workflow_runs AS run
        SET available_at = now() + $1 * interval '1 millisecond', updated_at = now()
        FROM unnest($2::text[], $3::text[]) AS held (id, worker_id)
        WHERE run.namespace_id = 'default' AND run.id = held.id AND run.worker_id = held.worker_id
          AND run.status = 'running'`,
        [
          leaseMs,
          held.map(({ workflowRunId }) => workflowRunId),
          held.map(({ workerId }) => workerId),
        ],
      );
      if (Number(rowCount) < held.length) throw new Error('A lease was lost.');
    },
    async freeExpired() {
      await pool.query(`
        UPDATE openworkflow.workflow_runs
        SET status = 'pending', available_at = to_timestamp(0), worker_id = NULL
        WHERE status = 'running' AND available_at <= now()`);
    },
    async prune(before) {
      // Steps are deleted with their run.
      const { rowCount } = await pool.query(
        `DELETE FROM openworkflow.workflow_runs
        WHERE status IN ('completed', 'failed', 'canceled') AND finished_at < $1`,
        [new Date(before)],
      );
      return Number(rowCount);
    },
    forgetDeleted: async () => {},
    async forget(runId) {
      const { rowCount } = await pool.query(
        `DELETE FROM openworkflow.step_attempts WHERE namespace_id = 'default' AND workflow_run_id IN
          (SELECT id FROM openworkflow.workflow_runs WHERE ${OF_RUN})`,
        [runId],
      );
      await pool.query(
        `DELETE FROM openworkflow.workflow_runs
        WHERE ${OF_RUN} AND status IN ('completed', 'failed', 'canceled')`,
        [runId],
      );
      return Number(rowCount);
    },
    close: () => pool.end(),
  };
}
