/**
 * A store with its quotas, on a real disk and a real database: its refusals, and that they leave
 * nothing behind.
 */
import { afterAll, expect, setDefaultTimeout, spyOn, test } from 'bun:test';
import { readdir, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { createAudioUsage } from '../../server/storage/audio-usage.ts';
import { QuotaExceeded } from '../../server/storage/quota-exceeded.ts';
import { migrateDatabase, openDatabase } from '../../server/storage/database.ts';
import { createDiskAudioStore } from '../../server/storage/disk-audio.ts';
import { createDiskReserve, DiskReserveReached } from '../../server/storage/disk-reserve.ts';
import { createMeteredAudioStore, STEP_BYTES } from '../../server/storage/metered-audio.ts';
import { StorageUnavailable } from '../../server/storage/outage.ts';
import { until } from '../support/servers/client.ts';
import { removeFolder, temporaryFolder } from '../support/servers/server-process.ts';
import { audioStoreSuite, chunks, filled } from './audio-store.suite.ts';

setDefaultTimeout(300_000);

const MEBIBYTE = 2 ** 20;
const folder = await temporaryFolder();
const file = join(folder, 'test.sqlite');
await migrateDatabase(file);
const database = openDatabase(file);
afterAll(async () => {
  await database.destroy();
  await removeFolder(folder);
});

const bare = createDiskAudioStore(join(folder, 'audio'));
const metered = (quota: number | null, free = Number.POSITIVE_INFINITY, reserve = 0) =>
  createMeteredAudioStore(bare, {
    usage: createAudioUsage(database, quota),
    disk: createDiskReserve(folder, reserve, async () => free),
  });
const parts = async () => (await readdir(join(folder, 'audio', 'incoming'))).length;
const usedBy = async (organizationId: string): Promise<number> => {
  const probe = createAudioUsage(database, 0).reserve({ organizationId, key: 'probe.mp3' }, 1);
  const error: unknown = await probe.catch((reason: unknown) => reason);
  return (error as QuotaExceeded).used;
};

await metered(null).prepare(0);
audioStoreSuite('the store on disk, metered', metered(2 ** 40), parts);

test('a body with a stated size is refused before a byte of it is read', async () => {
  let reads = 0;
  async function* body(): AsyncIterable<Uint8Array> {
    reads += 1;
    yield filled(10, 1);
  }
  const store = metered(100);
  await expect(store.put('said', 'a.mp3', body(), 101)).rejects.toThrow(QuotaExceeded);
  await expect(metered(null, 100, 50).put('said', 'a.mp3', body(), 51)).rejects.toThrow(
    DiskReserveReached,
  );
  expect([reads, await usedBy('said'), await parts()]).toEqual([0, 0, 0]);
  expect(await store.put('said', 'a.mp3', body(), 10)).toEqual({ size: 10 });
  expect(await usedBy('said')).toBe(10);
});

test('a recording counts with its own size, and is not counted again at each start', async () => {
  const store = metered(100);
  await store.put('shorter', 'a.mp3', chunks(filled(10, 1)), 100);
  expect(await usedBy('shorter')).toBe(10);
  const listed = spyOn(bare, 'list');
  await metered(100).prepare(0);
  expect(listed).not.toHaveBeenCalled();
  listed.mockRestore();
});

test('one without is refused when it exceeds the quota, and leaves nothing', async () => {
  const store = metered(STEP_BYTES + 5 * MEBIBYTE);
  const body = Array.from({ length: 9 }, () => filled(MEBIBYTE, 1));
  await expect(store.put('unsaid', 'a.mp3', chunks(...body))).rejects.toThrow(QuotaExceeded);
  expect([await usedBy('unsaid'), await parts()]).toEqual([0, 0]);
  expect(await store.stat('unsaid', 'a.mp3')).toBeNull();
  const roomier = metered(2 * STEP_BYTES);
  expect(await roomier.put('unsaid', 'a.mp3', chunks(...body))).toEqual({ size: 9 * MEBIBYTE });
  expect(await usedBy('unsaid')).toBe(9 * MEBIBYTE);
});

test('deleting a recording that no longer exists stops it from counting', async () => {
  const usage = createAudioUsage(database, null);
  await (await usage.reserve({ organizationId: 'gone', key: 'a.mp3' }, 30)).keep(30);
  expect(await metered(null).delete('gone', 'a.mp3', 'another version')).toBe(false);
  expect(await usedBy('gone')).toBe(30);
  expect(await metered(null).delete('gone', 'a.mp3')).toBe(false);
  expect(await usedBy('gone')).toBe(0);
});

test('an upload refused for its quota releases its disk space', async () => {
  const disk = createDiskReserve(folder, 50, async () => 100);
  const store = (quota: number) =>
    createMeteredAudioStore(bare, { usage: createAudioUsage(database, quota), disk });
  const put = (quota: number) => store(quota).put('claims', 'a.mp3', chunks(filled(10, 1)), 40);
  await expect(put(5)).rejects.toThrow(QuotaExceeded);
  expect(await put(100)).toEqual({ size: 10 });
});

test('the reservation of a long upload is renewed', async () => {
  const timers = spyOn(globalThis, 'setInterval');
  let now = Date.now();
  const usage = createAudioUsage(database, 100, () => now);
  const store = createMeteredAudioStore(bare, { usage, disk: createDiskReserve(folder, 0) });
  const used = async () => {
    const probe = createAudioUsage(database, 0, () => now);
    const error: unknown = await probe
      .reserve({ organizationId: 'long', key: 'probe.mp3' }, 1)
      .catch((reason: unknown) => reason);
    return (error as QuotaExceeded).used;
  };
  const seen: number[] = [];
  async function* body() {
    const [renew, everyMs] = timers.mock.calls.at(-1) as [() => void, number];
    expect(everyMs).toBeLessThan(10 * 60_000);
    for (let minutes = 0; minutes < 30; minutes += 6) {
      now += 6 * 60_000;
      renew();
      await until(async () => (await used()) === 80);
      seen.push(await used());
    }
    yield filled(80, 1);
  }
  try {
    await store.put('long', 'a.mp3', body(), 80);
  } finally {
    timers.mockRestore();
  }
  expect(seen).toEqual([80, 80, 80, 80, 80]);
});

test('the reserve is compared with the actual free space', async () => {
  const { bavail, bsize } = await statfs(folder);
  await (await createDiskReserve(folder, (bavail * bsize) / 4).claim(1)).grow(1);
  await expect(createDiskReserve(folder, 4 * bavail * bsize).claim(1)).rejects.toThrow(
    DiskReserveReached,
  );
});

test('a truncated body releases its space', async () => {
  async function* broken(): AsyncIterable<Uint8Array> {
    yield filled(10, 1);
    throw new Error('gone');
  }
  await expect(metered(100).put('broken', 'a.mp3', broken(), 90)).rejects.toThrow('gone');
  expect(await usedBy('broken')).toBe(0);
});

test('deleted and expired recordings free space', async () => {
  const store = metered(100);
  await store.put('room', 'a.mp3', chunks(filled(60, 1)), 60);
  await store.put('room', 'b.mp3', chunks(filled(40, 1)), 40);
  expect(await usedBy('room')).toBe(100);
  expect(await store.delete('room', 'a.mp3', 'another version')).toBe(false);
  expect(await usedBy('room')).toBe(100);
  await store.delete('room', 'a.mp3');
  expect(await usedBy('room')).toBe(40);
  await store.expire(Date.now() + 60_000, []);
  expect(await usedBy('room')).toBe(0);
});

test('recordings of an earlier version count once the store is prepared', async () => {
  await bare.put('earlier', 'a.mp3', chunks(filled(70, 1)));
  await database.deleteFrom('audio_usage').execute();
  await metered(100).prepare(0);
  expect(await usedBy('earlier')).toBe(70);
});

test('the reserve counts the remaining bytes of uploads, and exceeding it is an outage', async () => {
  let free = 1000;
  const disk = createDiskReserve(folder, 100, async () => free);
  const first = await disk.claim(500);
  await expect(disk.claim(401)).rejects.toThrow(DiskReserveReached);
  await expect(disk.claim(401)).rejects.toThrow(StorageUnavailable);
  const second = await disk.claim(400);
  // Written bytes are no longer expected: the disk itself accounts for them.
  first.written(500);
  free -= 500;
  await expect(second.grow(1)).rejects.toThrow(DiskReserveReached);
  second.release();
  second.release();
  await (await disk.claim(400)).grow(0);
});

test('the real disk reports its free space', async () => {
  const { claim } = createDiskReserve(join(folder, 'not', 'there', 'yet'), 1);
  (await claim(1)).release();
  await expect(claim(2 ** 60)).rejects.toThrow(DiskReserveReached);
});

test('a joined object counts instead of its parts', async () => {
  const store = metered(150);
  await store.put('joined', 'a', chunks(filled(50, 1)), 50);
  await store.put('joined', 'b', chunks(filled(50, 1)), 50);
  const whole = () => chunks(filled(100, 1));
  await expect(store.put('joined', 'whole.mp3', whole(), 100)).rejects.toThrow(QuotaExceeded);
  expect(await store.put('joined', 'whole.mp3', whole(), 100, ['a', 'b'])).toEqual({ size: 100 });
  await store.delete('joined', 'a');
  await store.delete('joined', 'b');
  expect(await usedBy('joined')).toBe(100);
});
