/** The record of a delivery, for its own endpoint only, and the addresses it may connect to. */
import { afterAll, beforeEach, describe, expect, spyOn, test } from 'bun:test';
import { createLog } from '../../server/log.ts';
import { createDeliverer, type DelivererOptions } from '../../server/webhooks/deliverer.ts';
import { queueEvent } from '../../server/webhooks/queue-event.ts';
import { until } from '../support/servers/client.ts';
import { startHttpDouble } from '../support/doubles/http-double.ts';
import { refusing, sqliteDatabase } from '../support/servers/sqlite-database.ts';
import { createWebhookStore } from '../../server/webhooks/webhook-store.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
let status = 204;
const receiver = await startHttpDouble(() => new Response(null, { status }));
afterAll(() => receiver.close());
const { database } = await sqliteDatabase();
const store = createWebhookStore(database);

let now = 0;
let log = '';
let address = '127.0.0.1';
const disabled: unknown[] = [];
const options: DelivererOptions = {
  database,
  allowed: ['127.0.0.1', 'hooks.example'],
  log: createLog('debug', (line) => void (log += line)),
  disabled: async (webhook) => {
    await Bun.sleep(1);
    disabled.push(webhook);
  },
  now: () => now,
  resolve: async () => [address],
};
const { tick } = createDeliverer(options);
beforeEach(async () => {
  await database.deleteFrom('webhooks').execute();
  [status, log, address, now] = [204, '', '127.0.0.1', Date.now() + MINUTE];
  disabled.length = 0;
  receiver.requests.length = 0;
});

let count = 0;
async function endpoint(url = `${receiver.origin}/hook`) {
  const organizationId = `outcomes_${(count += 1)}`;
  const { id } = (await store.create(organizationId, 'key_1', { url }))!;
  return {
    id,
    url,
    note: (runId = 'run_1') =>
      queueEvent(database, { type: 'run.completed', organizationId, runId }),
    row: () =>
      database.selectFrom('webhooks').selectAll().where('id', '=', id).executeTakeFirstOrThrow(),
    deliveries: async () => (await store.deliveries(organizationId, id))!,
    deliver: (values: object) =>
      database.updateTable('webhook_deliveries').set(values).where('webhook_id', '=', id).execute(),
  };
}

test('a failing or removed endpoint does not affect another', async () => {
  const [failing, other] = [await endpoint(), await endpoint()];
  const before = await other.row();
  await failing.note();
  for (const answer of [500, 410]) {
    status = answer;
    await tick();
    now += DAY / 2;
    expect(await other.row()).toEqual(before);
  }
  expect((await failing.row()).disabled_at).not.toBeNull();
  expect(disabled).toEqual([{ id: failing.id, url: failing.url, keyId: 'key_1' }]);
  expect(log).toContain(`"webhookId":"${failing.id}"`);
});

test('a delivery identifies its sender, and records its end and its response', async () => {
  const { note, deliveries } = await endpoint();
  await note();
  await tick();
  expect(receiver.requests[0]?.header('user-agent')).toBe('Captioner-Webhooks');
  expect(await deliveries()).toMatchObject([
    {
      state: 'delivered',
      finishedAt: new Date(now).toISOString(),
      lastStatus: 204,
      lastError: null,
      nextAttemptAt: null,
    },
  ]);
  expect(log).toBe('');
});

test('an endpoint has fifteen seconds to answer', async () => {
  const { note } = await endpoint();
  await note();
  const timers = spyOn(globalThis, 'setTimeout');
  await tick();
  const limits = timers.mock.calls.map(([, ms]) => ms);
  timers.mockRestore();
  expect(receiver.requests).toHaveLength(1);
  expect(limits).toContain(15_000);
});

test('an endpoint without deliveries is not contacted', async () => {
  const { note, row } = await endpoint();
  await note();
  await tick();
  now += DAY;
  await refusing(database, 'update on webhooks', async () => {
    await tick();
    throw new Error('the disk is full');
  });
  expect(log).toBe('');
  expect((await row()).lease_until).toBeNull();
});

/** A receiver that answers when it is released, and the most requests that it had at the same time. */
async function holdingReceiver() {
  const release = Promise.withResolvers<void>();
  const seen = { open: 0, most: 0, requests: 0 };
  const receiver = await startHttpDouble(async () => {
    seen.requests += 1;
    seen.most = Math.max(seen.most, (seen.open += 1));
    await release.promise;
    seen.open -= 1;
    return new Response(null, { status: 204 });
  });
  return { ...receiver, seen, release: release.resolve };
}

test('endpoints that do not answer hold up neither others nor later events', async () => {
  const silent = await holdingReceiver();
  const holding = [];
  for (let at = 0; at < 70; at += 1) {
    const { note } = await endpoint(`${silent.origin}/hook`);
    await note();
    holding.push(tick());
  }
  // Sixty-four are in flight, so the victim waits for the first that ends.
  await until(async () => silent.seen.open === 64);
  const victim = await endpoint();
  await victim.note();
  const done = tick();
  expect(receiver.requests).toHaveLength(0);
  silent.release();
  await Promise.all([...holding, done]);
  expect([silent.seen.requests, receiver.requests.length]).toEqual([70, 1]);
  await silent.close();
});

