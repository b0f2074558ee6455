/** The queue's storage in its own SQLite file. */
import { randomUUID } from 'node:crypto';
import type { OpenWorkflowOptions } from 'openworkflow';
import type { StepAttempt } from 'openworkflow/internal';
import { BackendSqlite } from 'openworkflow/sqlite';
import type { HeldRun } from './queue.ts';
import {
  type SqliteUse,
  emptySqliteLog,
  openSqlite,
  retryWhileLocked,
  sqlitePragmas,
} from '../../storage/sqlite.ts';
import type { DatabaseSync } from 'node:sqlite';

/** The library's interface to a database, which others may implement. */
type Backend = OpenWorkflowOptions['backend'];

/** Storage for run state. */
export interface QueueStore {
  backend: Backend;
  /** Repeats work that another thread's write may block; the work must be safe to repeat. */
  insist<T>(work: () => Promise<T>): Promise<T>;
  /** Extends leases. @throws {Error} one was lost; the others are extended */
  extend(held: readonly Omit<HeldRun, 'runId'>[], leaseMs: number): Promise<void>;
  /** Makes the runs of dead workers the next to be claimed. */
  freeExpired(): Promise<void>;
  /** Deletes runs that ended before an instant, with their steps. */
  prune(before: number): Promise<number>;
  /** Deletes the steps of a run by its id, and the queue entry too if openworkflow is done with it. */
  forget(runId: string): Promise<number>;
  /** Removes what was deleted from the log of the file, if the store is one. */
  forgetDeleted(): Promise<void>;
  close(): Promise<void>;
}

/** Later than every lease. */
const FOR_EVER = new Date('9999-12-31');
/** Earlier than every waiting run. */
const NEXT = new Date(0).toISOString();

/** Selects the row of a run, whose key is the run's id. Uses all columns of an index. */
const OF_RUN = `"namespace_id" = 'default' AND "workflow_name" = 'captioner' AND "idempotency_key" = ?`;

/** Selects the row of a run that a worker holds, by its id and the worker's. */
const HELD = `"namespace_id" = 'default' AND "id" = ? AND "status" = 'running' AND "worker_id" = ?`;

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
    backend: sparing(backend, database),
    insist: retryWhileLocked,
    extend: (held, leaseMs) => extendLeases(backend, held, leaseMs),
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
      emptySqliteLog(async (statement) => Object(database.prepare(statement).get()).busy !== 0),
    async close() {
      database.close();
      return backend.stop();
    },
  };
}

/** Extends the leases of runs. @throws the first failure, after trying all of them */
async function extendLeases(
  backend: Backend,
  runs: readonly Omit<HeldRun, 'runId'>[],
  leaseDurationMs: number,
): Promise<void> {
  const done = await Promise.allSettled(
    runs.map(({ workflowRunId, workerId }) =>
      backend.extendWorkflowRunLease({ workflowRunId, workerId, leaseDurationMs }),
    ),
  );
  const lost = done.find((one) => one.status === 'rejected');
  if (lost) throw lost.reason;
}

/**
 * Makes a store write less. A step is written once, when it has ended, instead of twice; a run that dies meanwhile
 * repeats the step either way, since the library ignores steps that have only begun. And a claim takes the write lock
 * only if there is a run to take.
 */
function sparing(backend: BackendSqlite, database: DatabaseSync): QueueStore['backend'] {
  const claim = backend.claimWorkflowRun.bind(backend);
  const create = backend.createStepAttempt.bind(backend);
  const complete = backend.completeStepAttempt.bind(backend);
  const fail = backend.failStepAttempt.bind(backend);
  const waiting = database.prepare(
    `SELECT 1 FROM "workflow_runs" WHERE "namespace_id" = 'default'
     AND "status" IN ('pending', 'running', 'sleeping') AND "available_at" <= ? LIMIT 1`,
  );
  const held = database.prepare(`SELECT 1 FROM "workflow_runs" WHERE ${HELD}`);
  const insert = database.prepare(
    `INSERT INTO "step_attempts" ("namespace_id", "id", "workflow_run_id", "step_name", "kind", "status", "config",
       "output", "started_at", "finished_at", "created_at", "updated_at")
     SELECT 'default', ?, "id", ?, ?, 'completed', ?, ?, ?, ?, ?, ? FROM "workflow_runs" WHERE ${HELD}`,
  );
  const begun = new Map<string, StepAttempt>();
  return Object.assign(backend, {
    async claimWorkflowRun(params: Parameters<typeof claim>[0]) {
      return waiting.get(new Date().toISOString()) ? claim(params) : null;
    },
    async createStepAttempt(params: Parameters<typeof create>[0]): Promise<StepAttempt> {
      const { workflowRunId, workerId, stepName, kind, config } = params;
      // A worker that has lost the run gets the library's error, and does not begin the step.
      if (kind !== 'function' || !held.get(workflowRunId, workerId)) return create(params);
      const now = new Date();
      const attempt: StepAttempt = {
        namespaceId: 'default',
        id: randomUUID(),
        workflowRunId,
        stepName,
        kind,
        status: 'running',
        config,
        context: null,
        output: null,
        error: null,
        childWorkflowRunNamespaceId: null,
        childWorkflowRunId: null,
        startedAt: now,
        finishedAt: null,
        createdAt: now,
        updatedAt: now,
      };
      begun.set(attempt.id, attempt);
      return attempt;
    },
    async completeStepAttempt(params: Parameters<typeof complete>[0]): Promise<StepAttempt> {
      const attempt = begun.get(params.stepAttemptId);
      if (!attempt) return complete(params);
      const { id, workflowRunId, stepName, kind, config, createdAt } = attempt;
      const { output, workerId } = params;
      const [from, now] = [createdAt.toISOString(), new Date()];
      const until = now.toISOString();
      const [given, result] = [JSON.stringify(config), JSON.stringify(output)];
      const times = [from, until, from, until];
      const written = insert.run(
        id,
        stepName,
        kind,
        given,
        result,
        ...times,
        workflowRunId,
        workerId,
      );
      // The run was lost meanwhile, which the library's statement reports.
      if (Number(written.changes) === 0) return complete(params);
      begun.delete(id);
      return { ...attempt, status: 'completed', output, finishedAt: now, updatedAt: now };
    },
    async failStepAttempt(params: Parameters<typeof fail>[0]): Promise<StepAttempt> {
      const attempt = begun.get(params.stepAttemptId);
      if (!attempt) return fail(params);
      begun.delete(attempt.id);
      const { workflowRunId, stepName, kind, config, context } = attempt;
      const { workerId } = params;
      const { id } = await create({ workflowRunId, workerId, stepName, kind, config, context });
      return fail({ ...params, stepAttemptId: id });
    },
  });
}

function free(database: DatabaseSync, before: Date): void {
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
  handle.exec(sqlitePragmas(use));
  // The library prepares every statement anew; it has a few dozen.
  const prepare = handle.prepare.bind(handle);
  const prepared = new Map<string, unknown>();
  handle.prepare = (sql) => {
    const statement = prepared.get(sql) ?? prepare(sql);
    prepared.set(sql, statement);
    return statement;
  };
}

interface Handle {
  exec(sql: string): void;
  prepare(sql: string): unknown;
}

const hasExec = (value: unknown): value is Handle =>
  typeof value === 'object' && value !== null && 'exec' in value && 'prepare' in value;
