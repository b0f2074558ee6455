/** The database: statements on a locked file, migrations, outages, locks, schedules, leases and cached answers. */
import { Database as BunDatabase } from 'bun:sqlite';
import {
  afterAll,
  afterEach,
  describe,
  expect,
  setDefaultTimeout,
  setSystemTime,
  test,
} from 'bun:test';
import { Kysely, sql } from 'kysely';
import { mkdirSync, statSync, symlinkSync, utimesSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createLog } from '../../server/base/log.ts';
import { createAudioUsage } from '../../server/storage/audio-usage.ts';
import { createAuditAnswers, forgetAnswers } from '../../server/storage/audit-answers.ts';
import { migrateDatabase } from '../../server/storage/database.ts';
import { createDiskAudioStore } from '../../server/storage/disk-audio.ts';
import { isOutage, StorageUnavailable } from '../../server/storage/outage.ts';
import { createResumableUploads } from '../../server/storage/resumable-uploads.ts';
import { createWebhookStore, MAX_WEBHOOKS } from '../../server/webhooks/webhook-store.ts';
import { until } from '../support/servers/client.ts';
import { completedRun, spoken } from '../support/servers/completed-run.ts';
import { onEachDatabase } from '../support/servers/databases.ts';
import { removeFolder, temporaryFolder } from '../support/servers/server-process.ts';
import { sqliteDatabase } from '../support/servers/sqlite-database.ts';
import { chunks, filled } from './audio-store.suite.ts';
import { isAudioVersion, withAudioVersion } from '../../server/storage/audio.ts';
import {
  openSqlite,
  retryWhileLocked,
  sqliteDialect,
  tidySqliteLog,
} from '../../server/storage/sqlite.ts';
import { withPostgresLock } from '../../server/storage/postgres.ts';

setDefaultTimeout(300000);

const folder = await temporaryFolder();
afterAll(() => removeFolder(folder));
afterEach(() => void setSystemTime());

/** Work that fails with these errors, one after the other, and then succeeds; and how often it was tried. */
const failing = (...errors: unknown[]) => {
  let tries = 0;
  const work = async () => {
    tries += 1;
    if (errors.length > 0) throw errors.shift();
    return tries;
  };
  return retryWhileLocked(work).catch((error: unknown) => [tries, error]);
};
const error = (more: object, message = 'no') => Object.assign(new Error(message), more);

describe('a statement', () => {
  test.each<[string, unknown]>([
    ['the file is locked, on Bun', error({ errno: 5 })],
    ['the file is locked, on Deno', error({ errcode: 5 })],
    ['another connection has written meanwhile', error({ errcode: 517 })],
    ['the file is locked, as Deno says it', error({}, 'database is locked')],
  ])('is tried again while %s', async (_, busy) => {
    expect(await failing(busy, busy, busy, busy, busy, busy)).toBe(7);
  });

  test.each<[string, unknown]>([
    ['a table is locked', error({ errcode: 6 })],
    ['a row exists', error({ errcode: 2067 })],
    ['the database is locked by name only', error({}, 'the database is locked')],
    ['something else was thrown', { message: 'database is locked', errcode: 5 }],
  ])('is not tried again if %s', async (_, thrown) => {
    expect(await failing(thrown)).toEqual([1, thrown]);
  });

  test('leaves the thread to others between its tries', async () => {
    let isFree = false;
    let tries = 0;
    setImmediate(() => (isFree = true));
    await retryWhileLocked(async () => {
      tries += 1;
      if (!isFree && tries < 1000) throw error({ errcode: 5 });
    });
    expect(tries).toBeLessThan(10);
  });

  test('is given up after five seconds', async () => {
    const began = Date.now();
    const busyUntil = (ms: number) => {
      let tries = 0;
      setSystemTime(new Date(began));
      const work = async () => {
        tries += 1;
        if (tries === 2) setSystemTime(new Date(began + ms));
        if (tries < 4) throw error({ errcode: 5 });
        return tries;
      };
      return retryWhileLocked(work).catch(() => 'given up');
    };
    expect([await busyUntil(5000), await busyUntil(5001)]).toEqual([4, 'given up']);
  });
});

test('a log that has grown is copied into its file, and cut', async () => {
  const path = join(folder, 'grown.db');
  const [writer, tidier] = [openSqlite(path, { answersRequests: true }), openSqlite(path)];
  const size = (of: string) => statSync(of).size;
  writer.exec('create table t (text)');
  const insert = writer.prepare('insert into t values (?)');
  for (let at = 0; at < 20; at += 1) insert.run('x'.repeat(2 ** 20));
  expect(size(`${path}-wal`)).toBeGreaterThan(20 * 2 ** 20);
  tidySqliteLog(tidier, path);
  expect([size(`${path}-wal`), size(path) > 20 * 2 ** 20]).toEqual([0, true]);
  // A short log is copied, and written again from its start.
  for (let at = 0; at < 30; at += 1) {
    insert.run('x'.repeat(2 ** 20));
    tidySqliteLog(tidier, path);
  }
  expect(size(`${path}-wal`)).toBeLessThan(3 * 2 ** 20);
  writer.close();
  tidier.close();
});

