/** The deliverer: leases, pauses, disabling, and what counts as success. */
import { afterAll, beforeEach, describe, expect, test } from 'bun:test';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { createLog } from '../../server/log.ts';
import { createDeliverer } from '../../server/webhooks/deliverer.ts';
import { queueEvent } from '../../server/webhooks/queue-event.ts';
import { post } from '../../server/webhooks/post.ts';
import { createWebhookStore } from '../../server/webhooks/webhook-store.ts';
import { startHttpDouble } from '../support/doubles/http-double.ts';
import { sqliteDatabase } from '../support/servers/sqlite-database.ts';

const { database } = await sqliteDatabase();
const store = createWebhookStore(database);
let status = 204;
const receiver = await startHttpDouble(() => new Response(null, { status }));
afterAll(() => receiver.close());
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

let now = Date.now();
const disabled: unknown[] = [];
const { tick } = createDeliverer({
  database,
  allowed: ['127.0.0.1'],
  log: createLog('silent'),
  disabled: async (webhook) => void disabled.push(webhook),
  now: () => now,
});
beforeEach(async () => {
  await database.deleteFrom('webhooks').execute();
  status = 204;
  now = Date.now() + MINUTE;
  disabled.length = 0;
  receiver.requests.length = 0;
});

let count = 0;
async function endpoint(path = '/hook?from=captioner') {
  const organizationId = `workspace_${(count += 1)}`;
  const url = `${receiver.origin}${path}`;
  const { id } = (await store.create(organizationId, 'key_1', { url }))!;
  const row = () =>
    database.selectFrom('webhooks').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  return {
    id,
    row,
    note: (runId = 'run_1') =>
      queueEvent(database, { type: 'run.completed', organizationId, runId }),
    set: (values: object) =>
      database.updateTable('webhooks').set(values).where('id', '=', id).execute(),
    deliveries: async () => (await store.deliveries(organizationId, id))!,
  };
}

