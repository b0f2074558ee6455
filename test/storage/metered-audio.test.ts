/** A store with its quotas, on a real disk and a real database: its refusals, and that they leave nothing behind. */
import { afterAll, describe, expect, setDefaultTimeout, spyOn, test } from 'bun:test';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createLog } from '../../server/base/log.ts';
import {
  createAudioUsage,
  QuotaExceeded,
  createMeteredAudioStore,
} from '../../server/storage/audio-usage.ts';
import { type ListedAudio, audioObjectName } from '../../server/storage/audio.ts';
import { createAuditAnswers } from '../../server/storage/audit-answers.ts';
import { migrateDatabase, openDatabase } from '../../server/storage/database.ts';
import { createDiskAudioStore } from '../../server/storage/disk-audio.ts';
import { createDiskReserve, DiskReserveReached } from '../../server/storage/disk-reserve.ts';
import { until } from '../support/servers/client.ts';
import { completedRun, spoken } from '../support/servers/completed-run.ts';
import { onEachDatabase } from '../support/servers/databases.ts';
import { removeFolder, temporaryFolder } from '../support/servers/server-process.ts';
import { refusing, sqliteDatabase } from '../support/servers/sqlite-database.ts';
import { audioStoreSuite, chunks, filled } from './audio-store.suite.ts';

