/** The webhooks of workspaces and their deliveries, as clients see them, and the events queued for them. */
import type { Static } from '../contract/schema.ts';
import { sql } from 'kysely';
import { randomUUID, createHmac, randomBytes } from 'node:crypto';
import {
  WEBHOOK_EVENTS,
  type NewWebhook,
  type Webhook,
  type WebhookBody,
  type WebhookDelivery,
  type WebhookEvent,
  type WebhookInput,
} from '../contract/webhooks.ts';
import type { Database } from '../storage/database.ts';
import { lockUntilCommit } from '../storage/transaction-lock.ts';
import type { Tables } from '../storage/tables.ts';
import { hearingNotesOf } from '../contract/hearing.ts';
import type { CaptionerResult } from '../contract/results.ts';
import type { RunState } from '../contract/runs.ts';

/** The most webhooks of a workspace. */
export const MAX_WEBHOOKS = 10;
/** The most deliveries in a list. */
const MAX_SHOWN = 100;

export type WebhookStore = ReturnType<typeof createWebhookStore>;

/** The time for which a delivery is kept at least, since it may still be tried, however briefly results are kept. */
const LONGEST_WAIT_MS = 2 * 24 * 3_600_000;

/**
 * Deletes the deliveries that ended before an instant (epoch milliseconds), and those that are no longer tried because
 * their webhook is disabled.
 */
export async function forgetDeliveries(
  database: Database,
  before: number,
  now: number = Date.now(),
): Promise<void> {
  await database
    .deleteFrom('webhook_deliveries')
    .where((eb) =>
      eb.or([
        eb('finished_at', '<', before),
        eb('queued_at', '<', Math.min(before, now - LONGEST_WAIT_MS)),
      ]),
    )
    .execute();
}

/** Creates the store. */
export function createWebhookStore(database: Database) {
  const find = (organizationId: string, id: string) =>
    database
      .selectFrom('webhooks')
      .selectAll()
      .where('organization_id', '=', organizationId)
      .where('id', '=', id)
      .executeTakeFirst();
  return {
    /** Registers a webhook; null if the workspace already has the maximum. */
    async create(
      organizationId: string,
      keyId: string,
      { url, events = [...WEBHOOK_EVENTS] }: Static<typeof WebhookInput>,
    ): Promise<NewWebhook | null> {
      const row: WebhookRow = {
        id: `wh_${randomUUID()}`,
        organization_id: organizationId,
        key_id: keyId,
        url,
        events: JSON.stringify([...new Set(events)]),
        secret: newSecret(),
        created_at: Date.now(),
        failing_since: null,
        disabled_at: null,
      };
      return database.transaction().execute(async (transaction) => {
        await lockUntilCommit(transaction, `webhooks of ${organizationId}`);
        const { count } = await transaction
          .selectFrom('webhooks')
          .select((eb) => eb.fn.countAll<number>().as('count'))
          .where('organization_id', '=', organizationId)
          .executeTakeFirstOrThrow();
        if (count >= MAX_WEBHOOKS) return null;
        await transaction.insertInto('webhooks').values(row).execute();
        return { ...webhookOf(row), secret: row.secret };
      });
    },
    async list(organizationId: string): Promise<Webhook[]> {
      const rows = await database
        .selectFrom('webhooks')
        .selectAll()
        .where('organization_id', '=', organizationId)
        .orderBy('created_at')
        .orderBy('id')
        .execute();
      return rows.map(webhookOf);
    },
    /** Deletes a webhook and its deliveries; false if there is none with that id. */
    async delete(organizationId: string, id: string): Promise<boolean> {
      const { numDeletedRows } = await database
        .deleteFrom('webhooks')
        .where('organization_id', '=', organizationId)
        .where('id', '=', id)
        .executeTakeFirst();
      return numDeletedRows > 0n;
    },
    /** Enables a webhook again; null if there is none with that id. */
    async enable(organizationId: string, id: string): Promise<Webhook | null> {
      await database
        .updateTable('webhooks')
        .set({ disabled_at: null, failing_since: null })
        .where('organization_id', '=', organizationId)
        .where('id', '=', id)
        .execute();
      const row = await find(organizationId, id);
      return row ? webhookOf(row) : null;
    },
    /** The latest deliveries, newest first; null if there is no such webhook. */
    async deliveries(organizationId: string, id: string): Promise<WebhookDelivery[] | null> {
      if (!(await find(organizationId, id))) return null;
      const rows = await database
        .selectFrom('webhook_deliveries')
        .selectAll()
        .where('webhook_id', '=', id)
        .orderBy('created_at', 'desc')
        .orderBy('position', 'desc')
        .limit(MAX_SHOWN)
        .execute();
      return rows.map(deliveryOf);
    },
    /** Queues a delivery once more, behind all that are waiting; null if there is no such delivery. */
    async redeliver(
      organizationId: string,
      id: string,
      deliveryId: string,
    ): Promise<WebhookDelivery | null> {
      if (!(await find(organizationId, id))) return null;
      const now = Date.now();
      const row = await database
        .updateTable('webhook_deliveries')
        .set({
          state: 'pending',
          tries: 0,
          queued_at: now,
          next_at: now,
          finished_at: null,
          position: nextPosition(id),
        })
        .where('webhook_id', '=', id)
        .where('id', '=', deliveryId)
        .returningAll()
        .executeTakeFirst();
      return row ? deliveryOf(row) : null;
    },
  };
}

