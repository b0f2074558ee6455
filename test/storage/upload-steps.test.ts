/** The steps of storing, counting and deleting: each is over before the next, or fails the whole. */
import { expect, test } from 'bun:test';
import { createLog } from '../../server/log.ts';
import type { AudioStore } from '../../server/storage/audio.ts';
import { createAudioUsage, type AudioUsage } from '../../server/storage/audio-usage.ts';
import { createAuditAnswers } from '../../server/storage/audit-answers.ts';
import { createMeteredAudioStore, STEP_BYTES } from '../../server/storage/metered-audio.ts';
import { recordingsOf } from '../../server/storage/recordings.ts';
import { createResumableRows } from '../../server/storage/resumable-rows.ts';
import { createResumableUploads } from '../../server/storage/resumable-uploads.ts';
import { watchDatabase } from '../support/doubles/watched-database.ts';
import { completedRun, spoken } from '../support/servers/completed-run.ts';
import { refusing, sqliteDatabase } from '../support/servers/sqlite-database.ts';
import { chunks, filled } from './audio-store.suite.ts';

const { database } = await sqliteDatabase();
const soon = () => new Promise(setImmediate);

/** A metered store with a disk and a reservation controlled by the test. */
function metered(grow: () => Promise<void>, release: () => Promise<void>) {
  const nothing = async () => {};
  const reservation = { grow: nothing, renew: nothing, keep: nothing, release };
  const put: AudioStore['put'] = async (_of, _key, body) => {
    for await (const _ of body);
    throw new Error('the store is away');
  };
  const usage = { reserve: async () => reservation } as unknown as AudioUsage;
  const claim = { grow, written() {}, release() {} };
  return createMeteredAudioStore({ put } as unknown as AudioStore, {
    usage,
    disk: { claim: async () => claim },
  });
}

test('an upload that fails releases its space before it is rejected', async () => {
  let isReleased = false;
  const store = metered(soon as () => Promise<void>, async () => {
    await soon();
    isReleased = true;
  });
  const put = store.put('a', 'a.mp3', chunks(filled(1, 1)));
  await expect(put).rejects.toThrow('the store is away');
  expect(isReleased).toBe(true);
});

test('an upload that fails is rejected with its reason, even if its space cannot be released', async () => {
  const store = metered(
    async () => {},
    () => Promise.reject(new Error('the database is away')),
  );
  const put = store.put('a', 'a.mp3', chunks(filled(1, 1)));
  await expect(put).rejects.toThrow('the store is away');
});

test('an upload without space on the disk fails with that error', async () => {
  const full = async () => {
    await soon();
    throw new Error('the disk is full');
  };
  const store = metered(full, async () => {});
  const put = store.put('a', 'a.mp3', chunks(filled(STEP_BYTES + 1, 1)));
  await expect(put).rejects.toThrow('the disk is full');
});

/** Resumable uploads to a store whose deletions take a moment. */
function resumable() {
  const stored = new Set<string>();
  const seen = { underWay: 0, peak: 0 };
  const audio = {
    async put(_of: string, key: string, body: AsyncIterable<Uint8Array>) {
      let size = 0;
      for await (const chunk of body) size += chunk.byteLength;
      stored.add(key);
      return { size };
    },
    async delete(_of: string, key: string) {
      seen.peak = Math.max(seen.peak, (seen.underWay += 1));
      await soon();
      seen.underWay -= 1;
      return stored.delete(key);
    },
  } as unknown as AudioStore;
  const uploads = createResumableUploads({ database, audio });
  const create = (organizationId: string) =>
    uploads.create(
      {
        organizationId,
        key: 'talk.mp3',
        metadata: '',
        length: 100,
        expiresAt: Date.now() + 60_000,
      },
      5,
    );
  const append = (upload: Parameters<typeof uploads.append>[0]) =>
    uploads.append(upload, chunks(filled(1, 1)), 1, (recording) => recording);
  return { stored, seen, uploads, create, append };
}

test('a part that arrives too late is deleted before the upload is rejected', async () => {
  const { stored, create, append } = resumable();
  const upload = (await create('late'))!;
  await append(upload);
  expect(stored.size).toBe(1);
  expect(await append(upload)).toBe('moved');
  expect(stored.size).toBe(1);
});

