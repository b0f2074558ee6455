/**
 * What a backup promises beyond the drill: chunks that cannot be changed, moved or cut off, rows of older schemas, and
 * that one which somebody made by hand is refused as a whole.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import {
  cp,
  link,
  mkdir,
  readFile,
  rename,
  rm,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { gunzipSync, gzipSync } from 'node:zlib';
import { join } from 'node:path';
import {
  openBackup,
  verifyBackup,
  writeBackup,
  Unreadable,
  backupKey,
  seal,
  unseal,
} from '../../server/copy/backup.ts';
import { moveService, restoreBackup } from '../../server/copy/fill.ts';
import { openObjects } from '../../server/copy/objects.ts';
import { readConfig, type Config } from '../../server/config/config.ts';
import { queueLocation } from '../../server/runs/files.ts';
import { prepareQueue } from '../../server/runs/queue/openworkflow-queue.ts';
import { migrateDatabase, migrationNames, openDatabase } from '../../server/storage/database.ts';
import { audioObjectName } from '../../server/storage/audio.ts';
import { keepSound } from '../../server/storage/run-media.ts';
import { completedRun, spoken } from '../support/servers/completed-run.ts';
import { removeFolder, temporaryFolder } from '../support/servers/server-process.ts';
import { openSnapshot, totalsCounter } from '../../server/copy/rows.ts';
import type { Any } from '../support/servers/client.ts';

const folder = await temporaryFolder();
afterAll(() => removeFolder(folder));

const key = await backupKey(Buffer.alloc(32, 7), Buffer.alloc(0));
const bytes = async (of: AsyncIterable<Uint8Array>) => Buffer.concat(await Array.fromAsync(of));
async function* parts(of: Buffer, size: number) {
  for (let at = 0; at < of.length; at += size) yield of.subarray(at, at + size);
}
const sealed = (content: Buffer, name = 'a') => bytes(seal(key, name, parts(content, 10_000)));
const opened = (content: Buffer, name = 'a') => bytes(unseal(key, name, parts(content, 7000)));
const CHUNK = 65_536 + 16;

test.each([0, 1, 65_535, 65_536, 65_537, 200_000])(
  '%d bytes are sealed and opened',
  async (size) => {
    const content = Buffer.from(Array.from({ length: size }, (_, at) => at % 251));
    const made = await sealed(content);
    expect((await opened(made)).equals(content)).toBe(true);
    expect(await sealed(content)).not.toEqual(made);
  },
);

test('a changed, cut, moved or renamed sealed file is refused', async () => {
  const made = await sealed(Buffer.alloc(200_000, 1));
  const [head, first, second] = [
    made.subarray(0, 32),
    ...[0, 1].map((at) => made.subarray(32 + at * CHUNK, 32 + (at + 1) * CHUNK)),
  ];
  const changed = Buffer.from(made);
  changed[100_000]! ^= 1;
  const faulty: Record<string, Buffer> = {
    changed,
    'cut within a chunk': made.subarray(0, 100_000),
    'cut between chunks': made.subarray(0, 32 + CHUNK),
    'only a head': made.subarray(0, 32),
    empty: Buffer.alloc(0),
    moved: Buffer.concat([head, second!, first!, made.subarray(32 + 2 * CHUNK)]),
  };
  for (const content of Object.values(faulty)) {
    await expect(opened(content)).rejects.toThrow(Unreadable);
  }
  await expect(opened(made, 'b')).rejects.toThrow(Unreadable);
  const other = await backupKey(Buffer.from('a passphrase'), Buffer.from('salt'));
  await expect(bytes(unseal(other, 'a', parts(made, 7000)))).rejects.toThrow(Unreadable);
});

const configOf = (name: string): Config => readConfig({ DATA_DIR: join(folder, name) });

test('a backup with the schema of an earlier version is restored, and migrated then', async () => {
  const [old, fresh] = [configOf('old'), configOf('fresh')];
  const queue = queueLocation(old);
  await migrateDatabase(old.databaseUrl, () => prepareQueue(queue), '0009-learning');
  const before = openDatabase(old.databaseUrl);
  const organization = { id: 'org', external_id: 'team:a\u2028"\n', kind: 'team' as const };
  await before
    .insertInto('organizations')
    .values({ ...organization, created_at: 5 })
    .execute();
  const key = { id: 'key', key_hash: 'a', obfuscated: 'b', name: 'c', organization_id: 'org' };
  await before
    .insertInto('api_keys')
    .values({ ...key, owner_email: 'ann@example.com', scopes: '[]', created_at: 5 })
    .execute();
  await before.destroy();
  const place = { kind: 'disk' as const, folder: join(folder, 'backup') };
  await writeBackup(old, place, null, () => {});
  const backup = await openBackup(place, null);
  expect(await verifyBackup(backup)).toEqual([]);
  expect(backup.manifest.migrations.at(-1)).toBe('0009-learning');
  // It may have written a table before those that it refers to.
  backup.manifest.tables.reverse();
  await restoreBackup(backup, fresh, () => {});
  const after = openDatabase(fresh.databaseUrl);
  expect(await after.selectFrom('api_keys').select('id').execute()).toEqual([{ id: 'key' }]);
  expect(await after.selectFrom('organizations').selectAll().execute()).toEqual([
    { ...organization, created_at: 5 },
  ]);
  expect(await after.selectFrom('webhooks').selectAll().execute()).toEqual([]);
  await after.destroy();

  backup.manifest.migrations.push('9999-later');
  const third = restoreBackup(backup, configOf('third'), () => {});
  await expect(third).rejects.toThrow('A later version');
  expect(migrationNames).not.toContain('9999-later');
});

test('a table is restored after those that it refers to', async () => {
  const config = configOf('order');
  await migrateDatabase(config.databaseUrl, () => prepareQueue(queueLocation(config)));
  const snapshot = await openSnapshot(config);
  const place = (table: unknown) => snapshot.tables.indexOf(String(table));
  const references = await Promise.all(
    snapshot.tables
      .filter((table) => !table.includes('.'))
      .map(async (table) => {
        const to = await snapshot.select(`SELECT "table" FROM pragma_foreign_key_list('${table}')`);
        return to.map(({ table: other }) => [table, other]);
      }),
  );
  await snapshot.close();
  expect(references.flat().length).toBeGreaterThan(8);
  expect(references.flat().filter(([from, to]) => place(from) < place(to))).toEqual([]);
});

test('a service is backed up, restored and moved with its recordings, and nothing is overwritten', async () => {
  const quiet = () => {};
  const home = configOf('home');
  await migrateDatabase(home.databaseUrl, () => prepareQueue(queueLocation(home)));
  const database = openDatabase(home.databaseUrl);
  const owner = { id: 'org', external_id: 'team:a', kind: 'team' as const, created_at: 5 };
  await database.insertInto('organizations').values(owner).execute();
  const { runId } = await completedRun(database, 'org', spoken('Thank you all.'));
  const name = audioObjectName({ organizationId: 'org', key: 'talk.mp3' });
  const sound = Buffer.from('the sound of a talk');
  await openObjects(home.audioStore).put(name, parts(sound, 5));
  const versionAt = async (of: Config) => (await openObjects(of.audioStore).stat(name))?.version;
  // It stays with the run, whose row names its version.
  const own = { id: runId, organizationId: 'org' };
  await keepSound(database, own, { size: sound.length, version: (await versionAt(home)) ?? '' });
  await database.destroy();
  const soundAt = (of: Config) => bytes(openObjects(of.audioStore).read(name));
  /** Everything that a service holds. */
  const heldBy = async (of: Config) => {
    const snapshot = await openSnapshot(of);
    const runs = await snapshot.select('SELECT id, state FROM runs');
    // Its log may still be open in the process that wrote it.
    const queued = await snapshot.select('SELECT id FROM openworkflow.workflow_runs');
    const [media] = await snapshot.select('SELECT version FROM run_media');
    await snapshot.close();
    expect(media?.['version']).toBe((await versionAt(of))!);
    return [runs, queued, (await soundAt(of)).toString()];
  };
  const held = [[{ id: runId, state: 'completed' }], [], String(sound)];

  const secret = Buffer.from('correct horse');
  const place = { kind: 'disk' as const, folder: join(folder, 'sealed') };
  await writeBackup(home, place, secret, quiet);
  const again = writeBackup(home, place, secret, quiet);
  await expect(again).rejects.toThrow('none is overwritten');
  for (const [given, says] of [
    [null, 'name its key'],
    [Buffer.from('incorrect'), 'key'],
  ] as const)
    await expect(openBackup(place, given)).rejects.toThrow(says);
  const backup = await openBackup(place, secret);
  expect(await verifyBackup(backup)).toEqual([]);

  const second = configOf('second');
  expect(await restoreBackup(backup, second, quiet)).toEqual({
    rows: expect.any(Number),
    recordings: 1,
  });
  expect(await heldBy(second)).toEqual(held);
  await expect(restoreBackup(backup, second, quiet)).rejects.toThrow('no file is overwritten');

  // A recording of another content is left, and nothing else is there afterwards.
  const taken = configOf('taken');
  await openObjects(taken.audioStore).put(name, parts(Buffer.from('other'), 5));
  await expect(moveService(second, taken, quiet)).rejects.toThrow('None is overwritten');
  expect(String(await soundAt(taken))).toBe('other');
  // One that an interrupted move has left is compared.
  const third = configOf('third machine');
  await openObjects(third.audioStore).put(name, parts(sound, 5));
  expect((await moveService(second, third, quiet)).recordings).toBe(1);
  expect(await heldBy(third)).toEqual(held);
  expect(await heldBy(second)).toEqual(held);

  const file = join(place.folder, name);
  const faulty = await readFile(file);
  faulty[faulty.length - 1]! ^= 1;
  await writeFile(file, faulty);
  expect((await verifyBackup(await openBackup(place, secret))).join()).toContain(name);
  const refused = configOf('refused');
  await expect(restoreBackup(backup, refused, quiet)).rejects.toThrow();
  expect(await Array.fromAsync(openObjects(refused.audioStore).list('objects/'))).toEqual([]);
});

