/** Queues an event for every webhook that subscribes to it, in the transaction that causes it. */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { CaptionerResult } from '../contract/results.ts';
import type { RunState } from '../contract/runs.ts';
import type { WebhookEvent } from '../contract/webhooks.ts';
import type { Database } from '../storage/database.ts';

interface QueuedEvent {
  type: WebhookEvent;
  organizationId: string;
  runId: string;
  /** The translation, if the event is about one. Its own id stands for the run of captions that were sent. */
  translationId?: string;
  /** Further fields of `data`: plain JSON, without any of a transcript. */
  data?: Record<string, unknown>;
}

/**
 * Writes the deliveries of an event. Call it with the transaction that makes the event happen: both are stored or
 * neither is, so that no event is lost if the process dies.
 */
export async function queueEvent(
  transaction: Database,
  { type, organizationId, runId, translationId, data = {} }: QueuedEvent,
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
export const nextPosition = (webhookId: string) => sql<number>`(
  select coalesce(max(position), 0) + 1 from webhook_deliveries where webhook_id = ${webhookId}
)`;

/** Queues the event for the end of a run. A cancelled run counts as failed, with the code `cancelled`. */
export const queueRunEnd = (
  transaction: Database,
  run: { id: string; organizationId: string },
  state: RunState,
  result: CaptionerResult,
): Promise<void> =>
  queueEvent(transaction, {
    type: state === 'completed' || state === 'blocked' ? `run.${state}` : 'run.failed',
    organizationId: run.organizationId,
    runId: run.id,
    data: {
      audioKey: keyIn(result),
      result: `/workflows/captioner/${run.id}`,
      status: result.status,
      ...(result.status === 'failed' && { code: result.error.code }),
    },
  });

/** The key of a run's recording, as its result repeats it. */
const keyIn = ({ input }: Partial<CaptionerResult>): string | undefined =>
  (input?.['source'] as { key: string } | undefined)?.key;
