/** Rows that a write leaves alone: those of similar recordings, schedules and uploads. */
import { expect, spyOn, test } from 'bun:test';
import { join } from 'node:path';
import type { AudioStore, ListedAudio } from '../../server/storage/audio.ts';
import { objectName } from '../../server/storage/audio-names.ts';
import { createAudioUsage } from '../../server/storage/audio-usage.ts';
import { createDiskAudioStore } from '../../server/storage/disk-audio.ts';
import { createDiskReserve } from '../../server/storage/disk-reserve.ts';
import { createMeteredAudioStore } from '../../server/storage/metered-audio.ts';
import { createResumableUploads } from '../../server/storage/resumable-uploads.ts';
import { doIfDue } from '../../server/storage/schedules.ts';
import { sqliteDatabase } from '../support/servers/sqlite-database.ts';

const { database, folder } = await sqliteDatabase();

test('a recording that no longer exists is not counted; others of its size are', async () => {
  const usage = createAudioUsage(database, null);
  const names = ['a.mp3', 'b.mp3', 'c.mp3'].map((key) => ({ organizationId: 'same', key }));
  for (const name of names) await (await usage.reserve(name, 10)).keep(10);
  async function* listed(): AsyncIterable<ListedAudio> {
    for (const name of names.slice(1)) yield { name: objectName(name), size: 10 };
  }
  await usage.reconcile(listed());
  const rows = await database.selectFrom('audio_usage').select('id').orderBy('id').execute();
  expect(rows.map(({ id }) => id)).toEqual(names.slice(1).map(objectName).toSorted());
});

test('the end of one schedule is not that of another that began at the same instant', async () => {
  const rowOf = (name: string) =>
    database
      .selectFrom('schedules')
      .select(['due_at', 'lease_until'])
      .where('name', '=', name)
      .executeTakeFirstOrThrow();
  const schedule = (name: string) => ({ name, everyMs: 1000, leaseMs: 500 });
  // Another schedule that is due, but that nobody starts.
  await doIfDue(database, { ...schedule('idle'), everyMs: 50 }, 0, async () => {});
  await doIfDue(database, schedule('outer'), 100, async () => {
    await doIfDue(database, schedule('inner'), 100, async () => {});
    expect(await rowOf('outer')).toEqual({ due_at: 100, lease_until: 600 });
    expect(await rowOf('idle')).toEqual({ due_at: 50, lease_until: null });
    expect(await rowOf('inner')).toEqual({ due_at: 1100, lease_until: null });
  });
  expect(await rowOf('outer')).toEqual({ due_at: 1100, lease_until: null });
});

test('a store is prepared, with its time limit for uploads, before it is counted', async () => {
  const asked: unknown[] = [];
  const store = {
    prepare: async (untouchedMs: number) => void asked.push(['prepare', untouchedMs]),
    async *list() {
      asked.push('list');
      yield* [];
    },
  } as unknown as AudioStore;
  await database.deleteFrom('audio_usage').execute();
  const meters = {
    usage: createAudioUsage(database, null),
    disk: createDiskReserve(folder, 0),
  };
  await createMeteredAudioStore(store, meters).prepare(1234);
  expect(asked).toEqual([['prepare', 1234], 'list']);
});

test('while the parts of an upload are joined, its lease is extended every three seconds', async () => {
  let now = 1_000_000;
  const audio = createDiskAudioStore(join(folder, 'audio'));
  const uploads = createResumableUploads({ database, audio }, () => now);
  const timers = spyOn(globalThis, 'setInterval');
  const stopped = spyOn(globalThis, 'clearInterval');
  const turnOf = async (id: string) =>
    (
      await database
        .selectFrom('resumable_uploads')
        .select('joining_until')
        .where('id', '=', id)
        .executeTakeFirstOrThrow()
    ).joining_until;
  const upload = (await uploads.create(
    { organizationId: 'org', key: 'a.mp3', metadata: '', length: 1, expiresAt: now + 1000 },
    1,
  ))!;
  expect(await uploads.find('org', upload.id)).toEqual(upload);
  expect(upload).toEqual({
    id: upload.id,
    organizationId: 'org',
    key: 'a.mp3',
    metadata: '',
    length: 1,
    received: 0,
    expiresAt: 1_001_000,
  });
  const turns: (number | null)[] = [];
  async function* byte() {
    yield new Uint8Array(1);
  }
  async function* checked(recording: AsyncIterable<Uint8Array>) {
    turns.push(await turnOf(upload.id));
    now += 3000;
    const [renew] = timers.mock.calls.findLast(([, ms]) => ms === 3000) ?? [];
    (renew as () => void)();
    for (let looks = 0; looks < 100 && turns.length < 2; looks += 1) {
      const turn = await turnOf(upload.id);
      if (turn !== turns[0]) turns.push(turn);
    }
    yield* recording;
  }
  expect(await uploads.append(upload, byte(), 1, checked)).toMatchObject({ received: 1 });
  expect(turns).toEqual([1_010_000, 1_013_000]);
  const at = timers.mock.calls.findLastIndex(([, ms]) => ms === 3000);
  const timer: unknown = timers.mock.results[at]?.value;
  expect(stopped.mock.calls.map(([one]): unknown => one)).toContain(timer);
  timers.mockRestore();
  stopped.mockRestore();
});
