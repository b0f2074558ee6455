/** The count of recordings when its database refuses writes: nothing is taken for counted. */
import { expect, test } from 'bun:test';
import { objectName } from '../../server/storage/audio-names.ts';
import type { ListedAudio } from '../../server/storage/audio.ts';
import { createAudioUsage } from '../../server/storage/audio-usage.ts';
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
