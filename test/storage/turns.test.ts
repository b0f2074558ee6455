/** Leases of uploads and of periodic work: holder, end, and state after a failure. */
import { describe, expect, test } from 'bun:test';
import { mkdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { AudioStore } from '../../server/storage/audio.ts';
import { createAudioUsage } from '../../server/storage/audio-usage.ts';
import { createDiskAudioStore } from '../../server/storage/disk-audio.ts';
import { createDiskReserve } from '../../server/storage/disk-reserve.ts';
import { tryFileLock } from '../../server/storage/file-lock.ts';
import { createMeteredAudioStore } from '../../server/storage/metered-audio.ts';
import { doIfDue } from '../../server/storage/schedules.ts';
import { claimTemporaryFolder } from '../../server/storage/temporary-folder.ts';
import { sqliteDatabase } from '../support/servers/sqlite-database.ts';

const { database, folder } = await sqliteDatabase();

test('an upload that is renewed leaves the leases of others as they are', async () => {
  let now = 1_000_000;
  const usage = createAudioUsage(database, null, () => now);
  const name = (key: string) => ({ organizationId: 'leases', key });
  const leases = async () =>
    (
      await database
        .selectFrom('audio_usage')
        .select('expires_at')
        .where('id', 'like', 'upload:%')
        .orderBy('bytes')
        .execute()
    ).map(({ expires_at }) => expires_at);
  const first = await usage.reserve(name('a.mp3'), 1);
  const second = await usage.reserve(name('b.mp3'), 2);
  now += 1000;
  await second.renew();
  expect(await leases()).toEqual([1_600_000, 1_601_000]);
  await first.release();
  expect(await leases()).toEqual([1_601_000]);
  await second.keep(2);
  expect(await leases()).toEqual([]);
});

describe('periodic work', () => {
  let done = 0;
  const schedule = (name: string) => ({ name, everyMs: 1000, leaseMs: 500 });
  const tried = (name: string, now: number, work = async () => void (done += 1)) =>
    doIfDue(database, schedule(name), now, work);

  test('is done when it is due, and says whether it was', async () => {
    done = 0;
    expect(await tried('due', 100)).toBe(true);
    expect(await tried('due', 1099)).toBe(false);
    expect(await tried('due', 1100)).toBe(true);
    expect(done).toBe(2);
  });

  test('is not done twice at once, unless the first takes longer than its lease', async () => {
    const during: boolean[] = [];
    await tried('long', 100, async () => {
      during.push(await tried('long', 599));
      during.push(await tried('long', 600));
    });
    expect(during).toEqual([false, true]);
  });

  test('that fails is due again at once', async () => {
    const fails = tried('failing', 100, () => Promise.reject(new Error('it failed')));
    await expect(fails).rejects.toThrow('it failed');
    expect(await tried('failing', 100)).toBe(true);
  });
});

describe('a store', () => {
  const meters = { usage: createAudioUsage(database, null), disk: createDiskReserve(folder, 0) };
  const metered = (prepare: () => Promise<void>) =>
    createMeteredAudioStore({ prepare, async *list() {} } as unknown as AudioStore, meters);

  test('is ready once it is prepared, and not if that fails', async () => {
    let isReady = false;
    await metered(async () => {
      await nextTurn();
      isReady = true;
    }).prepare(0);
    expect(isReady).toBe(true);
    const away = metered(() => Promise.reject(new Error('the bucket is away')));
    await expect(away.prepare(0)).rejects.toThrow('the bucket is away');
  });

  test('on disk lists its recordings, but no files that disappear meanwhile and nothing that is not a file', async () => {
    const own = join(folder, 'listed');
    const disk = createDiskAudioStore(own);
    async function* body() {
      yield new Uint8Array(3);
    }
    await disk.put('org', 'a.mp3', body());
    const [listed] = await Array.fromAsync(disk.list());
    expect(listed).toMatchObject({ size: 3 });
    const objects = dirname(join(own, listed!.name));
    symlinkSync(join(own, 'nothing'), join(objects, 'gone.mp3'));
    mkdirSync(join(objects, 'folder.mp3'));
    expect(await Array.fromAsync(disk.list())).toEqual([listed!]);
  });

  test('on disk fails its check if its folder is there but takes no file', async () => {
    const own = join(folder, 'read-only');
    mkdirSync(own);
    symlinkSync('/proc/self', join(own, 'incoming'));
    await expect(createDiskAudioStore(own).check()).rejects.toThrow('ENOENT');
  });
});

test('a folder of a process frees its locks, its own and those of the dead', async () => {
  const parent = join(folder, 'temporary');
  mkdirSync(join(parent, 'of-the-dead'), { recursive: true });
  const claimed = await claimTemporaryFolder(parent);
  expect(tryFileLock(`${claimed.path}.lock`)).toBeNull();
  for (const free of [join(parent, 'of-the-dead.lock'), join(parent, 'claim.lock')]) {
    const lock = tryFileLock(free);
    expect(lock).not.toBeNull();
    lock?.release();
  }
  await claimed.remove();
});
