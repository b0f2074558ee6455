/** A lock between processes for as long as a transaction lasts. */
import { PostgresAdapter, sql } from 'kysely';
import type { Database } from './database.ts';

/**
 * Keeps every other holder of the name waiting until the transaction ends. SQLite has one writer at
 * a time anyway.
 */
export async function lockUntilCommit(transaction: Database, name: string): Promise<void> {
  if (!(transaction.getExecutor().adapter instanceof PostgresAdapter)) return;
  await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(transaction);
}
