/** Keys: their form, their records, the cache of known ones, and the secret that their hashes depend on. */
import { afterAll, describe, expect, test } from 'bun:test';
import { sql } from 'kysely';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readConfig } from '../../server/config/config.ts';
import {
  createHasher,
  sameHash,
  providePepper,
  readPepper,
} from '../../server/identity/secrets.ts';
import { migrateDatabase, openDatabase } from '../../server/storage/database.ts';
import { testIdentity } from '../support/servers/identity.ts';
import { removeFolder, temporaryFolder } from '../support/servers/server-process.ts';
import { sqliteDatabase } from '../support/servers/sqlite-database.ts';
import {
  createKey,
  keyIdOf,
  organizationOfWorkspace,
  recordOrganization,
} from '../../server/identity/keys.ts';
import { summed } from './attacker.ts';

const SECRET = 'a'.repeat(43);

test('a key has an id of 8 to 32 characters, a secret of 43 and a checksum', () => {
  expect(keyIdOf(summed(`cap_live_${'b'.repeat(8)}_${SECRET}`))).toBe('b'.repeat(8));
  expect(keyIdOf(summed(`cap_live_${'b'.repeat(32)}_${SECRET}`))).toBe('b'.repeat(32));
  for (const body of [
    `cap_live_${'b'.repeat(7)}_${SECRET}`,
    `cap_live_${'b'.repeat(33)}_${SECRET}`,
    `cap_live_bbbbbbbb_${SECRET}a`,
    `cap_live_bbbbbbbb_${SECRET.slice(1)}`,
    `cap_test_bbbbbbbb_${SECRET}`,
  ]) {
    expect(keyIdOf(summed(body))).toBeNull();
  }
});

test('a text that only contains a key is none', () => {
  const key = createKey().value;
  expect(keyIdOf(key)).not.toBeNull();
  for (const text of [`x${key}`, ` ${key}`, `${key}x`, `${key}\n`, `${key} `]) {
    expect(keyIdOf(text)).toBeNull();
  }
  expect(keyIdOf(summed(`xcap_live_bbbbbbbb_${SECRET}`))).toBeNull();
});

describe('keys and organisations as they are recorded', async () => {
  const made = await testIdentity();
  const { database } = made;
  afterAll(() => made.close());

  const named = async (): Promise<Record<string, string>> => {
    const rows = await database.selectFrom('organizations').select(['id', 'external_id']).execute();
    return Object.fromEntries(rows.map(({ id, external_id: name }) => [id, name]));
  };

  test('every character of a secret is random', () => {
    const keys = Array.from({ length: 200 }, () => createKey());
    const secrets = keys.map(({ value }) => value.split('_')[3]!);
    for (let at = 0; at < 43; at += 1) {
      expect(new Set(secrets.map((secret) => secret[at])).size).toBeGreaterThan(20);
    }
    expect(new Set(keys.map(({ id }) => id)).size).toBe(200);
    for (const { value, obfuscated } of keys) {
      expect(obfuscated).toBe(`cap_live_${value.split('_')[2]}_…${value.slice(-4)}`);
    }
  });

  test('an organisation that replaces another takes its name, and no other', async () => {
    const team = { kind: 'team', externalId: 'team:one.example' } as const;
    const other = { kind: 'team', externalId: 'team:two.example' } as const;
    await recordOrganization(database, 'org_two', other, 1);
    await recordOrganization(database, 'org_old', team, 2);
    await recordOrganization(database, 'org_old', team, 3);
    expect(await named()).toEqual({ org_two: 'team:two.example', org_old: 'team:one.example' });
    await recordOrganization(database, 'org_new', team, 4);
    expect(await named()).toEqual({
      org_two: 'team:two.example',
      org_old: 'former:org_old',
      org_new: 'team:one.example',
    });
    expect(await organizationOfWorkspace(database, team, 5)).toBe('org_new');
    expect(await organizationOfWorkspace(database, other, 5)).toBe('org_two');
  });
});

describe('the pepper, the secret that all issued keys depend on', async () => {
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
    for (const text of [
      '',
      'a'.repeat(63),
      'g'.repeat(64),
      `${'a'.repeat(64)}\n`,
      'a'.repeat(65),
    ]) {
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
    expect(await providePepper({ ...config, pepper: null }, database)).toBe(
      await readPepper(folder),
    );
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
});
