/** Erasure of a run and of a workspace, in steps, and the deletions that are still to be done. */
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { sql } from 'kysely';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { idleTranslations } from '../support/doubles/translations.ts';
import { isPostgres } from '../../server/storage/locations.ts';
import { reviewValues } from '../learning/documents.ts';
import { createTerminologyStore } from '../../server/learning/terminology-store.ts';
import { createLog } from '../../server/base/log.ts';
import { openQueue, prepareQueue } from '../../server/runs/queue/openworkflow-queue.ts';
import { retryDeletions } from '../../server/runs/pending-deletions.ts';
import { createReviewComments } from '../../server/reviews/review-comments.ts';
import { createReviewLinks } from '../../server/reviews/review-links.ts';
import { createRunErasure, eraseWorkspace } from '../../server/runs/run-erasure.ts';
import { createRunQueries } from '../../server/runs/store/run-queries.ts';
import { createRunStore } from '../../server/runs/store/run-store.ts';
import type { Runs } from '../../server/runs/service.ts';
import {
  createAudioUsage,
  createMeteredAudioStore,
  recordingsOf,
} from '../../server/storage/audio-usage.ts';
import { createAuditAnswers } from '../../server/storage/audit-answers.ts';
import type { Database } from '../../server/storage/database.ts';
import { createDiskAudioStore } from '../../server/storage/disk-audio.ts';
import { createDiskReserve } from '../../server/storage/disk-reserve.ts';
import { createResumableUploads } from '../../server/storage/resumable-uploads.ts';
import { createVoiceStore } from '../../server/voices/voice-store.ts';
import { createWebhookStore } from '../../server/webhooks/webhook-store.ts';
import { watchDatabase } from '../support/doubles/watched-database.ts';
import { until } from '../support/servers/client.ts';
import { completedRun, spoken } from '../support/servers/completed-run.ts';
import { onEachDatabase } from '../support/servers/databases.ts';
import { moderationEvent, newWorkspace } from '../support/servers/run-rows.ts';
import { removeFolder, temporaryFolder } from '../support/servers/server-process.ts';
import { refusing, sqliteDatabase } from '../support/servers/sqlite-database.ts';

setDefaultTimeout(300000);

const SECRET = 'Zanzibarium';
const folder = await temporaryFolder();
afterAll(() => removeFolder(folder));
const lines: string[] = [];
const log = createLog('debug', (line) => void lines.push(line));

/** A voiceprint as long as a real one, of numbers that stand nowhere else. */
const printOf = (word: string): number[] => Array(192).fill(Number(`0.${word.length}73106`));

/** All rows of all tables as text; in PostgreSQL also those of openworkflow. */
async function everything(database: Database): Promise<string> {
  const tables = await database.introspection.getTables();
  const rows = await Promise.all(
    tables.map(({ schema, name }) =>
      sql`select * from ${schema ? sql.id(schema, name) : sql.id(name)}`.execute(database),
    ),
  );
  return JSON.stringify(rows.map((each) => each.rows));
}

