/** Webhooks: events, ordered and signed delivery, retries, and disabling. */
import { afterAll, beforeEach, describe, expect, test } from 'bun:test';
import { Webhook as Receiver } from 'standardwebhooks';
import type { NewWebhook } from '../../server/contract/webhooks.ts';
import { registerWebhook } from '../../server/http/workspace/webhooks.ts';
import { createLog } from '../../server/base/log.ts';
import { createRunStore } from '../../server/runs/store/run-store.ts';
import { createDeliverer } from '../../server/webhooks/deliverer.ts';
import {
  createWebhookStore,
  forgetDeliveries,
  queueEvent,
  queueRunEnd,
} from '../../server/webhooks/webhook-store.ts';
import { startHttpDouble } from '../support/doubles/http-double.ts';
import type { Any } from '../support/servers/client.ts';
import { completedRun, spoken } from '../support/servers/completed-run.ts';
import { callTool, mountedApp } from '../support/servers/mounted.ts';
import { sqliteDatabase } from '../support/servers/sqlite-database.ts';
import * as examples from '../../server/http/openapi/examples.ts';

describe('webhooks', async () => {
  const app = await mountedApp({ env: { WEBHOOK_ALLOW: '127.0.0.1' } });
  const { database } = app.services;
  const store = createRunStore(database);
  let answers = (_at: number): Response => new Response(null, { status: 204 });
  const receiver = await startHttpDouble((request) => answers(request.at));
  afterAll(() => receiver.close());

  let now = Date.now();
  const lines: string[] = [];
  const disabled: Any[] = [];
  const options = {
    database,
    allowed: ['127.0.0.1'],
    log: createLog('debug', (line) => void lines.push(line)),
    disabled: async (webhook: Any) => void disabled.push(webhook),
    now: () => now,
  };
  const deliverer = createDeliverer(options);
  const HOUR = 3_600_000;

  const post = (path: string, key: string, body: object = {}) =>
    app.ask(path, {
      method: 'POST',
      key,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  let name = 0;
  async function endpoint(body: object = {}) {
    const { key, organizationId } = await app.signUp(`hook${(name += 1)}@example.com`);
    const made = await post('/webhooks', key, { url: `${receiver.origin}/hook`, ...body });
    expect([made.status, made.headers.get('cache-control')]).toEqual([201, 'no-store']);
    const webhook: Any = await made.json();
    const deliveries = async (): Promise<Any[]> =>
      (await (await app.ask(`/webhooks/${webhook.id}/deliveries`, { key })).json()).deliveries;
    return { key, organizationId, webhook, deliveries };
  }
  /** A queued run, and its end. */
  async function ends(organizationId: string, state: 'completed' | 'failed' = 'completed') {
    const id = `run_${crypto.randomUUID()}`;
    const payload = { audio: { key: 'a.mp3' } };
    await store.insert({ id, organizationId, keyId: 'k', payload, idempotencyKey: null });
    await store.finish(
      id,
      state,
      { ...examples.completedResult, id, ...(state === 'completed' && { transcript: doubted }) },
      { stage: null, progress: 1 },
    );
    return id;
  }
  /** The doubt of a run about what it heard. */
  const languageDoubt = { language: 'en', whole: true, stretches: [], share: 1, heard: 'de' };
  const doubted = {
    ...examples.completedResult.transcript,
    metadata: { ...examples.completedResult.transcript.metadata, languageDoubt },
  };
  const received = () => receiver.requests.map(({ body }) => JSON.parse(body.toString()));

  beforeEach(() => {
    receiver.requests.length = 0;
    answers = () => new Response(null, { status: 204 });
    // Later than anything a slow test queues in the meantime, and within the five minutes for which a
    // signature is valid.
    now = Date.now() + 120_000;
  });

  describe('a delivery', () => {
    test('is signed according to Standard Webhooks, and contains nothing of the transcript', async () => {
      const { organizationId, webhook, deliveries } = await endpoint();
      const runId = await ends(organizationId);
      await deliverer.tick();
      const [request] = receiver.requests;
      const headers = Object.fromEntries(
        ['id', 'timestamp', 'signature'].map((part) => [
          `webhook-${part}`,
          request!.header(`webhook-${part}`) ?? '',
        ]),
      );
      const body = request!.body.toString();
      expect(new Receiver(webhook.secret).verify(body, headers)).toMatchObject({
        type: 'run.completed',
        data: {
          runId,
          status: 'completed',
          hearingNotes: ['This does not sound like English. It sounds like German.'],
        },
      });
      expect(() => new Receiver(webhook.secret).verify(`${body} `, headers)).toThrow();
      expect(body).not.toContain('AuthKit');
      const [delivery] = await deliveries();
      expect(delivery).toMatchObject({
        id: headers['webhook-id'],
        state: 'delivered',
        attempts: 1,
      });
      expect(lines.join('')).not.toContain(webhook.secret);
      expect(JSON.stringify(app.log())).not.toContain(webhook.secret);
    });

    test('waits behind a failing one, keeps its id, and continues when the receiver is back', async () => {
      const { organizationId, deliveries } = await endpoint();
      const first = await ends(organizationId);
      const second = await ends(organizationId, 'failed');
      answers = () => new Response(null, { status: 500 });
      await deliverer.tick();
      await deliverer.tick();
      expect(receiver.requests).toHaveLength(1);
      now += 4000;
      await deliverer.tick();
      expect(receiver.requests).toHaveLength(1);
      now += 2000;
      answers = () => new Response(null, { status: 200 });
      await deliverer.tick();
      expect(received().map(({ data }: Any) => data.runId)).toEqual([first, first, second]);
      const [one, two, three] = receiver.requests.map((r) => r.header('webhook-id'));
      expect(one).toBe(two);
      expect(three).not.toBe(one);
      expect((await deliveries()).map(({ state }) => state)).toEqual(['delivered', 'delivered']);
    });

    test('is abandoned after a day, can be repeated, and does not block the next one', async () => {
      const { key, organizationId, webhook, deliveries } = await endpoint();
      const runId = await ends(organizationId);
      answers = () => new Response(null, { status: 302, headers: { location: receiver.origin } });
      const began = now;
      // With a limit, in case the deliveries never stop.
      while ((await deliveries())[0]!.state === 'pending' && now - began < 100 * HOUR) {
        await deliverer.tick();
        now += HOUR;
      }
      expect(now - began).toBeLessThan(26 * HOUR);
      const [failed] = await deliveries();
      expect(failed).toMatchObject({ state: 'failed', lastStatus: 302, lastError: 'answered 302' });
      expect(new Set(receiver.requests.map(({ url }) => url.pathname))).toEqual(new Set(['/hook']));
      receiver.requests.length = 0;
      answers = () => new Response(null, { status: 204 });
      const again = await post(`/webhooks/${webhook.id}/deliveries/${failed!.id}/redeliver`, key);
      expect(again.status).toBe(202);
      await deliverer.tick();
      expect(received()).toMatchObject([{ data: { runId } }]);
    });
  });

  test('a saved review is an event for webhooks that want it', async () => {
    const { key, organizationId, deliveries } = await endpoint({ events: ['review.saved'] });
    const { runId } = await completedRun(database, organizationId, spoken('We use skim.'));
    const saved = await app.ask(`/workflows/captioner/${runId}/review`, {
      method: 'PUT',
      key,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        cues: [{ start: 0, end: 2, lines: ['We use SCIM.'] }],
        finished: true,
      }),
    });
    expect(saved.status).toBe(201);
    await ends(organizationId);
    expect(await deliveries()).toMatchObject([{ event: 'review.saved', runId }]);
  });

  test('a week of failures, or 410, disables a webhook and notifies its owner; enabled, it gets events again', async () => {
    const { key, organizationId, webhook } = await endpoint();
    answers = () => new Response(null, { status: 503 });
    for (let day = 0; day < 9; day += 1) {
      await ends(organizationId);
      await deliverer.tick();
      now += 24 * HOUR;
    }
    const list = async (): Promise<Any> => (await app.ask('/webhooks', { key })).json();
    expect((await list()).webhooks).toMatchObject([{ id: webhook.id, enabled: false }]);
    expect((await list()).webhooks[0]).not.toHaveProperty('secret');
    expect(disabled).toMatchObject([{ id: webhook.id }]);
    receiver.requests.length = 0;
    await deliverer.tick();
    expect(receiver.requests).toHaveLength(0);
    answers = () => new Response(null, { status: 204 });
    await post(`/webhooks/${webhook.id}/enable`, key);
    const runId = await ends(organizationId);
    await deliverer.tick();
    expect(received()).toMatchObject([{ data: { runId } }]);
  });

  describe('refused', () => {
    test('an eleventh webhook, and webhooks of another workspace', async () => {
      const { key, webhook, organizationId, deliveries } = await endpoint();
      await ends(organizationId);
      const [delivery] = await deliveries();
      const url = 'https://example.com/';
      for (let at = 1; at < 10; at += 1) await post('/webhooks', key, { url });
      expect((await post('/webhooks', key, { url })).status).toBe(409);
      const unsafe = 'https://10.0.0.1/';
      expect((await post('/webhooks', key, { url: unsafe })).status).toBe(422);
      const { key: other } = await app.signUp(`other${(name += 1)}@example.com`);
      const ask = async (path: string, method: string) =>
        (await app.ask(`/webhooks/${webhook.id}${path}`, { method, key: other })).status;
      expect(await ask('/deliveries', 'GET')).toBe(404);
      expect(await ask('/enable', 'POST')).toBe(404);
      expect(await ask(`/deliveries/${delivery!.id}/redeliver`, 'POST')).toBe(404);
      expect(await ask('', 'DELETE')).toBe(404);
      expect((await app.ask(`/webhooks/${webhook.id}`, { method: 'DELETE', key })).status).toBe(
        204,
      );
    });
  });

  test('the MCP tool does the same, and names missing arguments', async () => {
    const { key, webhook } = await endpoint();
    const other = await app.signUp(`tool${(name += 1)}@example.com`);
    const call = (input: object, sender = { key }) => callTool(app, sender, 'webhooks', input);
    expect((await call({ action: 'create' })).words).toBe(
      'invalid_payload: url is required to create.\n- url is required to create',
    );
    expect((await call({ action: 'create', url: 'http://127.0.0.1:1/' })).isError).toBe(false);
    const made = await call({
      action: 'create',
      url: 'https://example.com/',
      events: ['run.failed'],
    });
    expect(made.structuredContent.webhook).toMatchObject({ events: ['run.failed'] });
    expect(made.structuredContent.webhook.secret).toStartWith('whsec_');
    const list = await call({ action: 'list' });
    expect(list.structuredContent.webhooks).toHaveLength(3);
    expect(JSON.stringify(list)).not.toContain('whsec_');
    for (const action of ['delete', 'enable', 'deliveries']) {
      const refused = await call({ action, webhookId: webhook.id }, other);
      expect(refused.words).toContain('webhook_not_found');
    }
    expect((await call({ action: 'delete', webhookId: webhook.id })).isError).toBe(false);
    expect((await call({ action: 'list' })).structuredContent.webhooks).toHaveLength(2);
  });
});

