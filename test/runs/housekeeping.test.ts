/** Housekeeping with a real disk and a real database: the data it deletes, and the data it keeps. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { doIfDue, startHousekeeping } from '../../server/runs/housekeeping.ts';
import { recordEvent } from '../../server/storage/workspace-audit.ts';
import { setRetention } from '../../server/runs/retention.ts';
import { setOwnerLimit } from '../../server/storage/owner-limits.ts';
import { keepSound } from '../../server/storage/run-media.ts';
import { openDatabase } from '../../server/storage/database.ts';
import { createAuditAnswers } from '../../server/storage/audit-answers.ts';
import { createResumableUploads } from '../../server/storage/resumable-uploads.ts';
import { createWebhookStore, queueEvent } from '../../server/webhooks/webhook-store.ts';
import { chunks, filled } from '../storage/audio-store.suite.ts';
import { onEachDatabase } from '../support/servers/databases.ts';
import { readConfig } from '../../server/config/config.ts';
import { createLog } from '../../server/base/log.ts';
import type { RunQueue } from '../../server/runs/queue/queue.ts';
import { createRunStore } from '../../server/runs/store/run-store.ts';
import { createRunQueries } from '../../server/runs/store/run-queries.ts';
import type { Runs } from '../../server/runs/service.ts';
import { createDiskAudioStore } from '../../server/storage/disk-audio.ts';
import { sqliteDatabase } from '../support/servers/sqlite-database.ts';

setDefaultTimeout(300000);

type HousekeepingServices = Parameters<typeof startHousekeeping>[1];

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const lifetimes = readConfig({});

/** Everything that housekeeping works on; the run queue is a double that records its calls. */
async function house() {
  const { database, folder } = await sqliteDatabase();
  const audioDir = join(folder, 'audio');
  const audio = createDiskAudioStore(audioDir);
  await audio.prepare(0);
  let log = '';
  const asked = { prune: [] as number[], recover: [] as number[], erased: [] as string[] };
  const services: HousekeepingServices = {
    database,
    audio,
    queries: createRunQueries(database),
    queue: {
      prune: async (before: number) => asked.prune.push(before),
    } as unknown as RunQueue,
    runs: {
      recover: async (before: number) => void asked.recover.push(before),
    } as unknown as Runs,
    captionSearch: { prepare: async () => 0 },
    erasure: {
      erase: async ({ id }) => {
        asked.erased.push(id);
        return null;
      },
      forgetDeleted: async () => {},
      eraseTranslations: async () => true,
    },
    log: createLog('debug', (line) => void (log += line)),
  };
  const store = createRunStore(database);
  return {
    database,
    audio,
    audioDir,
    services,
    store,
    asked,
    log: () => log,
    /** One complete round. */
    round: (more: Partial<HousekeepingServices> = {}, of = lifetimes) =>
      startHousekeeping(of, { ...services, ...more }).stop(),
    /** Stores a recording with this age. */
    async record(key: string, ageMs: number) {
      const before = new Set((await Array.fromAsync(audio.list())).map(({ name }) => name));
      await audio.put('org', key, chunks(filled(10, 1)));
      const listed = await Array.fromAsync(audio.list());
      const name = listed.find((one) => !before.has(one.name))?.name ?? '';
      const at = new Date(Date.now() - ageMs);
      await utimes(join(audioDir, name), at, at);
    },
    async run(id: string, key: string, endedMsAgo: number | null) {
      const payload = { audio: { key } } as never;
      await store.insert({
        id,
        organizationId: 'org',
        keyId: 'key',
        payload,
        idempotencyKey: null,
      });
      if (endedMsAgo === null) return;
      const result = { status: 'completed', metadata: { timingsMs: {} } } as never;
      await store.finish(id, 'completed', result, { stage: 'captioning', progress: 1 });
      const finished_at = Date.now() - endedMsAgo;
      await database.updateTable('runs').set({ finished_at }).where('id', '=', id).execute();
    },
  };
}