test('parts are deleted eight at a time, and a row that cannot be deleted is an error', async () => {
  const { seen, uploads, create, append } = resumable();
  let upload = (await create('many'))!;
  for (let at = 0; at < 20; at += 1) upload = (await append(upload)) as typeof upload;
  await refusing(database, 'delete on resumable_parts', () => uploads.discard(upload));
  await uploads.discard(upload);
  expect(seen.peak).toBe(8);
  expect(await uploads.find('many', upload.id)).toBeNull();
});

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

test('runs are read only for recordings without a key, and one row is enough to know that recordings are counted', async () => {
  const usage = createAudioUsage(database, null);
  for (const key of ['a.mp3', 'b.mp3']) {
    const reservation = await usage.reserve({ organizationId: 'named', key }, 1);
    await reservation.keep(1);
  }
  const { database: watched, statements } = watchDatabase(database);
  expect((await recordingsOf(watched, 'named')).keys.toSorted()).toEqual(['a.mp3', 'b.mp3']);
  expect(statements).toEqual(['select audio_usage: 2']);
  statements.length = 0;
  expect(await createAudioUsage(watched, null).isEmpty()).toBe(false);
  expect(statements).toEqual(['select audio_usage: 1']);
});

test('a part that cannot be deleted, or a lease that cannot be released, does not hide the first error', async () => {
  const { uploads } = resumable();
  const away = () => Promise.reject(new Error('the store is away'));
  const audio = {
    put: async (_of: string, key: string, body: AsyncIterable<Uint8Array>) => {
      for await (const _ of body);
      if (key === 'talk.mp3') throw new Error('the recording is invalid');
      return { size: 1 };
    },
    delete: away,
    async *read() {},
  } as unknown as AudioStore;
  const failing = createResumableUploads({ database, audio });
  const whole = { organizationId: 'whole', key: 'talk.mp3', metadata: '', length: 1 };
  const upload = (await uploads.create({ ...whole, expiresAt: Date.now() + 60_000 }, 5))!;
  const turn = 'update of joining_until on resumable_uploads when new.joining_until is null';
  await refusing(database, turn, async () => {
    const made = failing.append(upload, chunks(filled(1, 1)), 1, (recording) => recording);
    await expect(made).rejects.toThrow('the recording is invalid');
    throw new Error('the disk is full');
  });
});

test('an upload whose recording is invalid can be joined again as soon as that is reported', async () => {
  const { database: watched, statements } = watchDatabase(database);
  const audio = {
    put: async (_of: string, key: string) => {
      if (key === 'talk.mp3') throw new Error('the recording is invalid');
      return { size: 1 };
    },
    delete: async () => true,
  } as unknown as AudioStore;
  const uploads = createResumableUploads({ database: watched, audio });
  const whole = { organizationId: 'again', key: 'talk.mp3', metadata: '', length: 1 };
  const upload = (await uploads.create({ ...whole, expiresAt: Date.now() + 60_000 }, 5))!;
  statements.length = 0;
  const seen = await uploads
    .append(upload, chunks(filled(1, 1)), 1, (recording) => recording)
    .catch(() => [...statements]);
  // It takes the lease of the upload, and releases it.
  const turn = 'update resumable_uploads: 0';
  expect(seen).toEqual([turn, 'select resumable_parts: 0', turn]);
});

test('parts are in the order of the recording, whichever was recorded first', async () => {
  const rows = createResumableRows(database, () => 1);
  const upload = { organizationId: 'order', key: 'a.mp3', metadata: '', length: 9, expiresAt: 9 };
  const { id } = (await rows.create(upload, 5))!;
  for (const start of [6, 0, 3]) {
    const part = { upload_id: id, start, key: `part_${start}` };
    await database.insertInto('resumable_parts').values(part).execute();
  }
  expect((await rows.parts(id)).map(({ start }) => start)).toEqual([0, 3, 6]);
});

test('the lease of an upload that has advanced meanwhile is not renewed', async () => {
  const rows = createResumableRows(database, () => 1);
  const upload = { organizationId: 'lease', key: 'a.mp3', metadata: '', length: 9, expiresAt: 9 };
  const seen = (await rows.create(upload, 5))!;
  await rows.addPart(seen, 'part', 4);
  await rows.keepTurn(seen);
  const { joining_until: until } = await database
    .selectFrom('resumable_uploads')
    .select('joining_until')
    .where('id', '=', seen.id)
    .executeTakeFirstOrThrow();
  expect(until).toBeNull();
});