describe('the rows of webhooks and deliveries', async () => {
  const { database } = await sqliteDatabase();
  const store = createWebhookStore(database);
  const HOUR = 3_600_000;
  const DAY = 24 * HOUR;

  let count = 0;
  const workspace = () => `workspace_${(count += 1)}`;
  const create = async (of: string, events?: ('run.completed' | 'run.failed' | 'review.saved')[]) =>
    (await store.create(of, 'key_1', { url: 'https://a.example/', ...(events && { events }) }))!;
  const note = (organizationId: string, runId = 'run_1') =>
    queueEvent(database, {
      type: 'run.completed',
      organizationId,
      runId,
      data: { result: '', status: 'completed' },
    });
  const change = (id: string, row: object) =>
    database.updateTable('webhook_deliveries').set(row).where('id', '=', id).execute();

  describe('another workspace', () => {
    test('gets no events of its runs', async () => {
      const [mine, other] = [workspace(), workspace()];
      const [own, strange] = [await create(mine), await create(other)];
      await note(mine);
      expect(await store.deliveries(mine, own.id)).toHaveLength(1);
      expect(await store.deliveries(other, strange.id)).toEqual([]);
    });
  });

  describe('deliveries', () => {
    test('are those of the webhook in the address, and not others of the workspace', async () => {
      const mine = workspace();
      const [one, two] = [await create(mine), await create(mine)];
      await note(mine);
      const [first] = (await store.deliveries(mine, one.id))!;
      expect(await store.deliveries(mine, one.id)).toHaveLength(1);
      expect(await store.redeliver(mine, two.id, first!.id)).toBeNull();
    });

    test("are made for the webhook's events, unless it is disabled", async () => {
      const mine = workspace();
      const { id: wants } = await create(mine, ['run.completed']);
      const { id: wantsOther } = await create(mine, ['review.saved']);
      const { id: off } = await create(mine);
      await database
        .updateTable('webhooks')
        .set({ disabled_at: 1 })
        .where('id', '=', off)
        .execute();
      await note(mine);
      expect(await store.deliveries(mine, wants)).toHaveLength(1);
      expect(await store.deliveries(mine, wantsOther)).toEqual([]);
      expect(await store.deliveries(mine, off)).toEqual([]);
    });

    test('have the kind of end, and the code of a failure', async () => {
      const mine = workspace();
      const { id } = await create(mine);
      const run = { id: 'run_2', organizationId: mine };
      const input = { source: { key: 'talk.mp3' } };
      const failed = { status: 'failed', input, error: { code: 'cancelled' } } as never;
      await queueRunEnd(database, run, 'blocked', {
        ...examples.completedResult,
        input,
        status: 'blocked',
      } as never);
      await queueRunEnd(database, run, 'cancelled', failed);
      expect((await store.deliveries(mine, id))!.map(({ event }) => event).toSorted()).toEqual([
        'run.blocked',
        'run.failed',
      ]);
      const bodies = await database
        .selectFrom('webhook_deliveries')
        .select('body')
        .where('webhook_id', '=', id)
        .orderBy('position')
        .execute();
      const named = { runId: 'run_2', result: '/workflows/captioner/run_2', audioKey: 'talk.mp3' };
      expect(bodies.map(({ body }) => JSON.parse(body).data)).toEqual([
        { ...named, status: 'blocked' },
        { ...named, status: 'failed', code: 'cancelled' },
      ]);
    });

    test('that are repeated queue behind those that wait, with all attempts and a whole day', async () => {
      const mine = workspace();
      const { id } = await create(mine);
      await note(mine, 'run_first');
      await note(mine, 'run_second');
      const [second, first] = (await store.deliveries(mine, id))!;
      expect([first!.runId, second!.runId]).toEqual(['run_first', 'run_second']);
      const ended = { state: 'failed', tries: 9, queued_at: 1, finished_at: 2, next_at: 3 };
      await change(first!.id, ended);
      const before = Date.now();
      expect(await store.redeliver(mine, id, first!.id)).toMatchObject({
        id: first!.id,
        state: 'pending',
        attempts: 0,
        finishedAt: null,
      });
      const rows = await database
        .selectFrom('webhook_deliveries')
        .select(['run_id', 'position', 'queued_at', 'next_at'])
        .where('webhook_id', '=', id)
        .orderBy('position')
        .execute();
      expect(rows.map(({ run_id }) => run_id)).toEqual(['run_second', 'run_first']);
      expect(rows[1]!.queued_at).toBeGreaterThanOrEqual(before);
      expect(rows[1]!.next_at).toBeGreaterThanOrEqual(before);
    });

    test('are kept while they may be retried, however briefly results are kept', async () => {
      const mine = workspace();
      const { id } = await create(mine);
      for (const run of ['ended', 'fresh', 'trying', 'stopped']) await note(mine, run);
      const ids = new Map((await store.deliveries(mine, id))!.map((one) => [one.runId, one.id]));
      const now = Date.now();
      await change(ids.get('ended')!, { state: 'delivered', finished_at: now - 2 * HOUR });
      await change(ids.get('fresh')!, { state: 'delivered', finished_at: now - HOUR / 2 });
      await change(ids.get('trying')!, { queued_at: now - DAY });
      await change(ids.get('stopped')!, { queued_at: now - 3 * DAY });
      await forgetDeliveries(database, now - HOUR, now);
      const left = (await store.deliveries(mine, id))!.map(({ runId }) => runId);
      expect(left.toSorted()).toEqual(['fresh', 'trying']);
    });
  });
});

