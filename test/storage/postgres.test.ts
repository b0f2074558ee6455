/** Connections to a PostgreSQL that goes down and comes back. */
import { afterAll, expect, setDefaultTimeout, spyOn, test as everywhere } from 'bun:test';
import { type AddressInfo, createServer } from 'node:net';
import { Client } from 'pg';
import { until } from '../support/servers/client.ts';
import { hasPostgres, needsPostgres as test, startPostgres } from '../support/servers/postgres.ts';
import { openPostgresPool, subscribePostgres } from '../../server/storage/postgres.ts';

setDefaultTimeout(300_000);

if (hasPostgres) {
  const postgres = await startPostgres();
  const url = await postgres.database();
  afterAll(() => postgres.close());

  test('statements in progress fail, and no connection is lost', async () => {
    const pool = await openPostgresPool(url, 2);
    for (let times = 0; times < 3; times += 1) {
      const held = await pool.connect();
      const asleep = Promise.allSettled([
        held.query('select pg_sleep(20)'),
        pool.query('select pg_sleep(20)'),
      ]);
      // The query waits for a connection, and gets one once those are closed.
      const waiting = pool.query('select 1 as one').then(
        ({ rows }) => rows,
        () => 'failed',
      );
      await Bun.sleep(200);
      await postgres.kill();
      for (const { status } of await asleep) expect(status).toBe('rejected');
      await expect(held.query('select 1')).rejects.toThrow('gone');
      held.release();
      await waiting;
      await postgres.start();
      const all = await Promise.all([1, 2, 3, 4].map(() => pool.query('select 1 as one')));
      expect(all.map(({ rows }) => rows)).toEqual([1, 2, 3, 4].map(() => [{ one: 1 }]));
    }
    await pool.end();
  });

  test('listeners are notified whenever something may have been missed, and receive events again', async () => {
    const pool = await openPostgresPool(url, 1);
    const heard: string[] = [];
    let joined = 0;
    const subscription = await subscribePostgres(url, 'test_channel', {
      notification: (payload) => heard.push(payload),
      joined: () => (joined += 1),
    });
    const say = (word: string) => pool.query('select pg_notify($1, $2)', ['test_channel', word]);
    await say('before');
    await until(async () => heard.includes('before'));
    await postgres.kill();
    await Bun.sleep(500);
    await postgres.start();
    await until(async () => joined === 2);
    await say('after');
    await until(async () => heard.includes('after'));
    await subscription.close();
    await say('nobody listens');
    await pool.end();
    expect(heard).toEqual(['before', 'after']);
  });

  test('a listener that is closed while it reconnects stays closed', async () => {
    const pool = await openPostgresPool(url, 1);
    let joined = 0;
    const on = { notification() {}, joined: () => (joined += 1) };
    const subscription = await subscribePostgres(url, 'closing_channel', on);
    // The pool connects before connections are delayed.
    await pool.query('select 1');
    const reconnecting = Promise.withResolvers<void>();
    const closed = Promise.withResolvers<void>();
    const connect = Client.prototype.connect as (this: Client) => Promise<unknown>;
    const connecting = spyOn(Client.prototype, 'connect').mockImplementation(async function (
      this: Client,
    ) {
      reconnecting.resolve();
      await closed.promise;
      await connect.call(this);
    } as never);
    const ended = spyOn(Client.prototype, 'end');
    try {
      await pool.query(
        `select pg_terminate_backend(pid) from pg_stat_activity where query = 'LISTEN closing_channel'`,
      );
      await reconnecting.promise;
      await subscription.close();
      closed.resolve();
      await until(async () => joined > 1 || ended.mock.calls.length > 0);
      expect(joined).toBe(1);
    } finally {
      connecting.mockRestore();
      ended.mockRestore();
    }
    await pool.end();
  });

  test('a connection is used again after an error, but not after its prepared statements became invalid', async () => {
    const pool = await openPostgresPool(url, 1);
    const held = await pool.connect();
    await expect(held.query('select 1 / 0')).rejects.toMatchObject({ code: '22012' });
    await held.query('create table changed (id int)');
    const all = ['select * from changed', [], 'all_changed'] as const;
    await held.query(...all);
    const prepared = await held.query('select name from pg_prepared_statements');
    expect(prepared.rows).toEqual([{ name: 'all_changed' }]);
    await held.query('alter table changed add column more int');
    await expect(held.query(...all)).rejects.toMatchObject({ code: '0A000' });
    await expect(held.query('select 1')).rejects.toThrow('gone');
    expect((await pool.query(...all)).rows).toEqual([]);
    await pool.end();
  });

  test('a missing server fails the first connection', async () => {
    const nowhere = 'postgres://captioner@127.0.0.1:9/none';
    const on = { notification: () => {}, joined: () => {} };
    await expect(subscribePostgres(nowhere, 'test_channel', on)).rejects.toThrow();
  });
} else test('connections to a PostgreSQL that stops and starts again', () => {});

everywhere('a server that does not answer has five seconds to accept a connection', async () => {
  const server = createServer((socket) => void socket.on('error', () => {}));
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const url = `postgres://captioner@127.0.0.1:${(server.address() as AddressInfo).port}/none`;
  const limits: unknown[] = [];
  const realTimer = globalThis.setTimeout;
  const timers = spyOn(globalThis, 'setTimeout');
  timers.mockImplementation(((run: () => void, ms?: number, ...more: unknown[]) => {
    if (ms === 5000) limits.push(ms);
    return realTimer(run, ms === 5000 ? 0 : ms, ...more);
  }) as never);
  try {
    const pool = await openPostgresPool(url, 1);
    await expect(pool.query('select 1')).rejects.toThrow(/timeout|terminated/i);
    expect(limits.length).toBeGreaterThan(0);
    limits.length = 0;
    const on = { notification: () => {}, joined: () => {} };
    await expect(subscribePostgres(url, 'channel', on)).rejects.toThrow(/timeout|terminated/i);
    expect(limits.length).toBeGreaterThan(0);
    await pool.end();
  } finally {
    timers.mockRestore();
    server.close();
  }
});