describe('a connection', () => {
  const opened = () => {
    const database = new DatabaseSync(':memory:');
    database.exec('CREATE TABLE t (id INTEGER PRIMARY KEY) STRICT');
    return {
      database,
      kysely: new Kysely<{ t: { id: number } }>({ dialect: sqliteDialect(database) }),
    };
  };

  test('reports why a transaction failed, although SQLite has already rolled it back', async () => {
    const { kysely } = opened();
    const failure = kysely.transaction().execute(async (transaction) => {
      await transaction.insertInto('t').values({ id: 1 }).execute();
      await sql`ROLLBACK`.execute(transaction);
      throw new Error('the disk is full');
    });
    await expect(failure).rejects.toThrow('the disk is full');
    expect(await kysely.selectFrom('t').selectAll().execute()).toEqual([]);
    await kysely.destroy();
  });

  test('takes the lock of a transaction at its start', async () => {
    const path = join(folder, 'locked.db');
    const [one, other] = [openSqlite(path), openSqlite(path, { answersRequests: true })];
    one.exec('CREATE TABLE t (id INTEGER PRIMARY KEY) STRICT');
    const kysely = new Kysely<{ t: { id: number } }>({ dialect: sqliteDialect(one) });
    await kysely.transaction().execute(async (transaction) => {
      await transaction.selectFrom('t').selectAll().execute();
      expect(() => other.exec('INSERT INTO t VALUES (1)')).toThrow('locked');
    });
    other.exec('INSERT INTO t VALUES (1)');
    await kysely.destroy();
    other.close();
  });
});

describe('migrations of the database', async () => {
  const { database, file } = await sqliteDatabase();

  test('a migration ends once the work that belongs to it is done, and fails with it', async () => {
    let isDone = false;
    await migrateDatabase(file, async () => {
      await new Promise(setImmediate);
      isDone = true;
    });
    expect(isDone).toBe(true);
    const failed = migrateDatabase(file, () => Promise.reject(new Error('the queue is away')));
    await expect(failed).rejects.toThrow('the queue is away');
  });

  test('the database of a later version is refused, and nothing else is done', async () => {
    await sql`insert into kysely_migration values ('9999-later', ${new Date().toISOString()})`.execute(
      database,
    );
    let isDone = false;
    const migrated = migrateDatabase(file, async () => void (isDone = true));
    await expect(migrated).rejects.toThrow(
      /later version of Captioner has migrated .* \(9999-later\)\. .* restore a backup/,
    );
    expect(isDone).toBe(false);
  });

  await onEachDatabase((title, shared, url) => {
    if (title !== 'PostgreSQL') return;
    test('processes that start at the same time migrate one by one', async () => {
      let isDone = false;
      const migrated = await withPostgresLock(url, 'captioner:migrations', async () => {
        const over = migrateDatabase(url, async () => void (isDone = true));
        await until(async () => {
          const { rows } = await sql`select 1 from pg_locks where not granted`.execute(shared);
          return isDone || rows.length > 0;
        });
        expect(isDone).toBe(false);
        return { over };
      });
      await migrated.over;
      expect(isDone).toBe(true);
    });
  });
});

describe('outage', () => {
  const coded = (code: string) => Object.assign(new Error('it failed'), { code });
  const thrownBy = (work: () => void): unknown => {
    try {
      work();
    } catch (error) {
      return error;
    }
    throw new Error('nothing was thrown');
  };

  test.each([
    'ECONNREFUSED',
    'ENOSPC',
    '57P03',
    '53300',
    '58030',
    '08006',
    '40001',
    '40P01',
    '55P03',
    '57014',
  ])('%s is one', (code) => expect(isOutage(coded(code))).toBe(true));

  test.each<[string, unknown, boolean]>([
    ['an unavailable store', new StorageUnavailable('away'), true],
    ['an error that one has caused', new Error('', { cause: new StorageUnavailable('') }), true],
    ['a late connection', new Error('timeout exceeded when trying to connect'), true],
    ['a broken connection', new Error('Connection terminated unexpectedly'), true],
    ['a broken client', new Error('Client has encountered a connection error and is not …'), true],
    ['a duplicate row', coded('23505'), false],
    ['a missing table', coded('42P01'), false],
    ['a missing file', coded('ENOENT'), false],
    ['a bug in the program', new TypeError('it is undefined'), false],
    ['no error', 'text', false],
  ])('%s: %p', (_name, thrown, expected) => expect(isOutage(thrown)).toBe(expected));

  // The queue has a driver of its own.
  test.each([
    ['node:sqlite', () => new DatabaseSync(':memory:')],
    ['bun:sqlite', () => new BunDatabase(':memory:')],
  ])('a full SQLite file, as %s reports it', (_driver, open) => {
    const database = open();
    database.exec('PRAGMA max_page_count = 5; CREATE TABLE t (x)');
    const insert = database.prepare('INSERT INTO t VALUES (?)');
    const full = thrownBy(() => {
      for (let i = 0; i < 100; i += 1) insert.run('x'.repeat(2000));
    });
    expect(isOutage(full)).toBe(true);
    expect(isOutage(thrownBy(() => database.exec('SELECT nothing FROM nowhere')))).toBe(false);
  });
});