test('endpoints that were slow or failed leave half of the slots to others', async () => {
  const failing = [];
  status = 500;
  for (let at = 0; at < 40; at += 1) {
    const one = await endpoint();
    await one.note();
    failing.push(one);
  }
  await tick();
  const requests = Promise.withResolvers<void>();
  let open = 0;
  receiver.behave(async () => {
    open += 1;
    await requests.promise;
    return new Response(null, { status: 204 });
  });
  now += MINUTE;
  const first = tick();
  await until(async () => open === 32);
  const fresh = await endpoint();
  await fresh.note();
  const second = tick();
  await until(async () => open === 33);
  requests.resolve();
  await Promise.all([first, second]);
  receiver.behave(null);
  expect(await fresh.deliveries()).toMatchObject([{ state: 'delivered' }]);
  for (const one of failing) expect(await one.deliveries()).toMatchObject([{ state: 'delivered' }]);
});

test('a workspace has four deliveries in flight, one for each endpoint', async () => {
  const silent = await holdingReceiver();
  const organizationId = 'outcomes_many';
  for (let at = 0; at < 10; at += 1) {
    await store.create(organizationId, 'key_1', { url: `${silent.origin}/${at}` });
  }
  for (const runId of ['run_1', 'run_2']) {
    await queueEvent(database, { type: 'run.completed', organizationId, runId });
  }
  const first = tick();
  await until(async () => silent.seen.open === 4);
  const other = await endpoint();
  await other.note();
  const second = tick();
  await until(async () => receiver.requests.length === 1);
  silent.release();
  await Promise.all([first, second]);
  expect(silent.seen).toEqual({ open: 0, most: 4, requests: 20 });
  await silent.close();
});

test('a deliverer that is closed starts nothing more, and waits for what is in flight', async () => {
  const silent = await holdingReceiver();
  const closing = createDeliverer({ ...options, resolve: async () => ['127.0.0.1'] });
  const { note, deliveries } = await endpoint(`${silent.origin}/hook`);
  await note('run_1');
  await note('run_2');
  void closing.tick();
  await until(async () => silent.seen.open === 1);
  const closed = closing.close();
  silent.release();
  await closed;
  await closing.tick();
  expect((await deliveries()).map(({ state }) => state)).toEqual(['pending', 'delivered']);
  await silent.close();
});

test('deliveries are made in the order of their events, even if a later one was repeated', async () => {
  const { note, deliver } = await endpoint();
  for (const run of ['run_1', 'run_2', 'run_3']) await note(run);
  const rows = await database.selectFrom('webhook_deliveries').select(['id', 'run_id']).execute();
  await deliver({ next_at: 0 });
  const place = { run_1: 3, run_2: 1, run_3: 2 } as Record<string, number>;
  for (const { id, run_id } of rows) {
    const position = place[run_id];
    await database
      .updateTable('webhook_deliveries')
      .set({ position })
      .where('id', '=', id)
      .execute();
  }
  await tick();
  const told = receiver.requests.map(({ body }) => JSON.parse(String(body)).data.runId);
  expect(told).toEqual(['run_2', 'run_3', 'run_1']);
});

test('the pauses grow to four hours, and the last one repeats for a day', async () => {
  const { note, deliveries } = await endpoint();
  await note();
  await database.updateTable('webhook_deliveries').set({ queued_at: now }).execute();
  status = 500;
  const pauses: number[] = [];
  for (let time = 0; time < 20; time += 1) {
    await tick();
    const [delivery] = await deliveries();
    if (delivery?.nextAttemptAt == null) break;
    const next = Date.parse(delivery.nextAttemptAt);
    pauses.push((next - now) / MINUTE);
    now = next;
  }
  expect(pauses).toEqual([5 / 60, 0.5, 2, 10, 30, 60, 120, 240, 240, 240, 240, 240]);
  expect(await deliveries()).toMatchObject([{ state: 'failed', finishedAt: expect.any(String) }]);
});

describe('the resolved address', () => {
  const { port } = new URL(receiver.origin);

  test('is the one connected to', async () => {
    const { note, deliveries } = await endpoint(`http://hooks.example:${port}/hook`);
    await note();
    // Nothing listens there.
    address = '127.0.0.2';
    await tick();
    expect(await deliveries()).toMatchObject([
      {
        state: 'pending',
        lastStatus: null,
        lastError: 'not reached: the connection failed (ECONNREFUSED)',
      },
    ]);
    address = '127.0.0.1';
    now += MINUTE;
    await tick();
    expect(await deliveries()).toMatchObject([{ state: 'delivered' }]);
  });

  test('may be refused with the reason', async () => {
    const { note, deliveries } = await endpoint(`http://inside.example:${port}/hook`);
    await note();
    address = '10.0.0.1';
    await tick();
    const [delivery] = await deliveries();
    expect(delivery).toMatchObject({ state: 'pending', lastStatus: null });
    expect(delivery?.lastError).toBe('The host is not at a public address.');
    expect(receiver.requests).toHaveLength(0);
  });
});

test('an endpoint disabled in the meantime gets nothing more', async () => {
  for (let each = 0; each < 100; each += 1) await (await endpoint()).note();
  receiver.behave(async () => {
    await database.updateTable('webhooks').set({ disabled_at: now }).execute();
    return new Response(null, { status: 204 });
  });
  await tick();
  receiver.behave(null);
  expect(receiver.requests.length).toBeGreaterThan(0);
  expect(receiver.requests.length).toBeLessThan(100);
});

test('an unresponsive database is logged with its reason', async () => {
  await database.schema.alterTable('webhook_deliveries').renameTo('away').execute();
  await tick();
  expect(log).toMatch(/webhooks_not_delivered.*no such table: webhook_deliveries/);
  await database.schema.alterTable('away').renameTo('webhook_deliveries').execute();
});
