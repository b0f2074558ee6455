/** The end of a delivery: no timer and no connection are left, and an endpoint that was not tried is not reported. */
import { beforeEach, expect, test } from 'bun:test';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { refusing, sqliteDatabase } from '../support/servers/sqlite-database.ts';
import { createLog } from '../../server/log.ts';
import { createDeliverer, post } from '../../server/webhooks/deliverer.ts';
import { createWebhookStore, queueEvent } from '../../server/webhooks/webhook-store.ts';

const { database } = await sqliteDatabase();
const store = createWebhookStore(database);
const DAY = 24 * 3_600_000;

/** Posts to a server that handles the bare connection. */
async function posted(handle: (socket: Socket) => void) {
  const gone = Promise.withResolvers<void>();
  const server = createServer((socket) => {
    socket
      .on('error', () => {})
      .on('close', gone.resolve)
      .resume();
    handle(socket);
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  const sent = { url, address: '127.0.0.1', headers: {}, body: '{}', timeoutMs: 60_000 };
  const outcome = await post(sent).catch((error: Error) => error.message);
  await gone.promise;
  server.close();
  return outcome;
}

test('a response that is not HTTP is read up to 8 KiB', async () => {
  const answering = (bytes: number) =>
    posted((socket) => void socket.write('-'.repeat(bytes), () => socket.end()));
  expect(await answering(8192)).toBe('the connection was closed without a response');
  expect(await answering(8193)).toBe('the response is not HTTP');
});

let now = 0;
let log = '';
let answer = 204;
const { tick } = createDeliverer({
  database,
  allowed: ['127.0.0.1'],
  log: createLog('debug', (line) => void (log += line)),
  disabled: async () => {},
  now: () => now,
});
const server = createServer((socket) => {
  socket
    .on('error', () => {})
    .on('data', () => {
      socket.end(`HTTP/1.1 ${answer} x\r\n\r\n`);
      answer = 500;
    });
});
await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
server.unref();
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;

beforeEach(async () => {
  await database.deleteFrom('webhooks').execute();
  [now, log, answer] = [Date.now() + 60_000, '', 204];
});

let count = 0;
async function endpoint() {
  const organizationId = `org_${(count += 1)}`;
  const { id } = (await store.create(organizationId, 'key_1', { url }))!;
  return {
    note: () => queueEvent(database, { type: 'run.completed', organizationId, runId: 'run_1' }),
    set: (values: object) =>
      database.updateTable('webhooks').set(values).where('id', '=', id).execute(),
    row: () =>
      database.selectFrom('webhooks').selectAll().where('id', '=', id).executeTakeFirstOrThrow(),
    deliveries: async () => (await store.deliveries(organizationId, id))!,
    delay: () =>
      database
        .updateTable('webhook_deliveries')
        .set({ next_at: now + 1 })
        .where('webhook_id', '=', id)
        .execute(),
  };
}

test('a delivery and its endpoint record the same outcome, or neither does', async () => {
  const { note, deliveries } = await endpoint();
  await note();
  const full = 'update of failing_since on webhooks';
  await expect(
    refusing(database, full, async () => {
      await tick();
      expect(log).toContain('webhooks_not_delivered');
      throw new Error('the disk is full');
    }),
  ).resolves.toBeUndefined();
  expect(await deliveries()).toMatchObject([{ state: 'pending', attempts: 0, lastStatus: null }]);
  await tick();
});

test('an endpoint that accepts a delivery has failed only since the next failure', async () => {
  const { note, set, row, deliveries } = await endpoint();
  await note();
  await note();
  await set({ failing_since: now - 8 * DAY });
  await tick();
  expect(await row()).toMatchObject({ failing_since: now, disabled_at: null });
  expect(await deliveries()).toMatchObject([
    { state: 'pending', attempts: 1, lastStatus: 500, finishedAt: null },
    { state: 'delivered', attempts: 1, lastStatus: 204 },
  ]);
});
