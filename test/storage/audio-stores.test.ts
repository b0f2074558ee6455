/** The configured store of recordings: its quota, the reserve of its disk, and its folders. */
import { afterAll, expect, test } from 'bun:test';
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { openMeteredAudioStore } from '../../server/storage/audio-stores.ts';
import { removeFolder, temporaryFolder } from '../support/servers/server-process.ts';
import { sqliteDatabase } from '../support/servers/sqlite-database.ts';
import { chunks, filled } from './audio-store.suite.ts';

const folder = await temporaryFolder();
afterAll(() => removeFolder(folder));

test('a store is opened with its quota and the reserve of its disk', async () => {
  const { database } = await sqliteDatabase();
  const opened = (audioQuota: number | null, diskReserve: number) =>
    openMeteredAudioStore(
      {
        audioStore: { kind: 'disk', folder: join(folder, 'opened') },
        audioQuota,
        diskReserve,
      },
      folder,
      database,
    );
  mkdirSync(join(folder, 'opened'));
  await expect(opened(5, 0).put('org', 'a.mp3', chunks(filled(6, 1)), 6)).rejects.toThrow(
    'the limit is 5',
  );
  const full = opened(null, Number.MAX_SAFE_INTEGER);
  await expect(full.put('org', 'a.mp3', chunks(filled(6, 1)), 6)).rejects.toThrow();
  expect(await opened(6, 0).put('org', 'a.mp3', chunks(filled(6, 1)), 6)).toEqual({ size: 6 });
});

test('uploads to a bucket wait in the folder for temporary files', async () => {
  const { database } = await sqliteDatabase();
  const own = join(folder, 'temporary');
  const audioStore = {
    kind: 's3',
    bucket: 'talks',
    endpoint: 'http://127.0.0.1:1',
    region: 'eu',
    accessKeyId: 'id',
    secretAccessKey: 'secret',
    prefix: '',
  } as const;
  const parts = { audioStore, audioQuota: null, diskReserve: 0 };
  const store = openMeteredAudioStore(parts, own, database);
  let waiting: string[] = [];
  async function* body() {
    yield filled(4, 1);
    waiting = readdirSync(join(own, 'uploads'));
    throw new Error('the client is gone');
  }
  await expect(store.put('org', 'a.mp3', body(), 4)).rejects.toThrow('the client is gone');
  expect(waiting).toHaveLength(1);
  expect(readdirSync(join(own, 'uploads'))).toEqual([]);
});
