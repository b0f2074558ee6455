/** The deliverer: leases, pauses, disabling, what counts as success, and the end of each delivery. */
import { afterAll, beforeEach, describe, expect, test } from 'bun:test';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { createLog } from '../../server/base/log.ts';
import { createDeliverer, post } from '../../server/webhooks/deliverer.ts';
import { createWebhookStore, queueEvent } from '../../server/webhooks/webhook-store.ts';
import { startHttpDouble } from '../support/doubles/http-double.ts';
import { until } from '../support/servers/client.ts';
import { refusing, sqliteDatabase } from '../support/servers/sqlite-database.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

describe('the deliverer', async () => {
  const { database } = await sqliteDatabase();
  const store = createWebhookStore(database);
  let status = 204;
  const receiver = await startHttpDouble(() => new Response(null, { status }));
  afterAll(() => receiver.close());

  let now = 0;
  let log = '';
  let address = '127.0.0.1';
  const disabled: unknown[] = [];
  const options: Parameters<typeof createDeliverer>[0] = {
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
  async function endpoint(url = `${receiver.origin}/hook?from=captioner`) {
    const organizationId = `workspace_${(count += 1)}`;
    const { id } = (await store.create(organizationId, 'key_1', { url }))!;
    return {
      id,
      row: () =>
        database.selectFrom('webhooks').selectAll().where('id', '=', id).executeTakeFirstOrThrow(),
      note: (runId = 'run_1') =>
        queueEvent(database, {
          type: 'run.completed',
          organizationId,
          runId,
          data: { result: '', status: 'completed' },
        }),
      set: (values: object) =>
        database.updateTable('webhooks').set(values).where('id', '=', id).execute(),
      deliveries: async () => (await store.deliveries(organizationId, id))!,
    };
  }

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

  test('an event that is always refused no longer holds up the others after five attempts', async () => {
    const { note, row, deliveries } = await endpoint();
    for (const runId of ['refused', 'next', 'last']) await note(runId);
    const seen: string[] = [];
    receiver.behave(({ body }) => {
      const { runId } = JSON.parse(String(body)).data;
      seen.push(runId);
      return new Response(null, { status: runId === 'refused' ? 422 : 204 });
    });
    for (let tries = 0; tries < 6; tries += 1, now += 15 * MINUTE) await tick();
    expect(seen).toEqual([...Array(5).fill('refused'), 'next', 'last']);
    now += 30 * MINUTE;
    await note('newest');
    await tick();
    expect(seen.slice(-2).toSorted()).toEqual(['newest', 'refused']);
    expect((await deliveries()).find(({ runId }) => runId === 'refused')).toMatchObject({
      state: 'pending',
      attempts: 6,
      lastStatus: 422,
    });
    for (let hours = 0; hours < 26; hours += 1, now += 60 * MINUTE) await tick();
    expect((await deliveries()).map(({ state }) => state).toSorted()).toEqual([
      'delivered',
      'delivered',
      'delivered',
      'failed',
    ]);
    expect((await row()).disabled_at).toBeNull();
    receiver.behave(null);
  });

  test('while an endpoint is not reached, its events keep their order', async () => {
    const { note, deliveries } = await endpoint('http://127.0.0.1:9/');
    for (const runId of ['first', 'second']) await note(runId);
    for (let tries = 0; tries < 7; tries += 1, now += 61 * MINUTE) await tick();
    const attempts = async () =>
      Object.fromEntries((await deliveries()).map((one) => [one.runId, one.attempts]));
    expect(await attempts()).toMatchObject({ second: 0 });
    expect((await attempts())['first']).toBeGreaterThan(5);
  });

  test('an endpoint that accepts a delivery has failed only since the next failure', async () => {
    const { note, set, row, deliveries } = await endpoint();
    await note();
    await note();
    receiver.behave(() => {
      status = receiver.requests.length === 1 ? 204 : 500;
      return new Response(null, { status });
    });
    await set({ failing_since: now - 8 * DAY });
    await tick();
    receiver.behave(null);
    expect(await row()).toMatchObject({ failing_since: now, disabled_at: null });
    expect(await deliveries()).toMatchObject([
      { state: 'pending', attempts: 1, lastStatus: 500, finishedAt: null },
      { state: 'delivered', attempts: 1, lastStatus: 204 },
    ]);
  });

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
    for (const one of failing)
      expect(await one.deliveries()).toMatchObject([{ state: 'delivered' }]);
  });

  test('a workspace has four deliveries in flight, one for each endpoint', async () => {
    const silent = await holdingReceiver();
    const organizationId = 'outcomes_many';
    for (let at = 0; at < 10; at += 1) {
      await store.create(organizationId, 'key_1', { url: `${silent.origin}/${at}` });
    }
    for (const runId of ['run_1', 'run_2']) {
      await queueEvent(database, {
        type: 'run.completed',
        organizationId,
        runId,
        data: { result: '', status: 'completed' },
      });
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

  test('an unresponsive database is logged with its reason', async () => {
    await database.schema.alterTable('webhook_deliveries').renameTo('away').execute();
    await tick();
    expect(log).toMatch(/webhooks_not_delivered.*no such table: webhook_deliveries/);
    await database.schema.alterTable('away').renameTo('webhook_deliveries').execute();
  });
});

describe('a post', () => {
  /** Posts to a server that handles the bare connection. */
  async function posted(handle: (socket: Socket) => void, timeoutMs = 60_000) {
    const gone = Promise.withResolvers<void>();
    const server = createServer((socket) => {
      socket
        .on('error', () => {})
        .on('close', gone.resolve)
        .resume();
      handle(socket);
    });
    await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
    const url = new URL(`http://receiver.example:${(server.address() as AddressInfo).port}/`);
    const sent = { url, address: '127.0.0.1', headers: {}, body: '{}', timeoutMs };
    const outcome = await post(sent).catch((error: Error) => error.message);
    await gone.promise;
    server.close();
    return outcome;
  }

  test('times out if the receiver is silent', async () => {
    expect(await posted(() => {}, 20)).toBe('no response in time');
  });

  test('reads a response that is not HTTP up to 8 KiB', async () => {
    const answering = (bytes: number) =>
      posted((socket) => void socket.write('-'.repeat(bytes), () => socket.end()));
    expect(await answering(8192)).toBe('the connection was closed without a response');
    expect(await answering(8193)).toBe('the response is not HTTP');
  });
});