describe('the deliverer', () => {
  test('posts to the complete address, and releases the endpoint afterwards', async () => {
    const { note, row, deliveries } = await endpoint();
    await note();
    await tick();
    expect(receiver.requests.map(({ url }) => `${url.pathname}${url.search}`)).toEqual([
      '/hook?from=captioner',
    ]);
    const sentAt = receiver.requests[0]!.header('webhook-timestamp');
    expect(sentAt).toBe(String(Math.floor(now / 1000)));
    expect((await row()).lease_until).toBeNull();
    expect(await deliveries()).toMatchObject([{ state: 'delivered', attempts: 1 }]);
  });

  test('does not use an endpoint leased by another process until the lease ends', async () => {
    const [held, free] = [await endpoint(), await endpoint()];
    await held.note();
    await held.set({ lease_until: now + MINUTE });
    await free.note();
    await tick();
    expect(receiver.requests).toHaveLength(1);
    // The lease of the other process has not been released.
    expect((await held.row()).lease_until).toBe(now + MINUTE);
    now += 2 * MINUTE;
    await tick();
    expect(receiver.requests).toHaveLength(2);
  });

  test('sends nothing to an endpoint that is disabled', async () => {
    const { note, set } = await endpoint();
    await note();
    await set({ disabled_at: 1 });
    await tick();
    expect(receiver.requests).toHaveLength(0);
  });

  test.each([300, 302, 404, 500])('does not accept status %d as success', async (answer) => {
    const { note, deliveries } = await endpoint();
    await note();
    status = answer;
    await tick();
    expect(await deliveries()).toMatchObject([
      { state: 'pending', attempts: 1, lastStatus: answer, lastError: `answered ${answer}` },
    ]);
  });

  test('waits 5 s, then 30 s, then 2 min', async () => {
    const { note } = await endpoint();
    await note();
    status = 500;
    await tick();
    for (const pause of [5000, 30_000, 2 * MINUTE]) {
      const before = receiver.requests.length;
      now += pause - 1;
      await tick();
      expect(receiver.requests).toHaveLength(before);
      now += 1;
      await tick();
      expect(receiver.requests).toHaveLength(before + 1);
    }
  });

  test('records since when an endpoint has failed, and resets it at the first success', async () => {
    const { note, row } = await endpoint();
    await note();
    status = 500;
    const since = now;
    await tick();
    now += MINUTE;
    await tick();
    expect((await row()).failing_since).toBe(since);
    now += 60 * MINUTE;
    status = 200;
    await tick();
    expect((await row()).failing_since).toBeNull();
  });

  test('disables an endpoint immediately if it is gone, and notifies the owner of its key', async () => {
    const { id, note, row, deliveries } = await endpoint();
    await note('run_1');
    await note('run_2');
    status = 410;
    await tick();
    expect(receiver.requests).toHaveLength(1);
    expect((await deliveries()).map(({ state }) => state)).toEqual(['failed', 'failed']);
    expect((await row()).disabled_at).toBe(now);
    expect(disabled).toMatchObject([{ id, keyId: 'key_1' }]);
  });

  test('sends nothing more to a removed endpoint when a delivery is abandoned', async () => {
    const { note, deliveries } = await endpoint();
    await note('run_1');
    await note('run_2');
    const [, first] = await deliveries();
    await database
      .updateTable('webhook_deliveries')
      .set({ queued_at: now - DAY })
      .where('id', '=', first!.id)
      .execute();
    status = 410;
    await tick();
    expect(receiver.requests).toHaveLength(1);
  });

  test("keeps an endpoint's lease until its last delivery", async () => {
    const { note, row } = await endpoint();
    await note('run_1');
    await note('run_2');
    const leases: (number | null)[] = [];
    receiver.behave(async () => {
      leases.push((await row()).lease_until);
      return new Response(null, { status: 204 });
    });
    await tick();
    receiver.behave(null);
    expect(leases).toEqual([now + MINUTE, now + MINUTE]);
    expect((await row()).lease_until).toBeNull();
  });

  test('disables an endpoint after seven days of failures, not before', async () => {
    const { note, row, set } = await endpoint();
    status = 500;
    await note();
    await set({ failing_since: now - 7 * DAY + 1000 });
    await tick();
    expect((await row()).disabled_at).toBeNull();
    now += MINUTE;
    await tick();
    expect((await row()).disabled_at).toBe(now);
  });

  test('abandons a delivery a day after it was queued, not after its last try', async () => {
    const { note, deliveries } = await endpoint();
    await note();
    const [delivery] = await deliveries();
    await database
      .updateTable('webhook_deliveries')
      .set({ queued_at: now - DAY })
      .where('id', '=', delivery!.id)
      .execute();
    status = 500;
    await tick();
    expect(await deliveries()).toMatchObject([{ state: 'failed', attempts: 1 }]);
  });
});

describe('a post', () => {
  /** Sends to a server that handles the bare connection. */
  async function sent(handle: (socket: Socket) => void, body = '{}', timeoutMs = 4000) {
    let heard = '';
    const server = createServer((socket) => {
      socket.on('error', () => {});
      socket.on('data', (chunk) => (heard += chunk.toString('utf8')));
      handle(socket);
    });
    await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
    const url = new URL(`http://receiver.example:${(server.address() as AddressInfo).port}/`);
    try {
      const outcome = await post({
        url,
        address: '127.0.0.1',
        headers: {},
        body,
        timeoutMs,
      }).catch((error: Error) => error.message);
      return { outcome, heard };
    } finally {
      server.close();
    }
  }
  const answers = (text: string) => (socket: Socket) =>
    void socket.on('data', () => socket.write(text));

  test('times out if the receiver is silent', async () => {
    expect((await sent(() => {}, '{}', 20)).outcome).toBe('no response in time');
  });

  test('uses the final status, not the interim one', async () => {
    const text = 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 503 Later\r\n\r\n';
    expect((await sent(answers(text))).outcome).toBe(503);
  });

  test('stops reading if the response is not HTTP', async () => {
    expect((await sent(answers('x'.repeat(10_000)))).outcome).toBe('the response is not HTTP');
  });

  test('states the length of the body in bytes', async () => {
    const { heard } = await sent(answers('HTTP/1.1 204 None\r\n\r\n'), '{"a":"é"}');
    expect(heard).toContain('content-length: 10\r\n');
    expect(heard).toContain('host: receiver.example:');
  });
});
