import { afterAll, expect, setDefaultTimeout, spyOn, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import { open, readdir, rm, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { createDiskAudioStore } from '../../server/storage/disk-audio.ts';
import { StorageUnavailable } from '../../server/storage/outage.ts';
import { removeFolder, temporaryFolder } from '../support/servers/server-process.ts';
import { audioStoreSuite, chunks, filled } from './audio-store.suite.ts';

setDefaultTimeout(300_000);

const folder = await temporaryFolder();
afterAll(() => removeFolder(folder));

const store = createDiskAudioStore(folder);
await store.prepare(0);
audioStoreSuite(
  'the store on disk',
  store,
  async () => (await readdir(join(folder, 'incoming'))).length,
);

test('a recording is on disk before it is reported as stored', async () => {
  const probe = await open(join(folder, 'probe'), 'w');
  const prototype: FileHandle = Object.getPrototypeOf(probe);
  await probe.close();
  const done: string[] = [];
  const sync = spyOn(prototype, 'sync').mockImplementation(async () => void done.push('synced'));
  try {
    await store.put('org', 'safe.mp3', chunks(filled(10, 1)));
    done.push('told');
  } finally {
    sync.mockRestore();
  }
  expect(done).toEqual(['synced', 'told']);
});

test.each([
  ['ENOSPC', true],
  ['EDQUOT', true],
  ['EACCES', false],
])('a write that the system refuses with %s is a lack of space: %p', async (code, isFull) => {
  const probe = await open(join(folder, 'probe'), 'w');
  const prototype: FileHandle = Object.getPrototypeOf(probe);
  await probe.close();
  const refusal = Object.assign(new Error('refused'), { code });
  const write = spyOn(prototype, 'write').mockRejectedValue(refusal);
  const error = await store.put('org', 'full.mp3', chunks(filled(10, 1))).catch((one) => one);
  write.mockRestore();
  expect(error instanceof StorageUnavailable).toBe(isFull);
  expect(isFull ? error.cause : error).toBe(refusal);
  expect(await store.stat('org', 'full.mp3')).toBeNull();
});

test('a check leaves nothing behind, and fails if nothing can be written', async () => {
  for (let time = 0; time < 20; time += 1) {
    await store.check();
    expect(readdirSync(join(folder, 'incoming'))).toEqual([]);
  }
  await expect(createDiskAudioStore('/dev/null/audio').check()).rejects.toThrow('ENOTDIR');
});

test('chunks are written in order, and a failing body is the error', async () => {
  const body = Array.from({ length: 40 }, (_, at) => filled(2 ** 20, at));
  await store.put('org', 'order.mp3', chunks(...body));
  let at = 0;
  for await (const chunk of store.read('org', 'order.mp3')) {
    expect(chunk.every((byte, index) => byte === Math.floor((at + index) / 2 ** 20))).toBe(true);
    at += chunk.length;
  }
  expect(at).toBe(40 * 2 ** 20);
  await store.delete('org', 'order.mp3');
});

test('a version can be deleted even if the folder for incoming files is missing', async () => {
  await store.put('org', 'versioned.mp3', chunks(filled(10, 1)));
  const { version } = (await store.stat('org', 'versioned.mp3'))!;
  await rm(join(folder, 'incoming'), { recursive: true });
  expect(await store.delete('org', 'versioned.mp3', version)).toBe(true);
  expect(await store.stat('org', 'versioned.mp3')).toBeNull();
});
