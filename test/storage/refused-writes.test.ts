/** Counts and uploads while the database refuses writes: nothing counts as recorded. */
import { expect, test } from 'bun:test';
import { objectName } from '../../server/storage/audio-names.ts';
import type { AudioStore, ListedAudio } from '../../server/storage/audio.ts';
import { createAudioUsage } from '../../server/storage/audio-usage.ts';
import { createResumableUploads } from '../../server/storage/resumable-uploads.ts';
import { createResumableRows } from '../../server/storage/resumable-rows.ts';
import { refusing, sqliteDatabase } from '../support/servers/sqlite-database.ts';

const { database } = await sqliteDatabase();
let now = 1_000_000;
const usage = createAudioUsage(database, 100, () => now);
const name = (key: string) => ({ organizationId: 'org', key });
const rows = () => database.selectFrom('audio_usage').selectAll().orderBy('id').execute();
async function* listed(...objects: ListedAudio[]): AsyncIterable<ListedAudio> {
  yield* objects;
}

test('an upload that cannot be counted, kept, renewed, released or forgotten is an error', async () => {
  const insert = 'insert on audio_usage';
  await refusing(database, insert, () => usage.reserve(name('a.mp3'), 10));
  const upload = await usage.reserve(name('a.mp3'), 10);
  await refusing(database, insert, () => upload.grow(20));
  await refusing(database, 'update on audio_usage', () => upload.renew());
  await refusing(database, insert, () => upload.keep(10));
  const remove = 'delete on audio_usage';
  await refusing(database, remove, () => upload.keep(10));
  await refusing(database, remove, () => upload.release());
  await upload.keep(10);
  await refusing(database, remove, () => usage.forget(name('a.mp3')));
  expect(await rows()).toMatchObject([{ id: objectName(name('a.mp3')), bytes: 10 }]);
});

test('counts that cannot be corrected are an error', async () => {
  const stale = await usage.reserve(name('stale.mp3'), 10);
  now += 11 * 60_000;
  const remove = 'delete on audio_usage';
  await refusing(database, remove, () => usage.reconcile(listed()));
  await stale.release();
  await refusing(database, remove, () => usage.reconcile(listed()));
  const found = { name: objectName(name('found.mp3')), size: 7 };
  const insert = 'insert on audio_usage';
  await refusing(database, insert, () => usage.reconcile(listed(found)));
  await usage.reconcile(listed(found));
  expect(await rows()).toMatchObject([{ id: found.name, bytes: 7, expires_at: null }]);
});

test('uploads of dead processes no longer count', async () => {
  await database.deleteFrom('audio_usage').execute();
  const upload = await usage.reserve(name('died.mp3'), 10);
  now += 10 * 60_000 - 1;
  await usage.reconcile(listed());
  expect(await rows()).toHaveLength(1);
  now += 1;
  await usage.reconcile(listed());
  expect(await rows()).toEqual([]);
  await upload.release();
});

test('a resumable upload that cannot be recorded, advanced or removed is an error', async () => {
  const uploads = createResumableRows(database, () => now);
  const wanted = { organizationId: 'org', key: 'a.mp3', metadata: '', length: 9, expiresAt: 9e15 };
  await refusing(database, 'insert on resumable_uploads', () => uploads.create(wanted, 5));
  const upload = (await uploads.create(wanted, 5))!;
  const part = () => uploads.addPart(upload, 'part', 4);
  await refusing(database, 'insert on resumable_parts', part);
  expect(await uploads.find('org', upload.id)).toMatchObject({ received: 0 });
  await part();
  const remove = () => uploads.removePart(upload.id, 0);
  await refusing(database, 'delete on resumable_parts', remove);
  await refusing(database, 'delete on resumable_uploads', () => uploads.remove(upload.id));
  expect(await uploads.find('org', upload.id)).toMatchObject({ received: 4 });
  const seen = (await uploads.find('org', upload.id))!;
  const change = 'update on resumable_uploads';
  await refusing(database, change, () => uploads.takeTurn(seen));
  await refusing(database, change, () => uploads.keepTurn(seen));
  await refusing(database, change, () => uploads.leaveTurn(seen));
  const audio = { delete: async () => true } as unknown as AudioStore;
  const { discard } = createResumableUploads({ database, audio });
  await refusing(database, 'delete on resumable_uploads', () => discard(upload));
});
