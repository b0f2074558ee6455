/** Migrations of the database: what is done with them, and what if they fail. */
import { expect, test } from 'bun:test';
import { sql } from 'kysely';
import { migrateDatabase } from '../../server/storage/database.ts';
import { withPostgresLock } from '../../server/storage/postgres.ts';
import { onEachDatabase } from '../support/servers/databases.ts';
import { until } from '../support/servers/client.ts';
import { sqliteDatabase } from '../support/servers/sqlite-database.ts';

const { database, file } = await sqliteDatabase();

test('a migration ends once the work that belongs to it is done, and fails with it', async () => {
  let isDone = false;
  await migrateDatabase(file, async () => {
    await new Promise(setImmediate);
    isDone = true;
  });
  expect(isDone).toBe(true);
  const failed = migrateDatabase(file, () => Promise.reject(new Error('the queue is away')));
  await expect(failed).rejects.toThrow('the queue is away');
});

test('the database of a later version is refused, and nothing else is done', async () => {
  await sql`insert into kysely_migration values ('9999-later', ${new Date().toISOString()})`.execute(
    database,
  );
  let isDone = false;
  const migrated = migrateDatabase(file, async () => void (isDone = true));
  await expect(migrated).rejects.toThrow('could not be migrated');
  expect(isDone).toBe(false);
});

await onEachDatabase((title, shared, url) => {
  if (title !== 'PostgreSQL') return;
  test('processes that start at the same time migrate one by one', async () => {
    let isDone = false;
    const migrated = await withPostgresLock(url, 'captioner:migrations', async () => {
      const over = migrateDatabase(url, async () => void (isDone = true));
      await until(async () => {
        const { rows } = await sql`select 1 from pg_locks where not granted`.execute(shared);
        return isDone || rows.length > 0;
      });
      expect(isDone).toBe(false);
      return { over };
    });
    await migrated.over;
    expect(isDone).toBe(true);
  });
});