describe('a backup made by hand', () => {
  const good = join(folder, 'good');
  const recording = audioObjectName({ organizationId: 'org', key: 'talk.mp3' });
  const sha256 = (content: Uint8Array) => createHash('sha256').update(content).digest('hex');
  const owner = { id: 'org', external_id: 'team:a', kind: 'team' as const, created_at: 5 };

  beforeAll(async () => {
    const config = configOf('by hand');
    await migrateDatabase(config.databaseUrl, () => prepareQueue(queueLocation(config)));
    const database = openDatabase(config.databaseUrl);
    await database.insertInto('organizations').values(owner).execute();
    const key = { key_hash: 'a', obfuscated: 'b', name: 'c', organization_id: 'org', scopes: '[]' };
    for (const id of ['one', 'two']) {
      const values = { ...key, id, owner_email: 'ann@example.com', created_at: 5 };
      await database.insertInto('api_keys').values(values).execute();
    }
    await completedRun(database, 'org', spoken('Thank you all.'));
    await database.destroy();
    await openObjects(config.audioStore).put(recording, parts(Buffer.from('a sound'), 5));
    await writeBackup(config, { kind: 'disk', folder: good }, null, () => {});
  });

  interface Hand {
    /** The folder of the backup, which is changed. */
    at: string;
    manifest: Any;
    /** Replaces the rows of a table, and what the manifest says about their file. */
    rows(table: string, change: (lines: string[]) => string[]): Promise<void>;
  }

  const changed = (change: (manifest: Any) => unknown) => async (hand: Hand) =>
    void change(hand.manifest);
  const named = (name: string) => changed(({ recordings }) => (recordings[0].name = name));
  const write = (name: string, content: string) => (hand: Hand) =>
    writeFile(join(hand.at, name), content);
  const elsewhere = async (hand: Hand, name: string) => {
    await rename(join(hand.at, name), `${hand.at}-moved`);
    return `${hand.at}-moved`;
  };
  const first = ({ recordings }: Any) => recordings[0];
  const HASH = 'a'.repeat(64);

  const ATTACKS: Record<string, [(hand: Hand) => Promise<unknown>, says: RegExp]> = {
    'a name that leads out of the folder': [named('../planted'), /not a name/],
    'a name that leads out further in': [named('objects/../../planted'), /not a name/],
    'an absolute name': [named('/tmp/captioner-planted'), /not a name/],
    'a name with another separator': [named('objects\\..\\planted'), /not a name/],
    'a name with a NUL': [named(`${recording}\0.txt`), /not a name/],
    'a name in capitals': [named(recording.toUpperCase()), /not a name/],
    'a name in the data folder': [named('captioner.sqlite'), /not a name/],
    'a name with a terminal sequence': [named('\u001b[2J'), /^"\\u001b\[2J" is not a name/],
    'the same recording twice': [
      changed((manifest) => manifest.recordings.push(first(manifest))),
      /is in the manifest twice/,
    ],
    'the same table twice': [changed(({ tables }) => tables.push(tables[0])), /twice/],
    'a file of a table elsewhere': [
      changed(({ tables }) => (tables[0].name = 'rows/../../planted')),
      /not a name/,
    ],
    'a table that is a statement': [
      changed(({ tables }) => (tables[0].table = 'runs"; DROP TABLE runs; --')),
      /not a name/,
    ],
    'an entry without a file': [
      changed(({ recordings }) =>
        recordings.push({
          ...recordings[0],
          name: recordings[0].name.replace(/\w{3}\.mp3$/, '000.mp3'),
        }),
      ),
      /000\.mp3 is missing/,
    ],
    'a file without an entry': [write('objects/more.mp3', ''), /more\.mp3" is not part of/],
    'a hidden file': [write('rows/.hidden', ''), /\.hidden" is not part of/],
    'a folder too deep': [
      ({ at }) => mkdir(join(at, 'rows/a/b/c'), { recursive: true }),
      /a folder that a backup does not have/,
    ],
    'a recording that is a link': [
      async (hand) => symlink(await elsewhere(hand, recording), join(hand.at, recording)),
      /a link or a device/,
    ],
    'a folder that is a link': [
      async (hand) => symlink(await elsewhere(hand, 'objects'), join(hand.at, 'objects')),
      /a link or a device/,
    ],
    'a recording with another name': [
      ({ at }) => link(join(at, recording), `${at}-other`),
      /hard link/,
    ],
    'a pipe': [
      async ({ at }) => {
        await rm(join(at, recording));
        expect(Bun.spawnSync(['mkfifo', join(at, recording)]).exitCode).toBe(0);
      },
      /a link or a device/,
    ],
    'an API key that was taken out of the rows': [
      ({ rows }) => rows('api_keys', (lines) => lines.slice(1)),
      /The table api_keys was changed/,
    ],
    'an API key with another address': [
      ({ rows }) => rows('api_keys', (lines) => lines.map((line) => line.replace('ann@', 'eve@'))),
      /The table api_keys was changed/,
    ],
    'a table that was taken out': [
      async ({ at, manifest }) => {
        manifest.tables = manifest.tables.filter(({ table }: Any) => table !== 'api_keys');
        await rm(join(at, 'rows/api_keys.jsonl.gz'));
      },
      /The table api_keys is missing/,
    ],
    'a table of no service': [
      async ({ at, manifest }) => {
        const runs = manifest.tables.find(({ table }: Any) => table === 'runs');
        manifest.tables.push({ ...runs, table: 'planted', name: 'rows/planted.jsonl.gz' });
        await cp(join(at, 'rows/runs.jsonl.gz'), join(at, 'rows/planted.jsonl.gz'));
      },
      /A service has no table planted/,
    ],
    'a column that is a statement': [
      ({ rows }) => rows('api_keys', () => [JSON.stringify({ 'id") VALUES (1); --': 1 }), '{}']),
      /A row of api_keys is not one that a service has written/,
    ],
    'a row that is no row': [
      ({ rows }) => rows('api_keys', () => ['[1]', '7']),
      /A row of api_keys/,
    ],
    'a row that is cut off': [
      ({ at, manifest }) => cut(at, manifest, (text) => text.slice(0, -1)),
      /The last row is cut off/,
    ],
    'rows without end': [
      ({ at, manifest }) => cut(at, manifest, (text) => text.repeat(50_000)),
      /The table api_keys was changed/,
    ],
    'rows that are no archive': [
      async (hand) => {
        const content = Buffer.from('SQLite format 3\0');
        await writeFile(join(hand.at, 'rows/api_keys.jsonl.gz'), content);
        Object.assign(tableOf(hand.manifest, 'api_keys'), { size: 16, sha256: sha256(content) });
      },
      /The table api_keys was changed/,
    ],
    'a cut archive': [
      ({ at }) => truncate(join(at, 'rows/runs.jsonl.gz'), 30),
      /runs\S* was changed/,
    ],
    'a huge sparse file': [({ at }) => truncate(join(at, recording), 2 ** 40), /was changed/],
    'a size without end': [
      changed((manifest) => (first(manifest).size = 1e300)),
      /recordings\.0\.size/,
    ],
    'a negative size': [changed((manifest) => (first(manifest).size = -1)), /recordings\.0\.size/],
    'a size that is a text': [changed((manifest) => (first(manifest).size = '7')), /\.size/],
    'a hash that is a list': [changed((manifest) => (first(manifest).sha256 = [HASH])), /\.sha256/],
    'another hash': [changed((manifest) => (first(manifest).sha256 = HASH)), /\.mp3 was changed/],
    'a time without a date': [
      changed((manifest) => (first(manifest).writtenAt = null)),
      /writtenAt/,
    ],
    'no tables': [changed((manifest) => (manifest.tables = {})), /tables/],
    nothing: [changed((manifest) => (manifest.recordings = undefined)), /recordings.* required/],
    'a field that is unknown': [changed((manifest) => (manifest.run = 'sh')), /not a known field/],
    'no migrations': [changed((manifest) => (manifest.migrations = [])), /migrations/],
    'migrations in another order': [
      changed((manifest) => (manifest.migrations = manifest.migrations.toReversed())),
      /The migrations in the manifest were changed/,
    ],
    'a manifest that is not JSON': [write('manifest', '{'), /manifest is not JSON/],
    'a manifest that is null': [write('manifest', 'null'), /The manifest was changed/],
    'a manifest that is too large': [write('manifest', ' '.repeat(100e6)), /larger than 67108864/],
    'a manifest of too many values': [
      write('manifest', `[${'[],'.repeat(3e6)}0]`),
      /4000000 values/,
    ],
    'a manifest too deep': [write('manifest', '['.repeat(1e6)), /manifest is not JSON/],
    'a head that is too large': [write('backup.json', ' '.repeat(5000)), /backup\.json is larger/],
    'a head of a later version': [write('backup.json', '{"captionerBackup":2}'), /later version/],
    'a head of no version': [write('backup.json', '{"captionerBackup":"1"}'), /backup\.json was/],
    'a salt that is no salt': [
      write('backup.json', '{"captionerBackup":1,"salt":"../../etc"}'),
      /backup\.json was changed: "salt"/,
    ],
    'a manifest that is missing': [({ at }) => rm(join(at, 'manifest')), /no complete backup here/],
  };

  const tableOf = ({ tables }: Any, name: string): Any =>
    tables.find(({ table }: Any) => table === name);
  async function cut(at: string, manifest: Any, change: (text: string) => string): Promise<void> {
    const path = join(at, 'rows/api_keys.jsonl.gz');
    const content = gzipSync(change(String(gunzipSync(await readFile(path)))));
    await writeFile(path, content);
    const said = { size: content.length, sha256: sha256(content) };
    Object.assign(tableOf(manifest, 'api_keys'), said);
  }

  test.each(Object.entries(ATTACKS))(
    '%s is refused, and nothing is written',
    async (name, [attack, says]) => {
      const at = join(folder, `hand ${Object.keys(ATTACKS).indexOf(name)}`, 'backup');
      await cp(good, at, { recursive: true });
      const path = join(at, 'manifest');
      const manifest = JSON.parse(await readFile(path, 'utf8'));
      const before = JSON.stringify(manifest);
      const rows: Hand['rows'] = (table, change) =>
        table === 'api_keys'
          ? cut(at, manifest, (text) => `${change(text.trim().split('\n')).join('\n')}\n`)
          : Promise.reject(new Error(table));
      await attack({ at, manifest, rows });
      if (JSON.stringify(manifest) !== before) await writeFile(path, JSON.stringify(manifest));
      const place = { kind: 'disk' as const, folder: at };
      const faultsOf = async () => (await verifyBackup(await openBackup(place, null))).join('\n');
      const verified = await faultsOf().catch((error: Error) => error.message);
      expect(verified).toMatch(says);
      const target = configOf(`hand ${Object.keys(ATTACKS).indexOf(name)}/target`);
      const restored = async () => restoreBackup(await openBackup(place, null), target, () => {});
      // Both say the same, and the new folder is not even made.
      expect(
        await restored().then(
          () => '',
          (error: Error) => error.message,
        ),
      ).toBe(verified);
      expect(existsSync(target.dataDir)).toBe(false);
      expect(existsSync(join(at, '../planted'))).toBe(false);
    },
  );

  test('rows that no database accepts leave nothing behind', async () => {
    const at = join(folder, 'unfit');
    await cp(good, at, { recursive: true });
    const path = join(at, 'manifest');
    const manifest = JSON.parse(await readFile(path, 'utf8'));
    const all = totalsCounter();
    const row = { id: 'one', organization_id: 'nobody' };
    all.add(row);
    await cut(at, manifest, () => `${JSON.stringify(row)}\n`);
    Object.assign(tableOf(manifest, 'api_keys'), all.result());
    await writeFile(path, JSON.stringify(manifest));
    const backup = await openBackup({ kind: 'disk', folder: at }, null);
    expect(await verifyBackup(backup)).toEqual([]);
    const target = configOf('unfit target');
    const restored = restoreBackup(backup, target, () => {});
    await expect(restored).rejects.toThrow('does not accept the rows of api_keys');
    expect(existsSync(target.dataDir)).toBe(false);
  });

  test('a bucket or folder that is not there is said in a sentence', async () => {
    const place = { kind: 'disk' as const, folder: join(folder, 'nowhere') };
    await expect(openBackup(place, null)).rejects.toThrow('There is no complete backup here.');
  });
});