test('recordings are deleted after seven days, even those of ended runs; those of open runs stay', async () => {
  const { record, run, round, audio, store } = await house();
  await record('old.mp3', 7 * DAY_MS + MINUTE_MS);
  await record('young.mp3', 7 * DAY_MS - MINUTE_MS);
  await record('open.mp3', 9 * DAY_MS);
  await record('retained.mp3', 9 * DAY_MS);
  await run('run_open', 'open.mp3', null);
  await run('run_ended', 'retained.mp3', 8 * DAY_MS);
  await round();
  const left = await Promise.all(
    ['old', 'young', 'open', 'retained'].map(async (name) =>
      (await audio.stat('org', `${name}.mp3`)) ? name : null,
    ),
  );
  expect(left).toEqual([null, 'young', 'open', null]);
  expect(await store.getSummary('run_ended')).not.toBeNull();
});

test('runs are erased earlier where the workspace says so, and its record does not grow forever', async () => {
  const { run, round, database, asked } = await house();
  await run('run_old', 'a.mp3', 14 * DAY_MS + MINUTE_MS);
  await run('run_young', 'a.mp3', 14 * DAY_MS - MINUTE_MS);
  await run('run_open', 'a.mp3', null);
  await round();
  expect(asked.erased).toEqual([]);
  await setRetention(database, 'org', 14);
  await setRetention(database, 'another', 1);
  const event = { organizationId: 'org', person: null, keyId: null, action: 'POST /x' };
  await recordEvent(database, { ...event, subject: 'old' }, Date.now() - 401 * DAY_MS);
  await recordEvent(database, { ...event, subject: 'new' }, Date.now() - 399 * DAY_MS);
  await database.updateTable('schedules').set({ due_at: 0 }).execute();
  await round();
  expect(asked.erased).toEqual(['run_old']);
  const left = await database.selectFrom('audit_events').select('subject').execute();
  expect(left).toEqual([{ subject: 'new' }]);
});

test('sounds and videos go earlier than their runs where the workspace says so', async () => {
  const { record, run, round, audio, database } = await house();
  const media = async (id: string, organizationId: string, key: string, age: number) => {
    await record(key, age);
    await run(id, key, age);
    const sound = (await audio.stat('org', key))!;
    await keepSound(database, { id, organizationId }, sound);
  };
  await media('run_old', 'org', 'old.mp3', 3 * DAY_MS + MINUTE_MS);
  await media('run_young', 'org', 'young.mp3', 3 * DAY_MS - MINUTE_MS);
  await setOwnerLimit(database, 'org', 'mediaDays', 3);
  await setOwnerLimit(database, 'another', 'mediaDays', 1);
  await round();
  const left = await database.selectFrom('run_media').select('run_id').execute();
  expect(left).toEqual([{ run_id: 'run_young' }]);
  expect(await audio.stat('org', 'old.mp3')).toBeNull();
  expect(await audio.stat('org', 'young.mp3')).not.toBeNull();
  const runs = await database.selectFrom('runs').select('id').orderBy('id').execute();
  expect(runs).toEqual([{ id: 'run_old' }, { id: 'run_young' }]);
});

test('recordings without a run go earlier too where the workspace says so, but not those of open runs', async () => {
  const { record, run, round, audio, database } = await house();
  await record('old.mp3', 3 * DAY_MS + MINUTE_MS);
  await record('young.mp3', 3 * DAY_MS - MINUTE_MS);
  await record('open.mp3', 5 * DAY_MS);
  await record('overdue.mp3', 8 * DAY_MS);
  await run('run_open', 'open.mp3', null);
  const left = async () => {
    await database.updateTable('schedules').set({ due_at: 0 }).execute();
    await round();
    const names = ['old', 'young', 'open', 'overdue'];
    const found = await Promise.all(names.map((name) => audio.stat('org', `${name}.mp3`)));
    return names.filter((_, at) => found[at] !== null);
  };
  await setOwnerLimit(database, 'another', 'mediaDays', 1);
  expect(await left()).toEqual(['old', 'young', 'open']);
  // Longer than the service keeps them means nothing.
  await setOwnerLimit(database, 'org', 'mediaDays', 30);
  expect(await left()).toEqual(['old', 'young', 'open']);
  await setOwnerLimit(database, 'org', 'mediaDays', 3);
  expect(await left()).toEqual(['young', 'open']);
});

