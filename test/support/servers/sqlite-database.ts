/** Provides a migrated SQLite database of its own to a test file. */
import { afterAll, expect } from 'bun:test';
import { join } from 'node:path';
import { sql } from 'kysely';
import { migrateDatabase, openDatabase, type Database } from '../../../server/storage/database.ts';
import { removeFolder, temporaryFolder } from './server-process.ts';

/**
 * Has SQLite return rows that a query does not order in reverse, so that tests notice an order that only an index or the
 * place in the file provides; or in their usual order again.
 */
export async function reverseUnordered(database: Database, isReverse = true): Promise<void> {
  await sql`pragma reverse_unordered_selects = ${sql.lit(isReverse ? 1 : 0)}`.execute(database);
}

/**
 * Creates the database, which is closed and deleted after the tests of the file. Rows that a query does not order come
 * in reverse.
 */
export async function sqliteDatabase() {
  const folder = await temporaryFolder();
  const file = join(folder, 'test.sqlite');
  await migrateDatabase(file);
  const database = openDatabase(file, { answersRequests: true });
  await reverseUnordered(database);
  afterAll(async () => {
    await database.destroy();
    await removeFolder(folder);
  });
  return { database, file, folder };
}

/** Does work while a database refuses a kind of write, and expects that the work fails with that. */
export async function refusing(
  database: Database,
  write: string,
  work: () => Promise<unknown>,
): Promise<void> {
  const full = `begin select raise(abort, 'the disk is full'); end`;
  await sql.raw(`create trigger refusing before ${write} ${full}`).execute(database);
  try {
    await expect(work()).rejects.toThrow('the disk is full');
  } finally {
    await sql`drop trigger refusing`.execute(database);
  }
}