await onEachDatabase((title, database, url) => {
  describe(title, () => {
    const stored = new Map<string, string>();
    let refuses = false;
    const audio = {
      stat: async (_of: string, key: string) =>
        stored.has(key) ? { size: 1, version: stored.get(key)! } : null,
      delete: async (_of: string, key: string, version?: string) => {
        if (refuses) throw new Error('the bucket does not answer');
        return stored.get(key) === version && stored.delete(key);
      },
    };
    const location = isPostgres(url) ? url : join(folder, 'runs.sqlite');
    const opened = prepareQueue(location).then(() => openQueue(location, log));
    afterAll(async () => (await opened).stop(0));
    const erasing = async () =>
      createRunErasure({
        database,
        queue: await opened,
        audio,
        translations: idleTranslations(database),
        events: { publish() {} },
        log,
      });
    const answers = createAuditAnswers(database, { ttlMs: 60_000, log });

    /** A run with all data that one can have, all containing the same word. */
    async function fullRun(organizationId: string, word: string) {
      const run = await completedRun(database, organizationId, spoken(`We met ${word} today.`));
      const { runId, cues } = run;
      await database
        .updateTable('runs')
        .set({ payload: JSON.stringify({ audio: { key: `${word}.mp3` }, topic: word }) })
        .where('id', '=', runId)
        .execute();
      await createWebhookStore(database).create(organizationId, 'key', {
        url: 'https://a.example',
      });
      const review = { cues, decisions: [], speakers: [], finished: false };
      const id = { id: runId, organizationId };
      await reviewValues(database).save(id, { ...review, note: word } as never, 'none');
      await database
        .insertInto('rule_changes')
        .values({
          run_id: runId,
          correction_id: 'c1',
          organization_id: organizationId,
          rule_id: 'r',
          start: 0,
          before: word,
          after: word,
        })
        .execute();
      await database.insertInto('moderation_events').values(moderationEvent(runId, word)).execute();
      await answers.set(`own ${runId}`, word, runId);
      await createReviewLinks(database, () => `${word} ${runId}`).create(id, word, {
        right: 'edit',
      });
      await createReviewComments(database).add(id, null, { name: word, at: 1, text: word });
      const voices = createVoiceStore(database);
      await voices.switch(organizationId, true);
      const voice = { speaker: '0', print: printOf(word), seconds: 20 };
      await voices.note(id, { model: 'one', voices: [voice] });
      await voices.name(id, new Map([['0', word]]));
      return { ...run, run: { ...id, payload: { audio: { key: `${word}.mp3` } } } };
    }

    test('leaves nothing of it, reports what there was, and affects no other run', async () => {
      const mine = await fullRun('erasing', SECRET);
      const other = await fullRun('erasing', 'Somebody');
      await answers.set('shared', 'of both', mine.runId);
      await answers.get('shared', other.runId);
      const queue = await opened;
      let steps = 0;
      await queue.work(2, async ({ runId }, { run }) => {
        for (const name of ['heard', 'audit']) {
          await run(name, async () => (runId === mine.runId ? SECRET : 'Somebody').repeat(2000));
        }
        steps += 2;
      });
      await queue.start({ runId: mine.runId }, 0);
      await queue.start({ runId: other.runId }, 1);
      queue.wake();
      await until(async () => steps === 4);

      const { erase } = await erasing();
      const told = await erase(mine.run);
      expect(told).toEqual({
        runId: mine.runId,
        erased: {
          result: true,
          review: true,
          moderationEvents: 1,
          // Of the review and of the comment. Both webhooks existed for those of the other run, but only
          // one for these.
          webhookDeliveries: 2,
          modelAnswers: 1,
          steps: 2,
        },
        recording: 'none',
      });
      const logged = lines.filter((line) => line.includes('run_erased')).join('\n');
      expect(logged).toContain(mine.runId);
      expect(logged).not.toContain(SECRET);
      const left = await everything(database);
      expect(left).not.toContain(SECRET);
      // The queue finishes a run slightly after its last step.
      if (!isPostgres(url)) expect(left).not.toContain(mine.runId);
      expect(left.split('Somebody').length).toBeGreaterThan(5);
      expect(await answers.get('shared', other.runId)).toBe('of both');
      // A second request finds nothing, and the shared answer is deleted with its last run.
      expect(await erase(mine.run)).toBeNull();
      for (const path of isPostgres(url) ? [] : [url, location]) {
        for (const file of [path, `${path}-wal`]) {
          const bytes = await readFile(file);
          for (const secret of [SECRET, String(printOf(SECRET))]) {
            expect([file, bytes.includes(secret)]).toEqual([file, false]);
          }
        }
      }
      expect((await erase(other.run))?.erased).toMatchObject({ modelAnswers: 2, steps: 2 });
      expect(lines.join('')).not.toContain(SECRET);
    });

    test('a run in progress, or of another workspace, is not erased', async () => {
      const { run, runId } = await fullRun('going', 'Elsewhere');
      const { erase } = await erasing();
      expect(await erase({ ...run, organizationId: 'strangers' })).toBeNull();
      await database
        .updateTable('runs')
        .set({ finished_at: null })
        .where('id', '=', runId)
        .execute();
      expect(await erase(run)).toBeNull();
      expect(await answers.get(`own ${runId}`, runId)).toBe('Elsewhere');
    });

    test('a pending deletion is made first; if it fails, the run stays', async () => {
      const { run, runId } = await fullRun('owing', 'Owed');
      const owe = database.updateTable('runs').set({ owed_audio: 'v1' });
      await owe.where('id', '=', runId).execute();
      stored.set('Owed.mp3', 'v1');
      const { erase } = await erasing();
      refuses = true;
      await expect(erase(run)).rejects.toThrow('does not answer');
      refuses = false;
      expect(await everything(database)).toContain(runId);
      expect(await erase(run)).toMatchObject({ recording: 'none' });
      expect(stored.size).toBe(0);
    });

    test('a run without a review or answers reports that; unassigned answers stay until they expire', async () => {
      const { runId } = await completedRun(database, 'plain', spoken('We met nobody today.'));
      const { run: full } = await fullRun('plain', 'Anybody');
      const unassigned = { key: `nobody ${title}`, answer: '{}', created_at: 1 };
      await database.insertInto('audit_answers').values(unassigned).execute();
      const { erase } = await erasing();
      const nothing = { moderationEvents: 0, webhookDeliveries: 0, modelAnswers: 0, steps: 0 };
      expect((await erase({ ...full, id: runId }))?.erased).toEqual({
        result: true,
        review: false,
        ...nothing,
      });
      // Requested twice at the same time, it is erased once.
      const outcomes = await Promise.all([erase(full), erase(full)]);
      expect(outcomes.flatMap((told) => told?.erased.modelAnswers ?? [])).toEqual([1]);
      expect(await erase(full)).toBeNull();
      const left = await database.selectFrom('audit_answers').select('key').execute();
      expect(left).toContainEqual({ key: `nobody ${title}` });
    });

    test('if two runs sharing an answer are erased simultaneously, the answer is deleted', async () => {
      const [one, two] = [await fullRun('pair', 'Left'), await fullRun('pair', 'Right')];
      await answers.set('common', 'of both', one.runId);
      await answers.get('common', two.runId);
      const { erase } = await erasing();
      await Promise.all([erase(one.run), erase(two.run)]);
      const row = database.selectFrom('audit_answers').select('key').where('key', '=', 'common');
      expect(await row.execute()).toEqual([]);
    });
  });
});

