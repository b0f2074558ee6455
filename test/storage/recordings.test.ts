/** The list of a workspace's recordings: only its own, complete and stored ones, by their keys. */
import { expect, test } from 'bun:test';
import { objectName, workspaceName } from '../../server/storage/audio-names.ts';
import { createAudioUsage } from '../../server/storage/audio-usage.ts';
import { recordingsOf } from '../../server/storage/recordings.ts';
import { completedRun, spoken } from '../support/servers/completed-run.ts';
import { reverseUnordered, sqliteDatabase } from '../support/servers/sqlite-database.ts';

const { database } = await sqliteDatabase();
const usage = createAudioUsage(database, null);
const kept = async (organizationId: string, key: string) =>
  (await usage.reserve({ organizationId, key }, 1)).keep(1);
/** A recording stored before keys were recorded. */
const keptWithoutKey = (organizationId: string, key: string) =>
  database
    .insertInto('audio_usage')
    .values({
      id: objectName({ organizationId, key }),
      workspace: workspaceName(organizationId),
      bytes: 1,
    })
    .execute();

test('neither parts of uploads, nor uploads in progress, nor those of others are listed', async () => {
  await kept('own', 'a.mp3');
  await kept('own', '\u0001upload/part');
  await kept('other', 'b.mp3');
  await usage.reserve({ organizationId: 'own', key: 'c.mp3' }, 1);
  expect(await recordingsOf(database, 'own')).toEqual({ keys: ['a.mp3'], unnamed: 0 });
  expect(await recordingsOf(database, 'nobody')).toEqual({ keys: [], unnamed: 0 });
});

test('an old recording has the key by which a run of its workspace names it, or is counted', async () => {
  const { runId } = await completedRun(database, 'old', spoken('one'));
  const { payload } = await database
    .selectFrom('runs')
    .select('payload')
    .where('id', '=', runId)
    .executeTakeFirstOrThrow();
  const { key } = JSON.parse(payload).audio as { key: string };
  await keptWithoutKey('old', key);
  await keptWithoutKey('old', 'forgotten.mp3');
  await keptWithoutKey('stranger', key);
  expect(await recordingsOf(database, 'old')).toEqual({ keys: [key], unnamed: 1 });
  expect(await recordingsOf(database, 'stranger')).toEqual({ keys: [], unnamed: 1 });
});

test('recordings are always listed in the same order', async () => {
  const keys = ['c.mp3', 'a.mp3', 'b.mp3', 'd.mp3'];
  for (const key of keys) await kept('ordered', key);
  const listed: unknown[] = [];
  for (const isReverse of [true, false]) {
    await reverseUnordered(database, isReverse);
    listed.push((await recordingsOf(database, 'ordered')).keys);
  }
  expect(listed[0]).toEqual(listed[1]);
  expect(listed[0]).toHaveLength(keys.length);
});
