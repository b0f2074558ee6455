/** Resumable uploads in the database and the store: order, concurrency, quota, expiry, and isolation of workspaces. */
import { describe, expect, spyOn, test } from 'bun:test';
import { join } from 'node:path';
import {
  createAudioUsage,
  QuotaExceeded,
  createMeteredAudioStore,
} from '../../server/storage/audio-usage.ts';
import { createDiskAudioStore } from '../../server/storage/disk-audio.ts';
import { createDiskReserve } from '../../server/storage/disk-reserve.ts';
import {
  createResumableUploads,
  type ResumableUpload,
} from '../../server/storage/resumable-uploads.ts';
import { until } from '../support/servers/client.ts';
import { refusing, sqliteDatabase } from '../support/servers/sqlite-database.ts';
import { audioObjectName } from '../../server/storage/audio.ts';

const { database, folder } = await sqliteDatabase();
const disk = join(folder, 'audio');
const files = createDiskAudioStore(disk);
const audio = createMeteredAudioStore(files, {
  usage: createAudioUsage(database, 35),
  disk: createDiskReserve(disk, 0),
});
let now = 1_000_000;
const uploads = createResumableUploads({ database, audio }, () => now);
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

let count = 0;
const workspace = () => `workspace_${(count += 1)}`;
const create = (organizationId: string, length = 20, most = 5) =>
  uploads.create(
    { organizationId, key: 'talk.mp3', metadata: '', length, expiresAt: now + MINUTE },
    most,
  );
async function* body(...bytes: number[]) {
  yield new Uint8Array(bytes);
}
const accept = (recording: AsyncIterable<Uint8Array>) => recording;
const append = (upload: ResumableUpload, ...bytes: number[]) =>
  uploads.append(upload, body(...bytes), bytes.length, accept);
/** An upload of which all but the last byte have arrived, two bytes in each part. */
async function almost(of: string): Promise<ResumableUpload> {
  let upload = (await create(of, 21))!;
  for (let at = 0; at < 20; at += 2) upload = (await append(upload, at, at + 1)) as ResumableUpload;
  return upload;
}
const objects = async () => (await Array.fromAsync(audio.list())).length;
const stored = async (of: string) =>
  (await Array.fromAsync(audio.read(of, 'talk.mp3'))).flatMap((chunk) => [...chunk]);
const all = Array.from({ length: 21 }, (_, at) => at);

describe('an upload', () => {
  test('joins its parts in order, deletes them, and counts once in the quota', async () => {
    const of = workspace();
    const before = await objects();
    const upload = await almost(of);
    expect(await uploads.countParts(upload.id)).toBe(10);
    expect(await append(upload, 20)).toMatchObject({ received: 21 });
    expect(await stored(of)).toEqual(all);
    expect([await uploads.countParts(upload.id), await objects()]).toEqual([0, before + 1]);
    expect(await uploads.find(of, upload.id)).toMatchObject({ received: 21, length: 21 });
  });

  test('accepts one of two parts for the same offset, and discards the other', async () => {
    const upload = (await create(workspace()))!;
    const before = await objects();
    expect(await append(upload, 1, 2)).toMatchObject({ received: 2 });
    expect(await append(upload, 3, 4)).toBe('moved');
    expect([await uploads.countParts(upload.id), await objects()]).toEqual([1, before + 1]);
  });

  test('that is not a recording can get its last part again', async () => {
    const of = workspace();
    const upload = await almost(of);
    const before = await objects();
    const refuse = async function* (recording: AsyncIterable<Uint8Array>) {
      for await (const chunk of recording) yield chunk;
      throw new Error('it is no MP3');
    };
    await expect(uploads.append(upload, body(20), 1, refuse)).rejects.toThrow('no MP3');
    expect(await audio.stat(of, 'talk.mp3')).toBeNull();
    expect([await uploads.countParts(upload.id), await objects()]).toEqual([10, before]);
    expect(await append(upload, 20)).toMatchObject({ received: 21 });
    expect(await stored(of)).toEqual(all);
  });

  test('is joined by one process at a time; a dead one blocks others for ten seconds', async () => {
    const upload = await almost(workspace());
    const hold = database.updateTable('resumable_uploads').set({ joining_until: now + 10_000 });
    await hold.where('id', '=', upload.id).execute();
    expect(await append(upload, 20)).toBe('busy');
    now += 10_000;
    expect(await append(upload, 20)).toMatchObject({ received: 21 });
    expect(await append(upload, 20)).toBe('moved');
  });

  test('that takes long to join keeps its turn, and survives a database that cannot extend it', async () => {
    const upload = await almost(workspace());
    const timers = spyOn(globalThis, 'setInterval');
    const turn = async () =>
      (
        await database
          .selectFrom('resumable_uploads')
          .select('joining_until')
          .where('id', '=', upload.id)
          .executeTakeFirstOrThrow()
      ).joining_until;
    const slow = async function* (recording: AsyncIterable<Uint8Array>) {
      const [renew, everyMs] = timers.mock.calls.find(([, ms]) => ms === 3000) as [
        () => void,
        number,
      ];
      now += everyMs;
      renew();
      await until(async () => (await turn()) === now + 10_000);
      await refusing(database, 'update of joining_until on resumable_uploads', async () => {
        renew();
        await database.updateTable('resumable_uploads').set({ joining_until: 0 }).execute();
      });
      yield* recording;
    };
    expect(await uploads.append(upload, body(20), 1, slow)).toMatchObject({ received: 21 });
    timers.mockRestore();
    expect(await turn()).toBeNull();
  });

  test('is refused before a byte is read if its largest part exceeds the quota', async () => {
    const upload = (await create(workspace(), 100))!;
    let isRead = false;
    const unread = (async function* () {
      isRead = true;
      yield new Uint8Array(1);
    })();
    await expect(uploads.append(upload, unread, 36, accept)).rejects.toThrow(QuotaExceeded);
    expect(isRead).toBe(false);
  });

  test('keeps the row of a part that cannot be deleted yet', async () => {
    const of = workspace();
    let upload = (await create(of))!;
    for (const at of [0, 2]) upload = (await append(upload, at, at + 1)) as ResumableUpload;
    let first = true;
    const failing = {
      ...audio,
      delete: async (organizationId: string, key: string) => {
        if (first) {
          first = false;
          return audio.delete(organizationId, key);
        }
        await until(async () => (await uploads.countParts(upload.id)) <= 1);
        throw new Error('the store is away');
      },
    };
    const away = createResumableUploads({ database, audio: failing }, () => now);
    await expect(away.discard(upload)).rejects.toThrow('away');
    expect(await uploads.countParts(upload.id)).toBe(1);
    await uploads.discard(upload);
    expect(await uploads.find(of, upload.id)).toBeNull();
  });
});