setDefaultTimeout(300000);

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
/** The bytes of a workspace that count, as a refusal reports them. */
const usedBy = async (organizationId: string, at = Date.now, of = database): Promise<number> => {
  const probe = createAudioUsage(of, 0, at).reserve({ organizationId, key: 'probe.mp3' }, 1);
  const error: unknown = await probe.catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(QuotaExceeded);
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
  const store = metered(8 * 2 ** 20 + 5 * MEBIBYTE);
  const body = Array.from({ length: 9 }, () => filled(MEBIBYTE, 1));
  await expect(store.put('unsaid', 'a.mp3', chunks(...body))).rejects.toThrow(QuotaExceeded);
  expect([await usedBy('unsaid'), await parts()]).toEqual([0, 0]);
  expect(await store.stat('unsaid', 'a.mp3')).toBeNull();
  const roomier = metered(2 * (8 * 2 ** 20));
  expect(await roomier.put('unsaid', 'a.mp3', chunks(...body))).toEqual({ size: 9 * MEBIBYTE });
  expect(await usedBy('unsaid')).toBe(9 * MEBIBYTE);
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
  const used = () => usedBy('long', () => now);
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

describe('the quota for the recordings of workspaces, on each database', async () => {
  const name = (organizationId: string, key: string) => ({ organizationId, key });
  async function* listed(...objects: ListedAudio[]): AsyncIterable<ListedAudio> {
    yield* objects;
  }

  await onEachDatabase((title, database, url) => {
    describe(title, () => {
      let now = 1_000_000;
      const usage = createAudioUsage(database, 100, () => now);
      const used = (organization: string) => usedBy(organization, () => now, database);

      test('an upload counts from the first byte, then with its size, until it is deleted', async () => {
        const upload = await usage.reserve(name('one', 'a.mp3'), 60);
        expect(await used('one')).toBe(60);
        await upload.keep(40);
        expect(await used('one')).toBe(40);
        expect(await used('another')).toBe(0);
        await usage.forget(name('one', 'a.mp3'));
        expect(await used('one')).toBe(0);
      });

      test('exactly the quota is allowed, one byte more is not', async () => {
        const upload = await usage.reserve(name('exact', 'a.mp3'), 100);
        await expect(usage.reserve(name('exact', 'b.mp3'), 1)).rejects.toThrow(QuotaExceeded);
        await expect(upload.grow(101)).rejects.toMatchObject({ quota: 100, used: 0 });
        expect(await used('exact')).toBe(100);
        await upload.release();
        expect(await used('exact')).toBe(0);
      });

      test('a replaced recording is not counted twice, but counts until it is replaced', async () => {
        await (await usage.reserve(name('swap', 'a.mp3'), 80)).keep(80);
        const again = await usage.reserve(name('swap', 'a.mp3'), 90);
        await expect(usage.reserve(name('swap', 'b.mp3'), 15)).rejects.toThrow(QuotaExceeded);
        await again.release();
        expect(await used('swap')).toBe(80);
        await (await usage.reserve(name('swap', 'a.mp3'), 100)).keep(70);
        expect(await used('swap')).toBe(70);
      });

      test('of 40 simultaneous uploads over several connections, as many succeed as fit', async () => {
        const use = { answersRequests: true };
        const others = [openDatabase(url, use), openDatabase(url, use)];
        afterAll(() => Promise.all(others.map((other) => other.destroy())));
        const all = [database, ...others].map((each) => createAudioUsage(each, 100, () => now));
        const asked = await Promise.allSettled(
          Array.from({ length: 40 }, (_, at) =>
            all[at % all.length]?.reserve(name('race', `${at}.mp3`), 9),
          ),
        );
        const refused = asked.filter((each) => each.status === 'rejected');
        expect(refused.length).toBe(29);
        for (const { reason } of refused) expect(reason).toBeInstanceOf(QuotaExceeded);
        expect(await used('race')).toBe(99);
      });

      test('an upload of a dead process stops counting after ten minutes, one in progress does not', async () => {
        await usage.reserve(name('crash', 'dead.mp3'), 50);
        const alive = await usage.reserve(name('crash', 'alive.mp3'), 50);
        now += 599_000;
        await alive.renew();
        expect(await used('crash')).toBe(100);
        now += 2000;
        expect(await used('crash')).toBe(50);
      });

      test('the count is corrected to match the store', async () => {
        await (await usage.reserve(name('drift', 'gone.mp3'), 30)).keep(30);
        await (await usage.reserve(name('drift', 'wrong.mp3'), 20)).keep(20);
        const underWay = await usage.reserve(name('drift', 'coming.mp3'), 5);
        await usage.reconcile(
          listed(
            { name: audioObjectName(name('drift', 'wrong.mp3')), size: 25 },
            { name: audioObjectName(name('drift', 'new.mp3')), size: 40 },
            { name: 'objects/somebody/elses.mp3', size: 1000 },
            { name: `copy/${audioObjectName(name('drift', 'copied.mp3'))}`, size: 1000 },
            { name: `${audioObjectName(name('drift', 'copied.mp3'))}.bak`, size: 1000 },
          ),
        );
        expect(await used('drift')).toBe(70);
        await underWay.release();
        expect(await used('drift')).toBe(65);
        expect(await usage.isEmpty()).toBe(false);
        await usage.reconcile(listed());
        expect(await used('drift')).toBe(0);
      });

      test('a recording that is replaced while the store is listed keeps counting', async () => {
        await (await usage.reserve(name('relist', 'a.mp3'), 10)).keep(10);
        async function* listing() {
          await (await usage.reserve(name('relist', 'a.mp3'), 25)).keep(25);
          yield* [];
        }
        await usage.reconcile(listing());
        expect(await used('relist')).toBe(25);
        await usage.reconcile(listed());
        expect(await used('relist')).toBe(0);
      });
    });
  });
});

describe('the reserve of a disk', () => {
  const reserveOf = (free: number) => createDiskReserve('/nowhere', 10, async () => free);

  test('leaves exactly the reserve, and counts what others have claimed', async () => {
    const disk = reserveOf(100);
    const claim = await disk.claim(90);
    await expect(disk.claim(1)).rejects.toThrow(DiskReserveReached);
    await expect(claim.grow(1)).rejects.toThrow(DiskReserveReached);
    claim.written(40);
    // The refused claims have left nothing behind.
    const other = await disk.claim(40);
    await expect(disk.claim(1)).rejects.toThrow(DiskReserveReached);
    other.release();
    other.release();
    claim.release();
    expect(await disk.claim(90)).toBeDefined();
    await expect(disk.claim(1)).rejects.toThrow(DiskReserveReached);
  });
});

describe('the steps of storing, counting and deleting', async () => {
  const { database } = await sqliteDatabase();
  test('a cached answer that cannot be recorded for another run is not used for it', async () => {
    let text = '';
    const log = createLog('debug', (line) => void (text += line));
    const [one, other] = [
      await completedRun(database, 'answers', spoken('One.')),
      await completedRun(database, 'answers', spoken('Another.')),
    ];
    const answers = createAuditAnswers(database, { ttlMs: 60_000, log });
    await answers.set('shared', '{}', one.runId);
    await refusing(database, 'insert on audit_answer_runs', async () => {
      expect(await answers.get('shared', other.runId)).toBeNull();
      expect(text).toContain('audit_answer_not_read');
      throw new Error('the disk is full');
    });
    expect(await answers.get('shared', other.runId)).toBe('{}');
  });
});
