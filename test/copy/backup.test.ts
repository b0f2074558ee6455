/** What a backup promises beyond the drill: chunks that cannot be changed, moved or cut off, and rows of older schemas. */
import { afterAll, expect, test } from 'bun:test';
import { readFile, writeFile } from 'node:fs/promises';
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
import { readConfig, type Config } from '../../server/config.ts';
import { queueLocation } from '../../server/runs/files.ts';
import { prepareQueue } from '../../server/runs/queue/openworkflow-queue.ts';
import { migrateDatabase, migrationNames, openDatabase } from '../../server/storage/database.ts';
import { audioObjectName } from '../../server/storage/audio.ts';
import { completedRun, spoken } from '../support/servers/completed-run.ts';
import { removeFolder, temporaryFolder } from '../support/servers/server-process.ts';
import { openSnapshot } from '../../server/copy/rows.ts';

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
  await database.destroy();
  const name = audioObjectName({ organizationId: 'org', key: 'talk.mp3' });
  const sound = Buffer.from('the sound of a talk');
  await openObjects(home.audioStore).put(name, parts(sound, 5));
  const soundAt = (of: Config) => bytes(openObjects(of.audioStore).read(name));
  /** Everything that a service holds. */
  const heldBy = async (of: Config) => {
    const snapshot = await openSnapshot(of);
    const runs = await snapshot.select('SELECT id, state FROM runs');
    // Its log may still be open in the process that wrote it.
    const queued = await snapshot.select('SELECT id FROM openworkflow.workflow_runs');
    await snapshot.close();
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
