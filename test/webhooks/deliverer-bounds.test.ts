/** The limits of deliveries: the time an endpoint is tried, the bytes read, and the recorded outcome. */
import { beforeEach, expect, test } from 'bun:test';
import { createServer, type AddressInfo } from 'node:net';
import { createLog } from '../../server/log.ts';
import { createDeliverer } from '../../server/webhooks/deliverer.ts';
import { queueEvent } from '../../server/webhooks/queue-event.ts';
import { createWebhookStore } from '../../server/webhooks/webhook-store.ts';
import { watchDatabase } from '../support/doubles/watched-database.ts';
import { refusing, sqliteDatabase } from '../support/servers/sqlite-database.ts';

const { database } = await sqliteDatabase();
const { database: watched, statements } = watchDatabase(database);
const store = createWebhookStore(database);
const DAY = 24 * 3_600_000;

let now = 0;
let log = '';
let status = 204;
let unresolved: Error | null = null;
const { tick } = createDeliverer({
  database: watched,
  allowed: ['127.0.0.1', 'hook.test'],
  log: createLog('debug', (line) => void (log += line)),
  disabled: async () => {},
  now: () => now,
  resolve: async () => {
    if (unresolved) throw unresolved;
    return ['127.0.0.1'];
  },
});
let received = '';
/** Something that happens while a request is under way. */
let meanwhile = async (): Promise<void> => {};
const server = createServer((socket) => {
  socket.on('error', () => {});
  socket.on('data', (chunk) => {
    received += chunk.toString();
    void meanwhile().then(() => socket.end(`HTTP/1.1 ${status} x\r\n\r\n`));
  });
});
await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
server.unref();
const { port } = server.address() as AddressInfo;

beforeEach(async () => {
  await database.deleteFrom('webhooks').execute();
  [now, log, status, unresolved] = [Date.now() + 60_000, '', 204, null];
  statements.length = 0;
  [received, meanwhile] = ['', async () => {}];
});

let count = 0;
/** An endpoint with deliveries that wait for it. */
async function endpoint(waiting: number, host = '127.0.0.1') {
  const organizationId = `bounds_${(count += 1)}`;
  const made = await store.create(organizationId, 'key_1', { url: `http://${host}:${port}/` });
  const { id } = made!;
  for (let at = 0; at < waiting; at += 1) {
    await queueEvent(database, { type: 'run.completed', organizationId, runId: `run_${at}` });
  }
  const set = async (webhook: object, delivery: object = {}): Promise<void> => {
    if (Object.keys(webhook).length > 0) {
      await database.updateTable('webhooks').set(webhook).where('id', '=', id).execute();
    }
    if (Object.keys(delivery).length === 0) return;
    const deliveries = database.updateTable('webhook_deliveries').set(delivery);
    await deliveries.where('webhook_id', '=', id).execute();
  };
  const row = () =>
    database.selectFrom('webhooks').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  return { set, row, deliveries: async () => (await store.deliveries(organizationId, id))! };
}

test('an event has the time at which it happened', async () => {
  await endpoint(1);
  const { body } = await database
    .selectFrom('webhook_deliveries')
    .select('body')
    .executeTakeFirstOrThrow();
  const { timestamp } = JSON.parse(body) as { timestamp: string };
  expect(Math.abs(Date.parse(timestamp) - Date.now())).toBeLessThan(60_000);
});

test('deliveries are read one at a time', async () => {
  await endpoint(3);
  await tick();
  const read = statements.filter((statement) => statement.startsWith('select webhook_deliveries'));
  expect(read.map((statement) => statement.split(': ')[1])).toEqual(['1', '1', '1']);
});

test('an endpoint that is disabled, or not due, is not looked at', async () => {
  const [disabled, waiting] = [await endpoint(1), await endpoint(1)];
  await disabled.set({ disabled_at: now });
  await waiting.set({}, { next_at: now + 1 });
  await tick();
  expect(statements).toEqual(['select webhooks: 0']);
});

test.each([
  [DAY - 5000, 'pending', null],
  [DAY - 4999, 'failed', DAY - 4999],
])('a delivery that failed after %d ms is %s', async (waited, state, finished) => {
  const { set, deliveries } = await endpoint(1);
  const queued_at = now - waited;
  await set({}, { queued_at });
  status = 500;
  await tick();
  expect(await deliveries()).toMatchObject([
    { state, finishedAt: finished === null ? null : new Date(queued_at + finished).toISOString() },
  ]);
});

test.each([
  [7 * DAY - 1, null],
  [7 * DAY, 'now'],
])('an endpoint that has failed for %d ms is disabled: %p', async (failing, disabled) => {
  const { set, row } = await endpoint(2);
  await set({ failing_since: now - failing });
  status = 500;
  await tick();
  expect((await row()).disabled_at).toBe(disabled === null ? null : now);
});

test('after nine failures and more, the pause is four hours', async () => {
  const { set, deliveries } = await endpoint(1);
  status = 500;
  for (const tries of [7, 8, 20]) {
    await set({}, { tries, next_at: now, queued_at: now });
    await tick();
    const [{ nextAttemptAt } = { nextAttemptAt: null }] = await deliveries();
    expect(Date.parse(nextAttemptAt!) - now).toBe(4 * 3_600_000);
  }
});

test('an endpoint that is not reached has no status, and the reason is the code', async () => {
  const { set, deliveries } = await endpoint(1, 'elsewhere.test');
  await set({}, { last_status: 500 });
  unresolved = Object.assign(new Error('getaddrinfo at 10.0.0.1'), { code: 'ENOTFOUND' });
  await tick();
  expect(await deliveries()).toMatchObject([
    { state: 'pending', attempts: 1, lastStatus: null, lastError: 'not reached: ENOTFOUND' },
  ]);
});

test.each([
  ['the outcome of a delivery', 'update on webhook_deliveries'],
  ['that an endpoint is free', 'update of lease_until on webhooks when new.lease_until is null'],
])('%s that cannot be recorded is logged', async (_what, write) => {
  await endpoint(1);
  await refusing(database, write, async () => {
    await tick();
    expect(log).toContain('webhooks_not_delivered');
    throw new Error('the disk is full');
  });
});

test('deliveries are made by their position, and listed newest first', async () => {
  const { set, deliveries } = await endpoint(3);
  const ids = async () => (await deliveries()).map(({ id }) => id);
  const made = await ids();
  await set({}, { created_at: 1 });
  expect(await ids()).toEqual(made);
  const [newest = ''] = made;
  const one = database.updateTable('webhook_deliveries').where('id', '=', newest);
  await one.set({ created_at: 0 }).execute();
  expect(await ids()).toEqual([...made.slice(1), newest]);
  // Of two at one position, the one with the smaller id.
  await set({}, { position: 5 });
  status = 500;
  await tick();
  const tried = (await deliveries()).filter(({ attempts }) => attempts > 0);
  expect(tried.map(({ id }) => id)).toEqual([made.toSorted()[0]!]);
});

test('a delivery has its headers, and each one renews the lease of its endpoint', async () => {
  const { row } = await endpoint(2);
  const leases: (number | null)[] = [];
  const first = now;
  meanwhile = async () => {
    leases.push((await row()).lease_until);
    now = first + 10_000;
  };
  await tick();
  expect(received).toContain('\r\ncontent-type: application/json\r\n');
  expect(received).toContain('\r\nuser-agent: Captioner-Webhooks\r\n');
  expect(leases).toEqual([first + 60_000, first + 70_000]);
  expect((await row()).lease_until).toBeNull();
});