describe('registering a webhook', async () => {
  const { database } = await sqliteDatabase();
  const webhooks = createWebhookStore(database);
  let workspaces = 0;

  const register = (url: string, webhookAllow: readonly string[] = []): Promise<NewWebhook> => {
    workspaces += 1;
    const sender = { organizationId: `org_${workspaces}`, keyId: 'key_1' };
    return registerWebhook({ webhooks, webhookAllow }, sender, { url });
  };

  test.each([
    ['hooks.example', 'is not an address'],
    ['http://hooks.example/', 'must be an https address'],
    ['ftp://hooks.example/', 'must be an https address'],
    ['https://ann@hooks.example/', 'must not contain a user name or password'],
    ['https://:secret@hooks.example/', 'must not contain a user name or password'],
    ['https://10.0.0.1/', 'must be at a public address'],
    ['https://localhost/', 'must be at a public address'],
    ['https://hooks.example:8443/', 'must use port 443 or 80'],
  ])('%s is refused: it %s', async (url, message) => {
    await expect(register(url)).rejects.toMatchObject({
      status: 422,
      code: 'invalid_payload',
      message: `url ${message}.`,
      options: { details: [{ path: 'url', message }] },
    });
  });

  test('where the operator allows private hosts, plain http is taken too, other protocols are not', async () => {
    expect((await register('http://10.0.0.1/', ['10.0.0.0/8'])).url).toBe('http://10.0.0.1/');
    const ftp = register('ftp://10.0.0.1/', ['10.0.0.0/8']);
    await expect(ftp).rejects.toThrow('must be an https address');
  });
});
