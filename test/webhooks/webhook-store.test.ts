/**
 * The rows of webhooks and deliveries: isolation of workspaces, and how long deliveries are kept.
 */
import { describe, expect, test } from 'bun:test';
import { queueEvent, queueRunEnd } from '../../server/webhooks/queue-event.ts';
import { signedHeaders } from '../../server/webhooks/sign.ts';
import { createWebhookStore, forgetDeliveries } from '../../server/webhooks/webhook-store.ts';
import { completedResult } from '../../server/http/openapi/example-results.ts';
import { refusing, sqliteDatabase } from '../support/servers/sqlite-database.ts';

const { database } = await sqliteDatabase();
const store = createWebhookStore(database);
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

let count = 0;
const workspace = () => `workspace_${(count += 1)}`;
const create = async (of: string, events?: ('run.completed' | 'run.failed' | 'review.saved')[]) =>
  (await store.create(of, 'key_1', { url: 'https://a.example/', ...(events && { events }) }))!;
const note = (organizationId: string, runId = 'run_1') =>
  queueEvent(database, { type: 'run.completed', organizationId, runId });
const change = (id: string, row: object) =>
  database.updateTable('webhook_deliveries').set(row).where('id', '=', id).execute();

describe('another workspace', () => {
  test('neither sees nor changes a webhook', async () => {
    const [mine, other] = [workspace(), workspace()];
    const { id } = await create(mine);
    await note(mine);
    const [delivery] = (await store.deliveries(mine, id))!;
    const disabled = { disabled_at: 5, failing_since: 3 };
    await database.updateTable('webhooks').set(disabled).where('id', '=', id).execute();
    const { id: own } = await create(other);
    expect((await store.list(other)).map((webhook) => webhook.id)).toEqual([own]);
    expect(await store.enable(other, id)).toBeNull();
    expect(await store.deliveries(other, id)).toBeNull();
    expect(await store.redeliver(other, id, delivery!.id)).toBeNull();
    expect(await store.delete(other, id)).toBe(false);
    expect(await store.list(mine)).toMatchObject([
      { id, enabled: false, failingSince: '1970-01-01T00:00:00.003Z' },
    ]);
    expect(await store.enable(mine, id)).toMatchObject({ enabled: true, failingSince: null });
    expect(await store.delete(mine, id)).toBe(true);
  });

  test('gets no events of its runs', async () => {
    const [mine, other] = [workspace(), workspace()];
    const [own, strange] = [await create(mine), await create(other)];
    await note(mine);
    expect(await store.deliveries(mine, own.id)).toHaveLength(1);
    expect(await store.deliveries(other, strange.id)).toEqual([]);
  });

  test('lists its own in order of creation', async () => {
    const mine = workspace();
    const ids = [(await create(mine)).id, (await create(mine)).id, (await create(mine)).id];
    for (const [at, id] of ids.entries()) {
      const created_at = 10 - at;
      await database.updateTable('webhooks').set({ created_at }).where('id', '=', id).execute();
    }
    expect((await store.list(mine)).map(({ id }) => id)).toEqual(ids.toReversed());
    // Neither in the order of the rows nor in reverse.
    const renamed = ['b', 'c', 'a'].map((letter) => `${mine}_${letter}`);
    for (const [at, id] of ids.entries()) {
      const row = { id: renamed[at]!, created_at: 1 };
      await database.updateTable('webhooks').set(row).where('id', '=', id).execute();
    }
    expect((await store.list(mine)).map(({ id }) => id)).toEqual(renamed.toSorted());
  });

  test('has a maximum of its own', async () => {
    const [mine, other] = [workspace(), workspace()];
    for (let at = 0; at < 10; at += 1) expect(await create(mine)).toBeTruthy();
    expect(await create(mine)).toBeNull();
    expect(await create(other)).toBeTruthy();
    expect(await store.list(mine)).toHaveLength(10);
  });
});

