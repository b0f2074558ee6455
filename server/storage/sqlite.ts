/** Kysely over node:sqlite, which Bun and Deno both have. */
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { SqliteDialect, type SqliteDatabase, type SqliteStatement } from 'kysely';

/** A write waits this long for another connection's write. */
const BUSY_TIMEOUT_MS = 5000;
/** Statements kept prepared; the service has far fewer. */
const MAX_STATEMENTS = 200;

/** Opens a SQLite file, making its folder where needed. Several threads may open the same file. */
export function openSqlite(path: string): DatabaseSync {
  mkdirSync(dirname(path), { recursive: true });
  const database = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS });
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON');
  return database;
}

/** A Kysely dialect on an open file. */
export const sqliteDialect = (database: DatabaseSync): SqliteDialect =>
  new SqliteDialect({ database: adapt(database) });

/** What Kysely asks of a driver, with each statement prepared once. */
function adapt(database: DatabaseSync): SqliteDatabase {
  const statements = new Map<string, SqliteStatement>();
  return {
    close: () => database.close(),
    prepare(given) {
      // A transaction that reads first and writes later would fail where another thread wrote
      // between: taking the write lock at once waits for it instead.
      const sql = given === 'begin' ? 'begin immediate' : given;
      const known = statements.get(sql);
      if (known) return known;
      if (statements.size >= MAX_STATEMENTS) statements.clear();
      const made = statement(database.prepare(sql), sql);
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

const values = (parameters: readonly unknown[]): SQLInputValue[] => parameters as SQLInputValue[];
