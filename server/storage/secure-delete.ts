/** Deletes rows so that their text cannot be read from the file afterwards. */
import { sql } from 'kysely';
import type { Database } from './database.ts';
import { isOnPostgres } from './transaction-lock.ts';

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
    await sql`pragma secure_delete = off`.execute(transaction);
  }
}
