/** The queue's storage in its own SQLite file. */
import { BackendSqlite } from 'openworkflow/sqlite';
import {
  emptyLog,
  openSqlite,
  retryWhileLocked,
  pragmas,
  type SqliteUse,
} from '../storage/sqlite.ts';
import type { QueueStore } from './queue-store.ts';

/** Later than every lease. */
const FOR_EVER = new Date('9999-12-31');
/** Earlier than every waiting run. */
const NEXT = new Date(0).toISOString();

/** Selects the row of a run, whose key is the run's id. Uses all columns of an index. */
const OF_RUN = `"namespace_id" = 'default' AND "workflow_name" = 'captioner' AND "idempotency_key" = ?`;

/** Creates the file and frees every run in it, since no other process has it open. */
export async function prepareSqlite(path: string): Promise<void> {
  await BackendSqlite.connect(path).stop();
  freeLeases(path);
}

/** Makes every run held by a dead process the next to be claimed. */
function freeLeases(path: string): void {
  const database = openSqlite(path);
  try {
    free(database, FOR_EVER);
  } finally {
    database.close();
  }
}

/** Opens a file created by prepareSqlite. */
export function openSqliteStore(path: string, use: SqliteUse): QueueStore {
  const backend = BackendSqlite.connect(path, { runMigrations: false });
  tune(backend, use);
  const database = openSqlite(path, use);
  return {
    backend,
    insist: retryWhileLocked,
    freeExpired: () => retryWhileLocked(async () => free(database, new Date())),
    prune: (before) =>
      retryWhileLocked(async () => {
        const ended = `"status" IN ('completed', 'failed', 'canceled') AND "finished_at" < ?`;
        const instant = new Date(before).toISOString();
        database
          .prepare(
            `DELETE FROM "step_attempts" WHERE "workflow_run_id" IN (SELECT "id" FROM "workflow_runs" WHERE ${ended})`,
          )
          .run(instant);
        return Number(
          database.prepare(`DELETE FROM "workflow_runs" WHERE ${ended}`).run(instant).changes,
        );
      }),
    forget: (runId) =>
      retryWhileLocked(async () => {
        // From here on, deleted data is overwritten instead of only marked as free.
        database.exec('PRAGMA secure_delete = ON');
        try {
          const { changes } = database
            .prepare(
              `DELETE FROM "step_attempts" WHERE "namespace_id" = 'default' AND "workflow_run_id" IN (SELECT "id" FROM "workflow_runs" WHERE ${OF_RUN})`,
            )
            .run(runId);
          database
            .prepare(
              `DELETE FROM "workflow_runs" WHERE ${OF_RUN} AND "status" IN ('completed', 'failed', 'canceled')`,
            )
            .run(runId);
          return Number(changes);
        } finally {
          database.exec('PRAGMA secure_delete = FAST');
        }
      }),
    forgetDeleted: () =>
      emptyLog(async (statement) => Object(database.prepare(statement).get()).busy !== 0),
    async close() {
      database.close();
      return backend.stop();
    },
  };
}

function free(database: ReturnType<typeof openSqlite>, before: Date): void {
  database
    .prepare(
      `UPDATE "workflow_runs" SET "status" = 'pending', "available_at" = ?, "worker_id" = NULL
       WHERE "status" = 'running' AND "available_at" <= ?`,
    )
    .run(NEXT, before.toISOString());
}

/**
 * Sets up the connection. The library (0.10.1) has no setting for it, and these settings last only as long as the
 * connection; its handle is private, but only in its types. Without a busy time-out, two threads would get "database is
 * locked". As in the service's own database, a write survives a crash of the process at once, and a power failure from
 * the next checkpoint on; a lost step is repeated.
 */
function tune(backend: BackendSqlite, use: SqliteUse): void {
  const handle: unknown = Reflect.get(backend, 'db');
  if (!hasExec(handle)) throw new Error('openworkflow no longer keeps its SQLite handle in "db"');
  handle.exec(pragmas(use));
}

const hasExec = (value: unknown): value is { exec(sql: string): void } =>
  typeof value === 'object' && value !== null && 'exec' in value;
