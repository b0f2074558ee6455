/** The queue's storage in PostgreSQL, in its own schema beside the service's tables. */
import { BackendPostgres } from 'openworkflow/postgres';
import { openPool } from '../storage/postgres.ts';
import { queueSql } from './queue-sql.ts';
import type { QueueStore } from './queue-store.ts';

/** Selects the row of a run, whose key is the run's id. Uses all columns of an index. */
const OF_RUN = `namespace_id = 'default' AND workflow_name = 'captioner' AND idempotency_key = $1`;

/** Creates or migrates the queue's tables. */
export async function preparePostgres(url: string): Promise<void> {
  const backend = await BackendPostgres.connect(url);
  await backend.stop();
}

/** Opens a database prepared by preparePostgres. */
export async function openPostgresStore(url: string): Promise<QueueStore> {
  const pool = await openPool(url);
  return {
    backend: BackendPostgres.fromPool(queueSql(pool)),
    insist: (work) => work(),
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
