/** Kysely on node:sqlite, which both Bun and Deno have. */
import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  SqliteDialect,
  type DatabaseConnection,
  type Driver,
  type SqliteDatabase,
  type SqliteStatement,
} from 'kysely';
import { StorageUnavailable } from './outage.ts';

/** The time for which a write waits for another connection's write. */
const BUSY_TIMEOUT_MS = 5000;
/** The pauses of a thread that does other work while it waits, in milliseconds; the last one repeats. */
const PAUSES_MS = [1, 1, 2, 3, 5];
const SQLITE_BUSY = 5;
/** The length that a write-ahead log keeps; a longer one is cut once its content is in the file. */
const LOG_BYTES = 16 * 2 ** 20;
/** The number of statements kept prepared; the service has far fewer. */
const MAX_STATEMENTS = 200;

/** The way in which a thread uses a file. */
export interface SqliteUse {
  /**
   * Whether the thread answers requests, and must therefore not block. Writes that another thread blocks are then
   * retried between other work, and checkpoints are left to the other threads.
   */
  answersRequests: boolean;
}

/**
 * The settings of a connection for its use. What moves within a file, or is deleted from it, is overwritten where that
 * costs no further write; an erasure overwrites all of it.
 */
export const sqlitePragmas = ({ answersRequests }: SqliteUse): string =>
  `PRAGMA busy_timeout = ${answersRequests ? 0 : BUSY_TIMEOUT_MS}; PRAGMA synchronous = NORMAL;` +
  `PRAGMA journal_size_limit = ${LOG_BYTES}; PRAGMA secure_delete = FAST;` +
  (answersRequests ? 'PRAGMA wal_autocheckpoint = 0;' : '');

/**
 * Opens a SQLite file, creating its folder if necessary. Several threads may open the same file.
 */
export function openSqlite(
  path: string,
  use: SqliteUse = { answersRequests: false },
): DatabaseSync {
  mkdirSync(dirname(path), { recursive: true });
  const database = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS });
  database.exec('PRAGMA journal_mode = WAL; PRAGMA foreign_keys = ON');
  database.exec(sqlitePragmas(use));
  return database;
}

/**
 * Copies the write-ahead log of a file into it, as far as no reader needs it, and cuts a log that has become long.
 * Commits of other threads do so too, but there may be none. Blocks the thread meanwhile.
 */
export function tidySqliteLog(database: DatabaseSync, path: string): void {
  database.exec('PRAGMA wal_checkpoint(PASSIVE)');
  const isLong = (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > LOG_BYTES;
  if (isLong) database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
}

/**
 * Empties a write-ahead log, so that nothing deleted can be read from it.
 * @param checkpoint runs the statement, and returns whether another connection was in its way
 * @throws {StorageUnavailable} others were in its way for five seconds
 */
export async function emptySqliteLog(
  checkpoint: (statement: string) => Promise<boolean>,
): Promise<void> {
  const until = Date.now() + BUSY_TIMEOUT_MS;
  while (await checkpoint('PRAGMA wal_checkpoint(TRUNCATE)')) {
    if (Date.now() > until) throw new StorageUnavailable('The log of the database is in use.');
    await sleep(PAUSES_MS.at(-1));
  }
}

/** A Kysely dialect on an open file. */
export const sqliteDialect = (database: DatabaseSync): SqliteDialect =>
  new RetryingDialect({ database: adapt(database) });

/**
 * Repeats work that another connection's write may block, without blocking the thread meanwhile.
 */
export async function retryWhileLocked<T>(work: () => Promise<T>): Promise<T> {
  const until = Date.now() + BUSY_TIMEOUT_MS;
  for (let tries = 0; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (!isBusy(error) || Date.now() > until) throw error;
      await sleep(PAUSES_MS[tries] ?? PAUSES_MS.at(-1));
    }
  }
}

/**
 * Whether an error means that the database is busy. Both runtimes' drivers have a code for it, except Deno's exec(),
 * which has only a message.
 */
const isBusy = (error: unknown): boolean =>
  error instanceof Error &&
  (error.message === 'database is locked' ||
    ['errcode', 'errno'].some((name) => (Number(Reflect.get(error, name)) & 0xff) === SQLITE_BUSY));

/**
 * Retries statements that are blocked. Only the first statement of a transaction can be blocked by another write, so
 * each can be retried alone.
 */
class RetryingDialect extends SqliteDialect {
  override createDriver(): Driver {
    const driver = super.createDriver();
    const acquire = driver.acquireConnection.bind(driver);
    let patient: DatabaseConnection | null = null;
    driver.acquireConnection = async () => {
      if (patient) return patient;
      const connection = await acquire();
      const execute = connection.executeQuery.bind(connection);
      connection.executeQuery = (query) => retryWhileLocked(() => execute(query));
      return (patient = connection);
    };
    return driver;
  }
}

/** Implements the driver interface of Kysely, preparing each statement once. */
function adapt(database: DatabaseSync): SqliteDatabase {
  const statements = new Map<string, SqliteStatement>();
  return {
    close: () => database.close(),
    prepare(given) {
      // A transaction that reads first and writes later would fail if another thread wrote in between; taking the write
      // lock immediately makes it wait instead.
      const sql = given === 'begin' ? 'begin immediate' : given;
      const known = statements.get(sql);
      if (known) return known;
      if (statements.size >= MAX_STATEMENTS) statements.clear();
      const prepared = statement(database.prepare(sql), sql);
      const made = sql === 'rollback' ? lenient(prepared) : prepared;
      statements.set(sql, made);
      return made;
    },
  };
}

const statement = (prepared: StatementSync, sql: string): SqliteStatement => ({
  reader: /^\s*(select|with|pragma)\b/i.test(sql) || /\breturning\b/i.test(sql),
  all: (parameters) => prepared.all(...values(parameters)),
  run: (parameters) => prepared.run(...values(parameters)),
  iterate: (parameters) => prepared.all(...values(parameters)).values(),
});

/**
 * Tolerates a rollback without a transaction. On some errors, such as a full disk, SQLite rolls back by itself; the
 * rollback that follows would fail and hide the original error.
 */
const lenient = (rollback: SqliteStatement): SqliteStatement => ({
  ...rollback,
  run(parameters) {
    try {
      return rollback.run(parameters);
    } catch (error) {
      const isOver = error instanceof Error && /no transaction is active/.test(error.message);
      if (!isOver) throw error;
      return { changes: 0, lastInsertRowid: 0 };
    }
  },
});

const values = (parameters: readonly unknown[]): SQLInputValue[] => parameters as SQLInputValue[];
