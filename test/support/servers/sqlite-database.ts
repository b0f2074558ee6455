/** Provides a migrated SQLite database of its own to a test file. */
import { afterAll } from 'bun:test';
import { join } from 'node:path';
import { migrateDatabase, openDatabase, type Database } from '../../../server/storage/database.ts';
import { removeFolder, temporaryFolder } from './server-process.ts';

export interface OwnDatabase {
  database: Database;
  /** The path of its file. */
  file: string;
  /** The folder that contains it, removed after the tests of the file. */
  folder: string;
}

/** Creates the database, which is closed and deleted after the tests of the file. */
export async function sqliteDatabase(): Promise<OwnDatabase> {
  const folder = await temporaryFolder();
  const file = join(folder, 'test.sqlite');
  await migrateDatabase(file);
  const database = openDatabase(file, { answersRequests: true });
  afterAll(async () => {
    await database.destroy();
    await removeFolder(folder);
  });
  return { database, file, folder };
}
