/** A lock between processes that lasts as long as a transaction. */
import { PostgresAdapter, sql } from 'kysely';
import type { Database } from './database.ts';

/** Whether a database is PostgreSQL; otherwise it is SQLite. */
export const isOnPostgres = (database: Database): boolean =>
  database.getExecutor().adapter instanceof PostgresAdapter;

/**
 * Makes every other transaction that takes this lock wait until this one ends. SQLite has only one writer at a time
 * anyway.
 */
export async function lockUntilCommit(transaction: Database, name: string): Promise<void> {
  if (!isOnPostgres(transaction)) return;
  await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(transaction);
}
