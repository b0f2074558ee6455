/** What the two kinds of databases need different statements for: a lock for a transaction, and secure deletion. */
import { PostgresAdapter, sql } from 'kysely';
import type { Database } from './database.ts';
import { sqlite } from './sqlite.ts';

/** Whether a database is PostgreSQL; otherwise it is SQLite. */
const isOnPostgres = (database: Database): boolean =>
  database.getExecutor().adapter instanceof PostgresAdapter;

/**
 * Makes every other transaction that takes this lock wait until this one ends. SQLite has only one writer at a time
 * anyway.
 */
export async function lockUntilCommit(transaction: Database, name: string): Promise<void> {
  if (!isOnPostgres(transaction)) return;
  await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(transaction);
}

/**
 * Deletes in a way that overwrites the old data; SQLite needs a setting for that. PostgreSQL reuses the space after its
 * next vacuum.
 */
export async function deletingSecurely<T>(
  transaction: Database,
  work: () => Promise<T>,
): Promise<T> {
  if (isOnPostgres(transaction)) return work();
  await sql`pragma secure_delete = on`.execute(transaction);
  try {
    return await work();
  } finally {
    await sql`pragma secure_delete = fast`.execute(transaction);
  }
}

/**
 * Removes from the database's log what was deleted from its file. PostgreSQL's log is its operator's.
 * @throws {StorageUnavailable} the log is in use for too long
 */
export async function forgetDeleted(database: Database): Promise<void> {
  if (isOnPostgres(database)) return;
  await sqlite.emptyLog(async (statement) => {
    const { rows } = await sql<{ busy: number }>`${sql.raw(statement)}`.execute(database);
    return rows[0]?.busy !== 0;
  });
}