describe('leases of uploads and of periodic work', async () => {
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

  describe('a store', () => {
    test('on disk tells the same version on every runtime, and knows those told with a fraction', async () => {
      const own = join(folder, 'versions');
      const disk = createDiskAudioStore(own);
      await disk.put('org', 'a.mp3', chunks(filled(3, 0)));
      const [listed] = await Array.fromAsync(disk.list());
      const path = join(own, listed!.name);
      utimesSync(path, 1_795_738_456.7477, 1_795_738_456.7477);
      const { version } = (await disk.stat('org', 'a.mp3'))!;
      expect(version).toBe(`1795738456747-3@${statSync(path).ino}`);
      const told = version.replace('747', '747.7058');
      expect(isAudioVersion(version, told)).toBe(true);
      expect(isAudioVersion(version, told.replace('747', '746'))).toBe(false);
      for (const was of [version, told]) {
        expect(withAudioVersion(`{"version":"${told}","other":"1-3@7"}`, was, 'new')).toBe(
          '{"version":"new","other":"1-3@7"}',
        );
      }
    });

    test('on disk lists its recordings, but no files that disappear meanwhile and nothing that is not a file', async () => {
      const own = join(folder, 'listed');
      const disk = createDiskAudioStore(own);
      await disk.put('org', 'a.mp3', chunks(filled(3, 0)));
      const [listed] = await Array.fromAsync(disk.list());
      expect(listed).toMatchObject({ size: 3 });
      const objects = dirname(join(own, listed!.name));
      symlinkSync(join(own, 'nothing'), join(objects, 'gone.mp3'));
      mkdirSync(join(objects, 'folder.mp3'));
      expect(await Array.fromAsync(disk.list())).toEqual([listed!]);
    });
  });
});

describe('limits of a workspace on both databases hold for simultaneous requests', async () => {
  /** The results of 30 calls at once, without the refusals. */
  async function takenOf<T>(call: () => Promise<T | null>): Promise<number> {
    const results = await Promise.all(Array.from({ length: 30 }, call));
    return results.filter((result) => result !== null).length;
  }

  await onEachDatabase((name, database) => {
    describe(`at once on ${name}`, () => {
      test('no more webhooks than allowed are created', async () => {
        const store = createWebhookStore(database);
        const create = () => store.create('org_1', 'key_1', { url: 'https://a.example/' });
        expect(await takenOf(create)).toBe(MAX_WEBHOOKS);
        expect(await store.list('org_1')).toHaveLength(MAX_WEBHOOKS);
      });

      test('no more uploads than allowed are opened', async () => {
        const rows = createResumableUploads({ database, audio: null as never });
        const name = { organizationId: 'org_1', key: 'a.mp3', metadata: '' };
        const upload = { ...name, length: 9, expiresAt: Date.now() + 60_000 };
        expect(await takenOf(() => rows.create(upload, 5))).toBe(5);
      });
    });
  });
});

describe('audit answers', async () => {
  const { database } = await sqliteDatabase();
  let now = 1_000_000;
  const lines: string[] = [];
  const ttlMs = 60_000;
  const log = createLog('info', (line) => void lines.push(line));
  const stored = createAuditAnswers(database, { ttlMs, log, now: () => now });
  const newRun = async () => (await completedRun(database, 'org', spoken('One.'))).runId;
  const runId = await newRun();
  const answers = {
    get: (key: string) => stored.get(key, runId),
    set: (key: string, answer: string) => stored.set(key, answer, runId),
  };

  test('stores answers, and the newest for each key', async () => {
    expect(await answers.get('a')).toBeNull();
    expect(lines).toEqual([]);
    await answers.set('a', 'one');
    await answers.set('a', 'two');
    expect(await answers.get('a')).toBe('two');
  });

  test('a repeated answer starts a new lifetime; expired ones are deleted with their rows', async () => {
    now += ttlMs - 1;
    await answers.set('a', 'three');
    now += ttlMs - 1;
    expect(await answers.get('a')).toBe('three');
    now += 1;
    expect(await answers.get('a')).toBeNull();
    await answers.set('b', 'four');
    await forgetAnswers(database, now - ttlMs);
    const rows = () => database.selectFrom('audit_answers').select('key').execute();
    expect(await rows()).toEqual([{ key: 'b' }]);
    await forgetAnswers(database, now);
    expect(await rows()).toEqual([]);
  });

  test('an answer belongs to every run that received it, and is not stored for a deleted run', async () => {
    const other = await newRun();
    await stored.set('shared', 'words', runId);
    expect(await stored.get('shared', other)).toBe('words');
    const links = database.selectFrom('audit_answer_runs').select('run_id');
    const rows = await links.where('key', '=', 'shared').execute();
    expect(rows.map((row) => row.run_id).toSorted()).toEqual([runId, other].toSorted());
    await stored.set('late', 'words of an erased run', 'run_gone');
    expect(await answers.get('late')).toBeNull();
  });
});