describe('erasing a workspace', async () => {
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
  const queue = { forget: async (id: string) => forgotten.push(id), forgetDeleted: async () => {} };
  const translations = idleTranslations(database);
  const events = { publish() {} };
  const parts = { database, queue, audio, translations, events, log };
  const erasure = createRunErasure(parts);
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
  const source = { kind: 'person', at: 'x' };
  const term = { canonical: 'SCIM', kind: 'acronym', mishears: [], weight: 10, source } as never;
  const learn = (of: string) =>
    terminology.change(of, (document) => ({ ...document, terms: [term] }));
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

  test('finds the key of an older recording once it is uploaded again, and counts no upload in progress', async () => {
    await audio.put('again', 'talk.mp3', bytes(5));
    await database.updateTable('audio_usage').set({ key: null }).execute();
    await audio.put('again', 'talk.mp3', bytes(6));
    await createAudioUsage(database, null).reserve({ organizationId: 'again', key: 'a.mp3' }, 5);
    expect(await recordingsOf(database, 'again')).toEqual({ keys: ['talk.mp3'], unnamed: 0 });
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

  test('a pending deletion deletes only that version; without one nothing is deleted', async () => {
    const asked: unknown[] = [];
    const spied = {
      stat: audio.stat,
      delete: async (...of: Parameters<typeof audio.delete>) => {
        asked.push(of.slice(1));
        return audio.delete(...of);
      },
    };
    const { erase } = createRunErasure({ ...parts, audio: spied });
    const payload = { audio: { key: 'replaced.mp3' } };
    for (const version of ['old', null]) {
      const id = await ended('owes', 'replaced.mp3');
      const owe = database.updateTable('runs').set({ owed_audio: version });
      await owe.where('id', '=', id).execute();
      await audio.put('owes', 'replaced.mp3', bytes(7));
      expect((await erase({ id, organizationId: 'owes', payload }))?.recording).toBe('kept');
    }
    expect(asked).toEqual([['replaced.mp3', 'old']]);
    expect(await audio.stat('owes', 'replaced.mp3')).toMatchObject({ size: 7 });
  });
});

test('runs are deleted together with their events or not at all', async () => {
  const { database } = await sqliteDatabase();
  const { runId } = await completedRun(database, newWorkspace(), spoken('Gone.'));
  await database.updateTable('runs').set({ finished_at: 500 }).execute();
  await database.insertInto('moderation_events').values(moderationEvent(runId)).execute();
  const queries = createRunQueries(database);
  await refusing(database, 'delete on runs', () => queries.forget(1000));
  const events = () => database.selectFrom('moderation_events').select('id').execute();
  expect(await events()).toEqual([{ id: `mod_${runId}` }]);
  expect(await queries.forget(1000)).toBe(1);
  expect(await events()).toEqual([]);
});

describe('recordings of ended runs that are still to be deleted, on each database', async () => {
  const log = createLog('silent');
  const reported = { key: 'talk.mp3', policy: 'delete_after_use', cleanupPhase: 'success' };

  await onEachDatabase((name, database) => {
    const store = createRunStore(database);
    /** An ended run whose result reports this about its recording, of which a version is to be deleted. */
    async function ended(of: string, status: string | null, version: string | null = 'v1') {
      const id = `run_${crypto.randomUUID()}`;
      const payload = { audio: { key: 'talk.mp3' } };
      await store.insert({ id, organizationId: of, keyId: 'k', payload, idempotencyKey: null });
      const sourceAudio = { ...reported, status, reason: 'later', error: 'EIO' };
      const metadata = { timingsMs: {}, ...(status && { storage: { sourceAudio } }) };
      const result = { status: 'completed', metadata } as never;
      await store.finish(id, 'completed', result, { stage: null, progress: 1 }, version);
      const told = async () => JSON.parse((await store.result(id))!).metadata.storage?.sourceAudio;
      const owed = database.selectFrom('runs').select('owed_audio').where('id', '=', id);
      return { id, told, owed: async () => (await owed.executeTakeFirstOrThrow()).owed_audio };
    }
    /** A store that fails as often, or for a workspace, and then deletes what it has of the version. */
    function recordings(failures: number | string, deletes: boolean, isThere = false) {
      const asked: unknown[][] = [];
      return {
        asked,
        delete: async (...what: unknown[]) => {
          asked.push(what);
          const fails = typeof failures === 'string' ? what[0] === failures : failures-- > 0;
          if (fails) throw new Error('it is away');
          return deletes;
        },
        stat: async () => (isThere ? { size: 1, version: 'newer' } : null),
      };
    }
    const retry = (audio: ReturnType<typeof recordings>) => retryDeletions(database, audio, log);

    describe(`in ${name}`, () => {
      test('a pending deletion is retried until it succeeds, and the result reports it', async () => {
        const { told } = await ended('patient', 'failed');
        // A second upload after the deletion does not change the report.
        const audio = recordings(2, true, true);
        expect([await retry(audio), await retry(audio)]).toEqual([0, 0]);
        expect((await told()).status).toBe('failed');
        expect(await retry(audio)).toBe(1);
        expect(audio.asked).toEqual([1, 2, 3].map(() => ['patient', 'talk.mp3', 'v1']));
        const reason = 'It was deleted after the run had ended.';
        expect(await told()).toEqual({ ...reported, status: 'deleted', reason });
        expect([await retry(audio), audio.asked.length]).toEqual([0, 3]);
      });

      test.each<[string, string | null, boolean, string | undefined]>([
        ['a newer upload is kept, and reported', 'failed', true, 'skipped'],
        ['a recording already gone is reported as deleted', 'failed', false, 'deleted'],
        ['one that stayed with its run', 'retained', false, 'deleted'],
        ['a result that reports neither stays', 'skipped', false, 'skipped'],
        ['a result that reports nothing stays', null, false, undefined],
      ])('%s', async (_, before, isThere, after) => {
        const one = await ended('one', before);
        const kept = await ended('one', 'failed', null);
        const text = await store.result(kept.id);
        expect(await retry(recordings(0, false, isThere))).toBe(1);
        expect([(await one.told())?.status, await one.owed()]).toEqual([after, null]);
        expect(await store.result(kept.id)).toBe(text);
      });

      test('a completed deletion does not affect other runs and their pending deletions', async () => {
        const [mine, other] = [await ended('mine', 'failed'), await ended('other', 'failed')];
        expect(await retry(recordings('other', true))).toBe(1);
        expect([await mine.owed(), await other.owed()]).toEqual([null, 'v1']);
        expect((await other.told()).status).toBe('failed');
        expect(await retry(recordings(0, true))).toBe(1);
      });

      test('a deletion that another process has recorded meanwhile is recorded once', async () => {
        const { id } = await ended('meanwhile', 'failed');
        let looks = 0;
        const { database: watched } = watchDatabase(database, async (statement) => {
          if (statement !== 'select runs: 1' || (looks += 1) < 2) return;
          const run = database.updateTable('runs').where('id', '=', id);
          await run.set({ owed_audio: null }).execute();
        });
        const before = await store.result(id);
        expect(await retryDeletions(watched, recordings(0, true), log)).toBe(1);
        expect(await store.result(id)).toBe(before);
      });

      test('a hundred are tried in one pass, and those that always fail do not block others', async () => {
        for (let at = 0; at < 100; at += 1) await ended('stuck', null);
        await ended('free', null);
        const audio = recordings('stuck', true);
        let done = await retry(audio);
        expect(audio.asked).toHaveLength(100);
        // A pass leaves out one of the 101: that it is the same one five times has a chance of 1e-10.
        for (let pass = 0; pass < 4; pass += 1) done += await retry(audio);
        expect(done).toBe(1);
        await database.updateTable('runs').set({ owed_audio: null }).execute();
      });
    });
  });
});