const time = (at: number): string => new Date(at).toISOString();
const timeOrNull = (at: number | null): string | null => (at === null ? null : time(at));

type WebhookRow = Omit<Tables['webhooks'], 'lease_until'>;

const webhookOf = (row: WebhookRow): Webhook => ({
  id: row.id,
  url: row.url,
  events: JSON.parse(row.events) as WebhookEvent[],
  enabled: row.disabled_at === null,
  createdAt: time(row.created_at),
  failingSince: timeOrNull(row.failing_since),
});

const deliveryOf = (row: Tables['webhook_deliveries']): WebhookDelivery => ({
  id: row.id,
  event: row.event,
  runId: row.run_id,
  state: row.state,
  attempts: row.tries,
  createdAt: time(row.created_at),
  nextAttemptAt: row.state === 'pending' ? time(row.next_at) : null,
  finishedAt: timeOrNull(row.finished_at),
  lastStatus: row.last_status,
  lastError: row.last_error,
});

const PREFIX = 'whsec_';

/** Creates a secret. */
const newSecret = (): string => `${PREFIX}${randomBytes(32).toString('base64')}`;

/**
 * The headers of a delivery.
 * @param at the time of this attempt in epoch milliseconds
 */
export function signedHeaders(
  secret: string,
  id: string,
  at: number,
  body: string,
): Record<string, string> {
  const timestamp = String(Math.floor(at / 1000));
  const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${signature}`,
  };
}

type QueuedEvent = {
  organizationId: string;
  runId: string;
  /** The translation, if the event is about one. Its own id stands for the run of captions that were sent. */
  translationId?: string;
} & SentOf<WebhookBody>;

/** The type of an event, and the further fields of its `data`: none of a transcript. */
type SentOf<B extends WebhookBody> = B extends WebhookBody
  ? { type: B['type']; data: Omit<B['data'], 'runId' | 'translationId'> }
  : never;

/**
 * Writes the deliveries of an event. Call it with the transaction that makes the event happen: both are stored or
 * neither is, so that no event is lost if the process dies.
 */
export async function queueEvent(
  transaction: Database,
  { type, organizationId, runId, translationId, data }: QueuedEvent,
): Promise<void> {
  const webhooks = await transaction
    .selectFrom('webhooks')
    .select(['id', 'events'])
    .where('organization_id', '=', organizationId)
    .where('disabled_at', 'is', null)
    .execute();
  const now = Date.now();
  const timestamp = new Date(now).toISOString();
  for (const { id, events } of webhooks) {
    if (!(JSON.parse(events) as string[]).includes(type)) continue;
    await transaction
      .insertInto('webhook_deliveries')
      .values({
        id: `msg_${randomUUID()}`,
        webhook_id: id,
        run_id: runId,
        event: type,
        body: JSON.stringify({
          type,
          timestamp,
          data: { ...(runId !== translationId && { runId }), translationId, ...data },
        }),
        position: nextPosition(id),
        state: 'pending',
        tries: 0,
        created_at: now,
        queued_at: now,
        next_at: now,
      })
      .execute();
  }
}

/** The position at the end of an endpoint's queue. */
const nextPosition = (webhookId: string) => sql<number>`(
  select coalesce(max(position), 0) + 1 from webhook_deliveries where webhook_id = ${webhookId}
)`;

/** Queues the event for the end of a run. A cancelled run counts as failed, with the code `cancelled`. */
export const queueRunEnd = (
  transaction: Database,
  run: { id: string; organizationId: string },
  state: RunState,
  result: CaptionerResult,
): Promise<void> => {
  const hearingNotes = hearingNotesOf(result);
  const audioKey = keyIn(result);
  return queueEvent(transaction, {
    type: state === 'completed' || state === 'blocked' ? `run.${state}` : 'run.failed',
    organizationId: run.organizationId,
    runId: run.id,
    data: {
      ...(audioKey !== undefined && { audioKey }),
      result: `/workflows/captioner/${run.id}`,
      status: result.status,
      ...(result.status === 'failed' && { code: result.error.code }),
      ...(hearingNotes.length > 0 && { hearingNotes }),
    },
  });
};

/** The key of a run's recording, as its result repeats it. */
const keyIn = ({ input }: Partial<CaptionerResult>): string | undefined =>
  (input?.['source'] as { key: string } | undefined)?.key;