describe('a workspace', () => {
  test('finds and deletes only its own uploads', async () => {
    const [mine, other] = [workspace(), workspace()];
    const [own, theirs] = [(await create(mine))!, (await create(other))!];
    await append(theirs, 1);
    expect(await uploads.find(other, own.id)).toBeNull();
    await uploads.discardAll(mine);
    expect(await uploads.find(mine, own.id)).toBeNull();
    expect(await uploads.find(other, theirs.id)).toMatchObject({ id: theirs.id, received: 1 });
    expect(await uploads.countParts(theirs.id)).toBe(1);
  });

  test('has a maximum of unfinished, unexpired uploads, whatever others have', async () => {
    const [mine, other] = [workspace(), workspace()];
    const start = now;
    const first = (await create(mine, 1, 2))!;
    expect(await create(mine, 20, 2)).not.toBeNull();
    expect(await create(mine, 20, 2)).toBeNull();
    expect(await create(other, 20, 2)).not.toBeNull();
    await append(first, 1);
    expect(await create(mine, 20, 2)).not.toBeNull();
    expect(await create(mine, 20, 2)).toBeNull();
    now = start + MINUTE;
    expect(await create(mine, 20, 2)).not.toBeNull();
  });
});

test('an expired upload loses its parts immediately, and is remembered for a day', async () => {
  const of = workspace();
  const upload = (await create(of))!;
  await append(upload, 1, 2);
  await uploads.expire();
  expect(await uploads.countParts(upload.id)).toBe(1);
  now += MINUTE;
  const later = (await create(of))!;
  await append(later, 1);
  await uploads.expire();
  expect([await uploads.countParts(upload.id), await uploads.countParts(later.id)]).toEqual([0, 1]);
  expect(await uploads.find(of, upload.id)).not.toBeNull();
  now += DAY - 1;
  await uploads.expire();
  expect(await uploads.find(of, upload.id)).not.toBeNull();
  now += 1;
  await uploads.expire();
  expect(await uploads.find(of, upload.id)).toBeNull();
});

describe('counts and uploads while the database refuses writes', async () => {
  const { database } = await sqliteDatabase();
  let now = 1_000_000;
  const usage = createAudioUsage(database, 100, () => now);
  const name = (key: string) => ({ organizationId: 'org', key });
  const rows = () => database.selectFrom('audio_usage').selectAll().orderBy('id').execute();
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
    expect(await rows()).toMatchObject([{ id: audioObjectName(name('a.mp3')), bytes: 10 }]);
  });
});
