/** How long connections to PostgreSQL wait: for a server that does not answer, and before the next attempt. */
import { expect, spyOn, test } from 'bun:test';
import { createServer, type AddressInfo } from 'node:net';
import { openPool, rejoinPauseMs, subscribe } from '../../server/storage/postgres.ts';

test('the pause doubles from a tenth of a second, up to two seconds', () => {
  const pauses = [0, 1, 2, 3, 4, 5, 6, 30].map(rejoinPauseMs);
  expect(pauses).toEqual([100, 200, 400, 800, 1600, 2000, 2000, 2000]);
});

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
