/** Connections to PostgreSQL, with a double of its driver: which are used again, and when they end. */
import { afterEach, describe, expect, spyOn, test } from 'bun:test';
import { type AddressInfo, createServer } from 'node:net';
import { openPool, subscribe, withPostgresLock } from '../../server/storage/postgres.ts';
import { postgresClients, type PostgresClients } from '../support/doubles/postgres-clients.ts';

const URL = 'postgres://captioner@127.0.0.1/none';
let double: PostgresClients;
afterEach(() => double.restore());

const failing = (text: string): object[] => {
  if (text === 'silence') throw new Error('Query read timeout');
  if (text === 'changed') throw Object.assign(new Error('cached plan'), { code: '0A000' });
  if (text === 'wrong') throw Object.assign(new Error('division by zero'), { code: '22012' });
  return [{ one: 1 }];
};

describe('a pool', () => {
  test('uses a connection again, also after an error, with the names of prepared statements', async () => {
    double = postgresClients(failing);
    const pool = await openPool(URL, 1);
    await expect(pool.query('wrong')).rejects.toThrow('division by zero');
    const { rows } = await pool.query('select $1', [1], 'first');
    expect(rows as unknown[]).toEqual([{ one: 1 }]);
    expect(double.clients).toHaveLength(1);
    expect(double.asked.map(({ text, values, name }) => [text, values, name])).toEqual([
      ['wrong', [], undefined],
      ['select $1', [1], 'first'],
    ]);
  });

  test.each(['silence', 'changed'])(
    'gives up a connection whose state is unknown: %s',
    async (text) => {
      double = postgresClients(failing);
      const pool = await openPool(URL, 1);
      const held = await pool.connect();
      await expect(held.query(text)).rejects.toThrow(/timeout|plan/);
      await expect(held.query('select 1')).rejects.toThrow('gone');
      held.release();
      await pool.query('select 1');
      expect(double.clients).toHaveLength(2);
      expect([double.ended.length, double.ended[0] === double.clients[0]]).toEqual([1, true]);
    },
  );

  test('replaces a connection that was lost, even while somebody holds it', async () => {
    double = postgresClients();
    const pool = await openPool(URL, 1);
    const held = await pool.connect();
    double.lose(double.clients[0]!);
    await expect(held.query('select 1')).rejects.toThrow('gone');
    const next = await pool.connect();
    // Released a second time, it must not be taken from its new holder.
    held.release();
    await next.query('select 1');
    expect(double.clients).toHaveLength(2);
    // Errors outside of statements are those of a connection that is lost anyway.
    double.clients[1]!.emit('error', new Error('terminating connection'));
    next.release();
  });
});

describe('a lock', () => {
  test('is taken by its name, held during the work, and ends with its connection', async () => {
    double = postgresClients();
    const { asked, ended } = double;
    const done = await withPostgresLock(URL, 'migrations', async () => [
      asked.length,
      ended.length,
    ]);
    expect(done).toEqual([1, 0]);
    expect(asked).toMatchObject([{ values: ['migrations'] }]);
    const failed = withPostgresLock(URL, 'migrations', () => Promise.reject(new Error('no table')));
    await expect(failed).rejects.toThrow('no table');
    expect(ended).toHaveLength(double.clients.length);
  });
});

describe('a subscription', () => {
  const listener = () => {
    const heard: string[] = [];
    let joined = 0;
    const on = {
      notification: (text: string) => void heard.push(text),
      joined: () => void (joined += 1),
    };
    return { on, heard, joined: () => joined };
  };

  test('that ends while it connects again ends that connection too', async () => {
    const gate = Promise.withResolvers<void>();
    double = postgresClients(
      () => [],
      () => (double.clients.length > 1 ? gate.promise : undefined),
    );
    const timers = spyOn(globalThis, 'setTimeout').mockImplementation(((run: () => void) =>
      run()) as never);
    const { on, joined } = listener();
    const subscription = await subscribe(URL, 'runs', on);
    double.lose(double.clients[0]!);
    timers.mockRestore();
    await subscription.close();
    gate.resolve();
    await new Promise(setImmediate);
    expect([double.clients.length, double.ended.length, joined()]).toEqual([2, 2, 1]);
  });

  test('pauses longer after each failure, and begins anew after a connection', async () => {
    let isUp = true;
    double = postgresClients(
      () => [],
      () => {
        if (!isUp) throw new Error('the server is down');
      },
    );
    const pauses: unknown[] = [];
    let retry = (): void => {};
    const timers = spyOn(globalThis, 'setTimeout').mockImplementation(((
      run: () => void,
      ms: number,
    ) => {
      pauses.push(ms);
      retry = run;
    }) as never);
    try {
      const { on, joined } = listener();
      const subscription = await subscribe(URL, 'runs', on);
      isUp = false;
      double.lose(double.clients.at(-1)!);
      for (const failures of [2, 3]) {
        retry();
        while (pauses.length < failures) await Promise.resolve();
      }
      isUp = true;
      retry();
      while (joined() < 2) await Promise.resolve();
      double.lose(double.clients.at(-1)!);
      expect(pauses).toEqual([100, 200, 400, 100]);
      await subscription.close();
    } finally {
      timers.mockRestore();
    }
  });
});

describe('how long connections to PostgreSQL wait', () => {
  test('a server that does not answer has five seconds to accept a connection', async () => {
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
      const pool = await openPool(url, 1);
      await expect(pool.query('select 1')).rejects.toThrow(/timeout|terminated/i);
      expect(limits.length).toBeGreaterThan(0);
      limits.length = 0;
      const on = { notification: () => {}, joined: () => {} };
      await expect(subscribe(url, 'channel', on)).rejects.toThrow(/timeout|terminated/i);
      expect(limits.length).toBeGreaterThan(0);
      await pool.end();
    } finally {
      timers.mockRestore();
      server.close();
    }
  });
});
