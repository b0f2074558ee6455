/** Secure deletion: the text cannot be read from the file afterwards, and only these deletions pay for it. */
import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Kysely, sql } from 'kysely';
import type { Database } from '../../server/storage/database.ts';
import { deletingSecurely } from '../../server/storage/secure-delete.ts';
import { sqliteDialect } from '../../server/storage/sqlite.ts';
import { sqliteDatabase } from '../support/servers/sqlite-database.ts';

const { database, folder } = await sqliteDatabase();
const isSecure = async (): Promise<boolean> => {
  const { rows } = await sql<{ secure_delete: number }>`pragma secure_delete`.execute(database);
  return rows[0]?.secure_delete === 1;
};

test('data is overwritten during the work, and no longer once it has ended or failed', async () => {
  expect(await isSecure()).toBe(false);
  expect(await deletingSecurely(database, isSecure)).toBe(true);
  expect(await isSecure()).toBe(false);
  const failing = deletingSecurely(database, () => Promise.reject(new Error('it failed')));
  await expect(failing).rejects.toThrow('it failed');
  expect(await isSecure()).toBe(false);
});

test('what is deleted cannot be read from the file', async () => {
  const path = join(folder, 'secrets.db');
  const opened = new DatabaseSync(path);
  opened.exec('PRAGMA secure_delete = off; CREATE TABLE t (id INTEGER PRIMARY KEY, said TEXT)');
  const own = new Kysely({ dialect: sqliteDialect(opened) }) as unknown as Database;
  const isInFile = () => readFileSync(path).includes('a secret sentence');
  const say = () => sql`insert into t (said) values ('a secret sentence')`.execute(own);
  await say();
  expect(isInFile()).toBe(true);
  await deletingSecurely(own, () => sql`delete from t`.execute(own));
  expect(isInFile()).toBe(false);
  // Otherwise the text would still be there.
  await say();
  await sql`delete from t`.execute(own);
  expect(isInFile()).toBe(true);
  await own.destroy();
});