test('results are deleted after thirty days, with the answers of models', async () => {
  const { run, round, store, database, services, asked } = await house();
  await run('run_old', 'a.mp3', 30 * DAY_MS + MINUTE_MS);
  await run('run_young', 'a.mp3', 30 * DAY_MS - MINUTE_MS);
  await run('run_open', 'a.mp3', null);
  const answers = (ageMs: number) =>
    createAuditAnswers(database, {
      ttlMs: 90 * DAY_MS,
      log: services.log,
      now: () => Date.now() - ageMs,
    });
  await answers(30 * DAY_MS + MINUTE_MS).set('old', '{}', 'run_young');
  await answers(30 * DAY_MS - MINUTE_MS).set('young', '{}', 'run_young');
  await round();
  const left = ['run_old', 'run_young', 'run_open'].map(
    async (id) => (await store.getSummary(id))?.id,
  );
  expect(await Promise.all(left)).toEqual([undefined, 'run_young', 'run_open']);
  const kept = await database.selectFrom('audit_answers').select('key').execute();
  expect(kept).toEqual([{ key: 'young' }]);
  // Steps contain transcripts: they are deleted an hour after the end of their run, or with it.
  expect(Math.abs(Date.now() - (asked.prune[0] ?? 0) - 60 * MINUTE_MS)).toBeLessThan(MINUTE_MS);
});

test('steps are never kept longer than the result of their run', async () => {
  const { round, asked } = await house();
  await round({}, { ...lifetimes, resultTtlMs: 10 * MINUTE_MS });
  expect(Math.abs(Date.now() - (asked.prune[0] ?? 0) - 10 * MINUTE_MS)).toBeLessThan(MINUTE_MS);
});

test('incomplete uploads are deleted when untouched for an hour', async () => {
  const { round, audioDir } = await house();
  const incoming = join(audioDir, 'incoming');
  await mkdir(incoming, { recursive: true });
  for (const [name, minutes] of [
    ['old', 61],
    ['young', 59],
  ] as const) {
    const path = join(incoming, `${name}.part`);
    await writeFile(path, 'x');
    const at = new Date(Date.now() - minutes * MINUTE_MS);
    await utimes(path, at, at);
  }
  await round();
  expect(await readdir(incoming)).toEqual(['young.part']);
});

test('webhook deliveries are deleted with the results, and parts of uploads when these expire', async () => {
  const { round, database, audio } = await house();
  await createWebhookStore(database).create('org', 'key', { url: 'https://a.example/' });
  for (const runId of ['run_old', 'run_young']) {
    await queueEvent(database, {
      type: 'run.completed',
      organizationId: 'org',
      runId,
      data: { result: '', status: 'completed' },
    });
    const days = runId === 'run_old' ? 31 : 29;
    await database
      .updateTable('webhook_deliveries')
      .set({ state: 'delivered', finished_at: Date.now() - days * DAY_MS })
      .where('run_id', '=', runId)
      .execute();
  }
  const uploads = createResumableUploads({ database, audio });
  const begin = async (expiresAt: number) => {
    const upload = { organizationId: 'org', key: 'a.mp3', metadata: '', length: 9, expiresAt };
    const begun = (await uploads.create(upload, 5))!;
    await uploads.append(begun, chunks(filled(4, 1)), 4, (recording) => recording);
    return begun.id;
  };
  const expired = await begin(Date.now() - MINUTE_MS);
  const open = await begin(Date.now() + MINUTE_MS);
  await round();
  const left = await database.selectFrom('webhook_deliveries').select('run_id').execute();
  expect(left).toEqual([{ run_id: 'run_young' }]);
  expect([await uploads.countParts(expired), await uploads.countParts(open)]).toEqual([0, 1]);
  expect(await Array.fromAsync(audio.list())).toHaveLength(1);
});

