/** The pepper, the secret that all issued keys depend on. */
import { afterAll, expect, test } from 'bun:test';
import { link, mkdir, readdir, readFile, stat, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { sqliteDatabase } from '../support/servers/sqlite-database.ts';
import { readConfig } from '../../server/config.ts';
import {
  createHasher,
  providePepper,
  readPepper,
  sameHash,
} from '../../server/identity/secrets.ts';
import { migrateDatabase, openDatabase } from '../../server/storage/database.ts';
import { removeFolder, temporaryFolder } from '../support/servers/server-process.ts';

const folder = await temporaryFolder();
afterAll(() => removeFolder(folder));

test('the first pepper stays, however many processes create one, and nothing else is left', async () => {
  const dataDir = join(folder, 'many');
  const made = await Promise.all(Array.from({ length: 20 }, () => readPepper(dataDir)));
  expect(new Set(made).size).toBe(1);
  expect(made[0]).toMatch(/^[0-9a-f]{64}$/);
  expect(await readPepper(dataDir)).toBe(made[0] ?? '');
  expect(await readdir(dataDir)).toEqual(['pepper']);
  expect((await stat(join(dataDir, 'pepper'))).mode & 0o777).toBe(0o600);
  expect(await readFile(join(dataDir, 'pepper'), 'utf8')).toBe(made[0] ?? '');
});

test('an invalid pepper file is an error and stays unchanged', async () => {
  const dataDir = join(folder, 'other');
  await mkdir(dataDir);
  for (const text of ['', 'a'.repeat(63), 'g'.repeat(64), `${'a'.repeat(64)}\n`, 'a'.repeat(65)]) {
    await writeFile(join(dataDir, 'pepper'), text);
    await expect(readPepper(dataDir)).rejects.toThrow('does not contain a pepper');
    expect(await readFile(join(dataDir, 'pepper'), 'utf8')).toBe(text);
  }
});

test('a configured pepper takes precedence; a shared database has one for all', async () => {
  const file = join(folder, 'shared.sqlite');
  await migrateDatabase(file);
  const database = openDatabase(file);
  const config = readConfig({ DATA_DIR: folder });
  const shared = { ...config, pepper: null, databaseUrl: 'postgres://127.0.0.1/x' };
  const [one, two] = await Promise.all([
    providePepper(shared, database),
    providePepper(shared, database),
  ]);
  expect(one).toMatch(/^[0-9a-f]{64}$/);
  expect([two, await providePepper(shared, database)]).toEqual([one, one]);
  const own = { ...config, pepper: 'p'.repeat(32) };
  expect(await providePepper(own, database)).toBe('p'.repeat(32));
  expect(await providePepper({ ...config, pepper: null }, database)).toBe(await readPepper(folder));
  await database.destroy();
});

test('a pepper that cannot be stored is an error', async () => {
  await writeFile(join(folder, 'file'), '');
  await expect(readPepper(join(folder, 'file'))).rejects.toThrow();
  const { database } = await sqliteDatabase();
  await database.insertInto('shared_secrets').values({ name: 'another', value: 'x' }).execute();
  await sql`create trigger refusing before insert on shared_secrets
    begin select raise(abort, 'the disk is full'); end`.execute(database);
  const config = { ...readConfig({}), pepper: null, databaseUrl: 'postgres://127.0.0.1/x' };
  await expect(providePepper(config, database)).rejects.toThrow('the disk is full');
  await sql`drop trigger refusing`.execute(database);
  expect(await providePepper(config, database)).toMatch(/^[0-9a-f]{64}$/);
});

test('hashes differ by purpose, by parts and by pepper', () => {
  const { hash } = createHasher('a'.repeat(32));
  const hashes = [
    hash('key', 'ab'),
    hash('code', 'ab'),
    hash('key', 'a', 'b'),
    hash('key', 'b', 'a'),
    createHasher('b'.repeat(32)).hash('key', 'ab'),
  ];
  expect(new Set(hashes).size).toBe(5);
  expect(hash('key', 'ab')).toBe(hashes[0] ?? '');
  expect(sameHash(hashes[0] ?? '', hash('key', 'ab'))).toBe(true);
  for (const other of ['', hashes[1] ?? '', `${hashes[0]}0`, hashes[0]?.slice(0, -1) ?? '']) {
    expect(sameHash(hashes[0] ?? '', other)).toBe(false);
  }
});

test('a pepper that cannot be stored is an error, and leaves no file', async () => {
  const dataDir = join(folder, 'unlinked');
  const refused = Object.assign(new Error('not permitted'), { code: 'EPERM' });
  await expect(readPepper(dataDir, () => Promise.reject(refused))).rejects.toBe(refused);
  expect(await readdir(dataDir)).toEqual([]);
});

test('a temporary file that cannot be deleted is an error', async () => {
  const dataDir = join(folder, 'undeleted');
  const linked = readPepper(dataDir, async (from, to) => {
    await link(from, to);
    await unlink(from);
  });
  await expect(linked).rejects.toMatchObject({ code: 'ENOENT' });
});
