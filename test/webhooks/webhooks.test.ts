/** Webhooks: events, ordered and signed delivery, retries, and disabling. */
import { afterAll, beforeEach, describe, expect, test } from 'bun:test';
import { Webhook as Receiver } from 'standardwebhooks';
import { createRunStore } from '../../server/runs/run-store.ts';
import { completedResult } from '../../server/http/openapi/example-results.ts';
import { createDeliverer } from '../../server/webhooks/deliverer.ts';
import { createLog } from '../../server/log.ts';
import type { Any } from '../support/servers/client.ts';
import { completedRun, spoken } from '../support/servers/completed-run.ts';
import { startHttpDouble } from '../support/doubles/http-double.ts';
import { callTool, mountedApp } from '../support/servers/mounted.ts';

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
  await store.finish(id, state, { ...completedResult, id }, { stage: null, progress: 1 });
  return id;
}
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
      data: { runId, status: 'completed' },
    });
    expect(() => new Receiver(webhook.secret).verify(`${body} `, headers)).toThrow();
    expect(body).not.toContain('AuthKit');
    const [delivery] = await deliveries();
    expect(delivery).toMatchObject({ id: headers['webhook-id'], state: 'delivered', attempts: 1 });
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

  test('is made by one of two processes, and by the other if the first dies', async () => {
    const { organizationId, webhook } = await endpoint();
    await ends(organizationId);
    await Promise.all([deliverer.tick(), createDeliverer(options).tick()]);
    expect(receiver.requests).toHaveLength(1);
    await ends(organizationId);
    const lease_until = now + 60_000;
    await database
      .updateTable('webhooks')
      .set({ lease_until })
      .where('id', '=', webhook.id)
      .execute();
    now += 2000;
    await deliverer.tick();
    expect(receiver.requests).toHaveLength(1);
    now += 60_000;
    await deliverer.tick();
    expect(receiver.requests).toHaveLength(2);
  });
});

test('an end that is not stored notifies nobody; a repeated end notifies once', async () => {
  const { organizationId, deliveries } = await endpoint();
  const runId = await ends(organizationId);
  const result = { ...completedResult, id: runId };
  await store.finish(runId, 'failed', result, { stage: null, progress: 1 });
  expect(await deliveries()).toMatchObject([{ event: 'run.completed', runId }]);
});

test('a saved review is an event for webhooks that want it', async () => {
  const { key, organizationId, deliveries } = await endpoint({ events: ['review.saved'] });
  const { runId } = await completedRun(database, organizationId, spoken('We use skim.'));
  const saved = await app.ask(`/workflows/captioner/${runId}/review`, {
    method: 'PUT',
    key,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ cues: [{ start: 0, end: 2, lines: ['We use SCIM.'] }], finished: true }),
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
  const urls = ['ftp://example.com/', 'https://ann:secret@a.example/', 'https://ann@a.example/'];
  test.each([...urls, 'https://10.0.0.1/', 'x'])('%s', async (url) => {
    const { key } = await app.signUp(`refused${(name += 1)}@example.com`);
    expect((await post('/webhooks', key, { url })).status).toBe(422);
  });

  test('an eleventh webhook, and webhooks of another workspace', async () => {
    const { key, webhook, organizationId, deliveries } = await endpoint();
    await ends(organizationId);
    const [delivery] = await deliveries();
    const url = 'https://example.com/';
    for (let at = 1; at < 10; at += 1) await post('/webhooks', key, { url });
    expect((await post('/webhooks', key, { url })).status).toBe(409);
    const { key: other } = await app.signUp(`other${(name += 1)}@example.com`);
    const ask = async (path: string, method: string) =>
      (await app.ask(`/webhooks/${webhook.id}${path}`, { method, key: other })).status;
    expect(await ask('/deliveries', 'GET')).toBe(404);
    expect(await ask('/enable', 'POST')).toBe(404);
    expect(await ask(`/deliveries/${delivery!.id}/redeliver`, 'POST')).toBe(404);
    expect(await ask('', 'DELETE')).toBe(404);
    expect((await app.ask(`/webhooks/${webhook.id}`, { method: 'DELETE', key })).status).toBe(204);
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