describe('a round of housekeeping', () => {
  test('pending deletions are made in a round, which waits for them and for lost runs', async () => {
    const { round, record, run, audio, database, services } = await house();
    await record('owed.mp3', MINUTE_MS);
    await run('run_owing', 'owed.mp3', MINUTE_MS);
    const { version } = (await audio.stat('org', 'owed.mp3'))!;
    await database.updateTable('runs').set({ owed_audio: version }).execute();
    let isRecovered = false;
    const recover = async () => {
      await Bun.sleep(5);
      isRecovered = true;
      return 1;
    };
    await round({ runs: { ...services.runs, recover } });
    expect([await audio.stat('org', 'owed.mp3'), isRecovered]).toEqual([null, true]);
  });

  test('a failure is logged, does not stop the other parts, and is retried', async () => {
    const { round, services, asked, log, database } = await house();
    const away = async () => {
      throw new Error('it is away');
    };
    await round({ audio: { ...services.audio, expire: away } });
    expect(log()).toContain('pruning_failed');
    expect(log()).toContain('it is away');
    await round({ runs: { ...services.runs, recover: away } });
    expect(log()).toMatch(/runs_not_recovered.*it is away/);
    expect([asked.prune.length, asked.recover.length]).toEqual([2, 1]);
    expect(log()).not.toContain('pending_deletions_not_read');
    await database.schema.alterTable('runs').renameTo('away').execute();
    await round();
    expect(log()).toMatch(/pending_deletions_not_read.*no such table: runs/);
  });
});

describe('schedules', async () => {
  await onEachDatabase((name, database, url) => {
    describe(`schedules in ${name}`, () => {
      test('due work is done once, however many processes check', async () => {
        const others = [openDatabase(url), openDatabase(url)];
        const schedule = { name: 'once', everyMs: 1000, leaseMs: 60_000 };
        let done = 0;
        const look = (now: number) =>
          Promise.all(
            Array.from({ length: 12 }, (_, at) =>
              doIfDue([database, ...others][at % 3] ?? database, schedule, now, async () => {
                done += 1;
                await Bun.sleep(20);
              }),
            ),
          );
        const answers = await look(5000);
        expect([done, answers.filter(Boolean).length]).toEqual([1, 1]);
        await look(5999);
        expect(done).toBe(1);
        await look(6000);
        expect(done).toBe(2);
        await Promise.all(others.map((other) => other.destroy()));
      });

      test("work that ends late does not release another's lease", async () => {
        const schedule = { name: 'late', everyMs: 1000, leaseMs: 500 };
        const hold = Promise.withResolvers<void>();
        const begun = Promise.withResolvers<void>();
        const late = doIfDue(database, schedule, 0, () => {
          begun.resolve();
          return hold.promise;
        });
        await begun.promise;
        let third = false;
        await doIfDue(database, schedule, 600, async () => {
          hold.resolve();
          await late;
          // Due again by the late end, but within the lease of the one before.
          await doIfDue(database, schedule, 1050, async () => void (third = true));
        });
        expect(third).toBe(false);
      });

      test('failed work is due again immediately, interrupted work when its lease ends', async () => {
        const schedule = { name: 'fails', everyMs: 1000, leaseMs: 500 };
        const fail = async () => {
          throw new Error('it broke');
        };
        await expect(doIfDue(database, schedule, 0, fail)).rejects.toThrow('it broke');
        expect(await doIfDue(database, schedule, 1, async () => {})).toBe(true);
        // Never ends, as if the process had died.
        await new Promise<void>((begun) => {
          void doIfDue(database, schedule, 1001, () => {
            begun();
            return new Promise(() => {});
          });
        });
        expect(await doIfDue(database, schedule, 1400, async () => {})).toBe(false);
        expect(await doIfDue(database, schedule, 1501, async () => {})).toBe(true);
      });
    });
  });
});
