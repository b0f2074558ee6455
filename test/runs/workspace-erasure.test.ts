/**
 * Erasing a workspace: all of its data, nothing of another, and nothing while a run is in progress.
 */
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { createTerminologyStore } from '../../server/learning/terminology-store.ts';
import { createLog } from '../../server/log.ts';
import { createRunErasure } from '../../server/runs/run-erasure.ts';
import { createRunStore } from '../../server/runs/run-store.ts';
import type { Runs } from '../../server/runs/service.ts';
import { eraseWorkspace } from '../../server/runs/workspace-erasure.ts';
import { createAudioUsage } from '../../server/storage/audio-usage.ts';
import { createDiskAudioStore } from '../../server/storage/disk-audio.ts';
import { createDiskReserve } from '../../server/storage/disk-reserve.ts';
import { createMeteredAudioStore } from '../../server/storage/metered-audio.ts';
import { recordingsOf } from '../../server/storage/recordings.ts';
import { createResumableUploads } from '../../server/storage/resumable-uploads.ts';
import { createWebhookStore } from '../../server/webhooks/webhook-store.ts';
import { refusing, sqliteDatabase } from '../support/servers/sqlite-database.ts';

const { database, folder } = await sqliteDatabase();
const log = createLog('silent');
const disk = join(folder, 'audio');
const audio = createMeteredAudioStore(createDiskAudioStore(disk), {
  usage: createAudioUsage(database, null),
  disk: createDiskReserve(disk, 0),
});
const store = createRunStore(database);
const webhooks = createWebhookStore(database);
const terminology = createTerminologyStore(database);
const uploads = createResumableUploads({ database, audio });
const forgotten: string[] = [];
const queue = { forget: async (id: string) => forgotten.push(id) };
const erasure = createRunErasure({ database, queue, audio, log });
const runs = { list: store.list } as Runs;
const erase = (of: string) => eraseWorkspace({ database, audio, runs, erasure }, of);

const completed = { status: 'completed', metadata: { timingsMs: {} } } as never;
const reached = { stage: null, progress: 1 } as const;
async function* bytes(count: number) {
  yield new Uint8Array(count);
}
async function run(organizationId: string, key = 'talk.mp3') {
  const id = `run_${crypto.randomUUID()}`;
  const payload = { audio: { key } };
  await store.insert({ id, organizationId, keyId: 'key', payload, idempotencyKey: null });
  return id;
}
async function ended(organizationId: string, key?: string) {
  const id = await run(organizationId, key);
  await store.finish(id, 'completed', completed, reached);
  return id;
}
const term = { canonical: 'SCIM', kind: 'acronym', mishears: [], weight: 10 } as const;
const learn = (of: string) =>
  terminology.change(of, (document) => ({
    ...document,
    terms: [{ ...term, mishears: [], source: { kind: 'person', at: 'x' } as never }],
  }));
const begin = (organizationId: string) =>
  uploads.create(
    { organizationId, key: 'big.mp3', metadata: '', length: 30, expiresAt: Date.now() + 60_000 },
    5,
  );
/** Everything that a workspace can have. */
async function filled(of: string) {
  await ended(of);
  await webhooks.create(of, 'key', { url: 'https://a.example/' });
  await learn(of);
  await audio.put(of, 'talk.mp3', bytes(10));
  const upload = (await begin(of))!;
  await uploads.append(upload, bytes(20), 20, (recording) => recording);
  return upload;
}

test('erases everything of one workspace and nothing of another', async () => {
  const mine = await filled('mine');
  const other = await filled('other');
  expect(await erase('mine')).toEqual({
    erased: { runs: 1, recordings: 1, webhooks: 1, terms: true },
    recordingsLeft: 0,
  });
  expect(await store.list('mine', 10, null)).toEqual([]);
  expect(await webhooks.list('mine')).toEqual([]);
  expect((await terminology.get('mine')).version).toBe(0);
  expect(await audio.stat('mine', 'talk.mp3')).toBeNull();
  expect(await uploads.find('mine', mine.id)).toBeNull();
  expect(await store.list('other', 10, null)).toHaveLength(1);
  expect(await webhooks.list('other')).toHaveLength(1);
  expect((await terminology.get('other')).document.terms).toHaveLength(1);
  expect(await audio.stat('other', 'talk.mp3')).not.toBeNull();
  expect(await uploads.countParts(other.id)).toBe(1);
  // No file of the erased workspace is left: the recording and the part of the other one are.
  expect(await Array.fromAsync(audio.list())).toHaveLength(2);
});

test('erases a workspace without anything, and says so', async () => {
  expect(await erase('empty')).toEqual({
    erased: { runs: 0, recordings: 0, webhooks: 0, terms: false },
    recordingsLeft: 0,
  });
});

test.each(['queued', 'running'])('erases nothing while a run is %s', async (state) => {
  const of = `goes on, ${state}`;
  const upload = await filled(of);
  const id = await run(of);
  if (state === 'running') await store.markRunning(id);
  expect(await erase(of)).toBeNull();
  expect(await store.list(of, 10, null)).toHaveLength(2);
  expect(await webhooks.list(of)).toHaveLength(1);
  expect(await uploads.countParts(upload.id)).toBe(1);
  expect(await audio.stat(of, 'talk.mp3')).not.toBeNull();
});

