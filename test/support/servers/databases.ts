/** Provides a migrated database of each kind, for suites that run on all of them. */
import { afterAll } from 'bun:test';
import { migrateDatabase, openDatabase, type Database } from '../../../server/storage/database.ts';
import { hasPostgres, needsPostgres, startPostgres } from './postgres.ts';
import { sqliteDatabase } from './sqlite-database.ts';

/** Runs a suite on a new SQLite file and, if available, on a new PostgreSQL database. */
export async function onEachDatabase(
  suite: (name: string, database: Database, url: string) => void,
): Promise<void> {
  const { database: sqlite, file } = await sqliteDatabase();
  suite('SQLite', sqlite, file);
  if (!hasPostgres) {
    needsPostgres('PostgreSQL', () => {});
    return;
  }
  const server = await startPostgres();
  const url = await server.database();
  await migrateDatabase(url);
  const postgres = openDatabase(url);
  afterAll(async () => {
    await postgres.destroy();
    await server.close();
  });
  suite('PostgreSQL', postgres, url);
}
