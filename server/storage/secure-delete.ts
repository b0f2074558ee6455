/**
 * Deletes rows so that their text cannot be read from the files afterwards. Apart from the lock, because it loads
 * node:sqlite, which the shell command does without on Node 20.
 */
import { sql } from 'kysely';
import type { Database } from './database.ts';
import { isOnPostgres } from './transaction-lock.ts';
import { emptySqliteLog } from './sqlite.ts';

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
  await emptySqliteLog(async (statement) => {
    const { rows } = await sql<{ busy: number }>`${sql.raw(statement)}`.execute(database);
    return rows[0]?.busy !== 0;
  });
}
