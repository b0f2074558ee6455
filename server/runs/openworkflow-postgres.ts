/** The engine's runs in PostgreSQL, in a schema of their own beside the service's tables. */
import { BackendPostgres } from 'openworkflow/postgres';
import postgres from 'postgres';
import type { EngineStore } from './engine-store.ts';

/** Connections of one thread. */
const CONNECTIONS = 8;

/** Makes the engine's tables, or brings them up to date. */
export async function preparePostgres(url: string): Promise<void> {
  const backend = await BackendPostgres.connect(url);
  await backend.stop();
}

/** Opens a database that preparePostgres has prepared. */
export function openPostgresStore(url: string): EngineStore {
  const pool = openPool(url, CONNECTIONS);
  return {
    backend: BackendPostgres.fromPool(pool),
    insist: (work) => work(),
    async freeExpired() {
      await pool`
        UPDATE openworkflow.workflow_runs
        SET status = 'pending', available_at = to_timestamp(0), worker_id = NULL
        WHERE status = 'running' AND available_at <= now()`;
    },
    async prune(before) {
      // Steps go with their run.
      const gone = await pool`
        DELETE FROM openworkflow.workflow_runs
        WHERE status IN ('completed', 'failed', 'canceled') AND finished_at < ${new Date(before)}`;
      return gone.count;
    },
    close: () => pool.end({ timeout: 5 }),
  };
}

/** The driver that the engine is written for, tuned to come back soon after a restart of its server. */
export function openPool(url: string, max: number): postgres.Sql {
  return postgres(url, {
    max,
    connect_timeout: 5,
    idle_timeout: 30,
    backoff: (tries) => Math.min(2, 0.1 * 2 ** tries),
    connection: { application_name: 'captioner' },
    onnotice() {},
    transform: { column: { from: postgres.toCamel } },
  });
}
