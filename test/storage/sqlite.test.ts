/** Statements on a SQLite file that another connection has locked, and rollbacks of what is already over. */
import { afterAll, afterEach, describe, expect, setSystemTime, spyOn, test } from 'bun:test';
import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { Kysely, sql } from 'kysely';
import {
  openSqlite,
  pragmas,
  retryWhileLocked,
  sqliteDialect,
} from '../../server/storage/sqlite.ts';
import { removeFolder, temporaryFolder } from '../support/servers/server-process.ts';

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

test('a thread that answers requests neither waits for a lock nor tidies the log', () => {
  expect(pragmas({ answersRequests: true })).toBe(
    'PRAGMA busy_timeout = 0; PRAGMA synchronous = NORMAL;PRAGMA wal_autocheckpoint = 0;',
  );
  expect(pragmas({ answersRequests: false })).toBe(
    'PRAGMA busy_timeout = 5000; PRAGMA synchronous = NORMAL;',
  );
});

test('a file is opened with its folder, with a log, and with checked references', () => {
  const database = openSqlite(join(folder, 'new', 'folder', 'a.db'));
  const of = (name: string) => Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0];
  expect(['journal_mode', 'foreign_keys', 'busy_timeout', 'synchronous'].map(of)).toEqual([
    'wal',
    1,
    5000,
    1,
  ]);
  database.close();
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

  test('is prepared for repeats once, however often it is used', async () => {
    const driver = sqliteDialect(new DatabaseSync(':memory:')).createDriver();
    await driver.init();
    const first = (await driver.acquireConnection()).executeQuery;
    expect((await driver.acquireConnection()).executeQuery).toBe(first);
  });

  test('returns rows and counts, for any statement', async () => {
    const { kysely } = opened();
    expect(await kysely.insertInto('t').values({ id: 7 }).returning('id').execute()).toEqual([
      { id: 7 },
    ]);
    expect(await kysely.insertInto('t').values({ id: 8 }).executeTakeFirst()).toMatchObject({
      insertId: 8n,
      numInsertedOrUpdatedRows: 1n,
    });
    expect((await sql`WITH x AS (SELECT 1 AS one) SELECT one FROM x`.execute(kysely)).rows).toEqual(
      [{ one: 1 }],
    );
    expect((await sql`PRAGMA user_version`.execute(kysely)).rows).toEqual([{ user_version: 0 }]);
    expect((await kysely.deleteFrom('t').executeTakeFirst()).numDeletedRows).toBe(2n);
    await kysely.destroy();
  });

  test('prepares a statement once, until it has kept two hundred', async () => {
    const { database, kysely } = opened();
    const prepare = spyOn(database, 'prepare');
    const counts: number[] = [];
    const run = async (at: number) => {
      await sql`SELECT ${sql.lit(at)}`.execute(kysely);
      counts.push(prepare.mock.calls.length);
    };
    for (let at = 0; at < 200; at += 1) await run(at);
    await run(0);
    expect(counts.slice(-2)).toEqual([200, 200]);
    await run(200);
    await run(0);
    expect(counts.slice(-2)).toEqual([201, 202]);
    await kysely.destroy();
  });

  test('keeps working after hundreds of different statements', async () => {
    const { kysely } = opened();
    for (let at = 0; at < 450; at += 1) {
      const { rows } = await sql`SELECT ${sql.lit(at)} AS at`.execute(kysely);
      expect(rows).toEqual([{ at }]);
    }
    await kysely.destroy();
  });

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