test('is an error if an unfinished upload cannot be erased', async () => {
  await begin('kept_uploads');
  await refusing(database, 'delete on resumable_uploads', () => erase('kept_uploads'));
  expect(await erase('kept_uploads')).not.toBeNull();
});

test('erases more runs than one page, and leaves one that has started meanwhile', async () => {
  for (let at = 0; at < 101; at += 1) await ended('many');
  let late = '';
  const racing = {
    list: async (...asked: Parameters<Runs['list']>) => {
      const page = await store.list(...asked);
      if (asked[3] === 'running') late = await run('many', 'late.mp3');
      return page;
    },
  } as Runs;
  const told = await eraseWorkspace({ database, audio, runs: racing, erasure }, 'many');
  expect(told?.erased.runs).toBe(101);
  expect((await store.list('many', 10, null)).map(({ id }) => id)).toEqual([late]);
  // The steps of a run in progress stay, or it would begin again.
  expect(forgotten).not.toContain(late);
});

test('erases all recordings, however many', async () => {
  for (let at = 0; at < 103; at += 1) await audio.put('library', `${at}.mp3`, bytes(1));
  expect((await erase('library'))?.erased.recordings).toBe(103);
  expect(await recordingsOf(database, 'library')).toEqual({ keys: [], unnamed: 0 });
});

test('finds older recordings through the runs of the workspace, and counts the others', async () => {
  const count = (of: string, key: string) => audio.put(of, key, bytes(5));
  for (const key of ['known.mp3', 'unknown.mp3']) await count('old', key);
  await count('neighbour', 'theirs.mp3');
  // Before 1.2, no key was stored with the count.
  await database.updateTable('audio_usage').set({ key: null }).execute();
  await ended('old', 'known.mp3');
  await ended('neighbour', 'unknown.mp3');
  await ended('neighbour', 'theirs.mp3');
  await uploads.append((await begin('old'))!, bytes(20), 20, (recording) => recording);
  expect(await recordingsOf(database, 'old')).toEqual({ keys: ['known.mp3'], unnamed: 1 });
  expect(await erase('old')).toMatchObject({ erased: { recordings: 1 }, recordingsLeft: 1 });
  expect(await audio.stat('neighbour', 'theirs.mp3')).not.toBeNull();
});

test('finds the key of an older recording once it is uploaded again', async () => {
  await audio.put('again', 'talk.mp3', bytes(5));
  await database.updateTable('audio_usage').set({ key: null }).execute();
  await audio.put('again', 'talk.mp3', bytes(6));
  expect(await recordingsOf(database, 'again')).toEqual({ keys: ['talk.mp3'], unnamed: 0 });
});

test('does not count the reservation of an upload in progress as a recording', async () => {
  await createAudioUsage(database, null).reserve({ organizationId: 'busy', key: 'a.mp3' }, 5);
  expect(await recordingsOf(database, 'busy')).toEqual({ keys: [], unnamed: 0 });
});

test('an erased run deletes all its answers, however many, unless others use them', async () => {
  const [mine, other] = [await ended('answers'), await ended('answers')];
  const keys = Array.from({ length: 501 }, (_, at) => `answer ${String(at).padStart(3, '0')}`);
  const rows = keys.map((key) => ({ key, answer: 'words', created_at: 1 }));
  await database.insertInto('audit_answers').values(rows).execute();
  const links = keys.map((key) => ({ key, run_id: mine }));
  await database.insertInto('audit_answer_runs').values(links).execute();
  const shared = { key: keys[7]!, run_id: other };
  await database.insertInto('audit_answer_runs').values(shared).execute();
  const payload = { audio: { key: 'talk.mp3' } };
  const told = await erasure.erase({ id: mine, organizationId: 'answers', payload });
  expect(told?.erased.modelAnswers).toBe(500);
  const left = await database.selectFrom('audit_answers').select('key').execute();
  expect(left).toEqual([{ key: keys[7]! }]);
});

test('a pending deletion deletes only that version', async () => {
  const id = await ended('owes', 'replaced.mp3');
  await database.updateTable('runs').set({ owed_audio: 'old' }).where('id', '=', id).execute();
  await audio.put('owes', 'replaced.mp3', bytes(7));
  const payload = { audio: { key: 'replaced.mp3' } };
  const told = await erasure.erase({ id, organizationId: 'owes', payload });
  expect(told?.recording).toBe('kept');
  expect(await audio.stat('owes', 'replaced.mp3')).toMatchObject({ size: 7 });
});

test('a run without a pending deletion deletes nothing', async () => {
  const id = await ended('kept', 'kept.mp3');
  await audio.put('kept', 'kept.mp3', bytes(7));
  const asked: unknown[] = [];
  const spied = {
    stat: audio.stat,
    delete: async (...of: unknown[]) => asked.push(of) > 0,
  };
  const erases = createRunErasure({ database, queue, audio: spied, log });
  const payload = { audio: { key: 'kept.mp3' } };
  const told = await erases.erase({ id, organizationId: 'kept', payload });
  expect([told?.recording, asked]).toEqual(['kept', []]);
});