test('an event requested twice is delivered once', async () => {
  const { events } = await create(workspace(), ['run.failed', 'run.completed', 'run.failed']);
  expect(events).toEqual(['run.failed', 'run.completed']);
});

test('a secret has 32 random bytes, and no two are the same', async () => {
  const mine = workspace();
  const [one, two] = [await create(mine), await create(mine)];
  expect(one.secret).not.toBe(two.secret);
  expect(Buffer.from(one.secret.replace(/^whsec_/, ''), 'base64')).toHaveLength(32);
});

test('the time of an attempt is never in the future', () => {
  expect(signedHeaders('whsec_', 'dlv_1', 1999, '{}')['webhook-timestamp']).toBe('1');
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
    await database.updateTable('webhooks').set({ disabled_at: 1 }).where('id', '=', off).execute();
    await note(mine);
    expect(await store.deliveries(mine, wants)).toHaveLength(1);
    expect(await store.deliveries(mine, wantsOther)).toEqual([]);
    expect(await store.deliveries(mine, off)).toEqual([]);
  });

  test('are listed newest first, at most a hundred', async () => {
    const mine = workspace();
    const { id } = await create(mine);
    for (let at = 0; at < 101; at += 1) await note(mine, `run_${at}`);
    const rows = await database
      .selectFrom('webhook_deliveries')
      .select(['id', 'run_id'])
      .where('webhook_id', '=', id)
      .execute();
    for (const row of rows) await change(row.id, { created_at: Number(row.run_id.slice(4)) });
    const told = (await store.deliveries(mine, id))!.map(({ runId }) => runId);
    expect(told).toEqual(Array.from({ length: 100 }, (_, at) => `run_${100 - at}`));
    const all = database.updateTable('webhook_deliveries').where('webhook_id', '=', id);
    await all.set({ created_at: 1 }).execute();
    for (const row of rows) await change(row.id, { position: -Number(row.run_id.slice(4)) });
    const tied = (await store.deliveries(mine, id))!.map(({ runId }) => runId);
    expect(tied).toEqual(Array.from({ length: 100 }, (_, at) => `run_${at}`));
  });

  test('have the kind of end, and the code of a failure', async () => {
    const mine = workspace();
    const { id } = await create(mine);
    const run = { id: 'run_2', organizationId: mine };
    const input = { source: { key: 'talk.mp3' } };
    const failed = { status: 'failed', input, error: { code: 'cancelled' } } as never;
    await queueRunEnd(database, run, 'blocked', {
      ...completedResult,
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

  test('are numbered separately for each webhook', async () => {
    const mine = workspace();
    await create(mine);
    await note(mine);
    const { id } = await create(mine);
    await note(mine);
    const { position } = await database
      .selectFrom('webhook_deliveries')
      .select('position')
      .where('webhook_id', '=', id)
      .executeTakeFirstOrThrow();
    expect(position).toBe(1);
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

  test('that cannot be deleted are an error', async () => {
    const mine = workspace();
    await create(mine);
    await note(mine);
    const now = Date.now() + 3 * DAY;
    await refusing(database, 'delete on webhook_deliveries', () =>
      forgetDeliveries(database, now, now),
    );
  });
});

test('of two disabled webhooks of a workspace, only the one named in the request is enabled', async () => {
  const mine = workspace();
  const [one] = [await create(mine), await create(mine)];
  await database
    .updateTable('webhooks')
    .set({ disabled_at: 5 })
    .where('organization_id', '=', mine)
    .execute();
  await store.enable(mine, one.id);
  const enabled = (await store.list(mine)).filter((webhook) => webhook.enabled);
  expect(enabled.map(({ id }) => id)).toEqual([one.id]);
  expect(await store.list(mine)).toHaveLength(2);
});

test('a webhook that cannot be stored is not reported as created', async () => {
  await refusing(database, 'insert on webhooks', () => create(workspace()));
});
