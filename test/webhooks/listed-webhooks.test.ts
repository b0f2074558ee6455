/** Lists of webhooks and deliveries, and disabled webhooks. */
import { expect, test } from 'bun:test';
import { queueEvent } from '../../server/webhooks/queue-event.ts';
import { createWebhookStore, forgetDeliveries } from '../../server/webhooks/webhook-store.ts';
import { refusing, sqliteDatabase } from '../support/servers/sqlite-database.ts';

const { database } = await sqliteDatabase();
const store = createWebhookStore(database);
const DAY = 24 * 3_600_000;

const create = async (of: string) =>
  (await store.create(of, 'key_1', { url: 'https://a.example/' }))!;

test('listed webhooks and deliveries have their creation times; deliveries are kept for at least two days', async () => {
  const of = 'listed';
  const now = Date.now();
  const { id } = await create(of);
  await queueEvent(database, { type: 'run.completed', organizationId: of, runId: 'run_1' });
  const [{ id: delivery, createdAt } = { id: '', createdAt: '' }] = (await store.deliveries(
    of,
    id,
  ))!;
  const [webhook] = await store.list(of);
  for (const time of [createdAt, webhook?.createdAt ?? '']) {
    expect(Math.abs(Date.parse(time) - now)).toBeLessThan(60_000);
  }
  const change = (row: object) =>
    database.updateTable('webhook_deliveries').set(row).where('id', '=', delivery).execute();
  const left = async () => ((await store.deliveries(of, id)) ?? []).length;
  // Deliveries are kept as long as results, if results are kept for longer.
  await change({ queued_at: now - 6 * DAY });
  await forgetDeliveries(database, now - 7 * DAY, now);
  expect(await left()).toBe(1);
  await change({ queued_at: now - 2 * DAY });
  await forgetDeliveries(database, now, now);
  expect(await left()).toBe(1);
  await change({ queued_at: now - 2 * DAY - 1 });
  await forgetDeliveries(database, now, now);
  expect(await left()).toBe(0);
});

test('a new webhook is enabled; one that cannot be enabled again is an error', async () => {
  const of = 'enabled';
  const made = await create(of);
  expect(made).toMatchObject({ enabled: true, failingSince: null });
  await database
    .updateTable('webhooks')
    .set({ disabled_at: 5 })
    .where('id', '=', made.id)
    .execute();
  await refusing(database, 'update of disabled_at on webhooks', () => store.enable(of, made.id));
  expect(await store.enable(of, made.id)).toMatchObject({ enabled: true });
});
