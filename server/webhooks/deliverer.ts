/**
 * Delivers events to their endpoints, at least once: in order for each endpoint, with increasing delays after failures.
 */
import { mapConcurrently } from '../concurrency.ts';
import type { Log } from '../log.ts';
import type { Database } from '../storage/database.ts';
import { post } from './post.ts';
import { ForbiddenAddress, publicAddressOf, type Resolve } from './ssrf-guard.ts';
import { signedHeaders } from './sign.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** The pauses after the first failed attempts. */
const PAUSES = [5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE, HOUR, 2 * HOUR];
/** The pause after all others. */
const LONGEST_PAUSE = 4 * HOUR;
/** The time for which a delivery is tried. */
const TRIED_FOR = DAY;
/** The time after which an endpoint that has accepted nothing is disabled. */
const FAILING_FOR = 7 * DAY;
const TIMEOUT = 15 * SECOND;
/** The time for which a process holds an endpoint, longer than an attempt takes. */
const LEASE = MINUTE;
const ENDPOINTS_AT_ONCE = 8;
const GONE = 410;

export interface DelivererOptions {
  database: Database;
  /** Private hosts and networks that the operator allows. */
  allowed: readonly string[];
  log: Log;
  /** Called when a webhook is disabled. */
  disabled(webhook: { id: string; url: string; keyId: string }): Promise<void>;
  now?: () => number;
  resolve?: Resolve;
  /** The time that an endpoint may take to respond. Default: 15 s. */
  timeoutMs?: number;
}

export interface Deliverer {
  /** Attempts the deliveries that are due. Never rejects. */
  tick(): Promise<void>;
}

interface Endpoint {
  id: string;
  url: string;
  secret: string;
  key_id: string;
  failing_since: number | null;
}

/** Creates the deliverer. Each of several processes may run one. */
export function createDeliverer(options: DelivererOptions): Deliverer {
  const {
    database,
    allowed,
    log,
    disabled,
    now = Date.now,
    resolve,
    timeoutMs = TIMEOUT,
  } = options;

  const lease = (id: string) =>
    database
      .updateTable('webhooks')
      .set({ lease_until: now() + LEASE })
      .where('id', '=', id)
      .where('disabled_at', 'is', null)
      .where((eb) => eb.or([eb('lease_until', 'is', null), eb('lease_until', '<', now())]))
      .returning(['id', 'url', 'secret', 'key_id', 'failing_since'])
      .executeTakeFirst();

  const attempt = async ({ url, secret }: Endpoint, id: string, body: string) => {
    try {
      const target = new URL(url);
      const address = await publicAddressOf(target, allowed, resolve);
      const headers = {
        'content-type': 'application/json',
        'user-agent': 'Captioner-Webhooks',
        ...signedHeaders(secret, id, now(), body),
      };
      const status = await post({ url: target, address, headers, body, timeoutMs });
      return { status, error: status < 300 ? null : `answered ${status}` };
    } catch (error) {
      const message =
        error instanceof ForbiddenAddress
          ? error.message
          : `not reached: ${messageOf(error as Error)}`;
      return { status: null, error: message };
    }
  };

  /** Attempts the first delivery of an endpoint if it is due; true if there may be another one. */
  const deliverNext = async (endpoint: Endpoint): Promise<boolean> => {
    const head = await database
      .selectFrom('webhook_deliveries')
      .select(['id', 'body', 'tries', 'queued_at', 'next_at'])
      .where('webhook_id', '=', endpoint.id)
      .where('state', '=', 'pending')
      .orderBy('position')
      .orderBy('id')
      .limit(1)
      .executeTakeFirst();
    if (!head || head.next_at > now()) return false;
    const { status, error } = await attempt(endpoint, head.id, head.body);
    const accepted = error === null;
    const at = now();
    const next = at + (PAUSES[head.tries] ?? LONGEST_PAUSE);
    const isOver = accepted || next > head.queued_at + TRIED_FOR;
    const failingSince = accepted ? null : (endpoint.failing_since ?? at);
    const isDisabled =
      status === GONE || (failingSince !== null && at - failingSince >= FAILING_FOR);
    await database.transaction().execute(async (transaction) => {
      await transaction
        .updateTable('webhook_deliveries')
        .set({
          state: accepted ? 'delivered' : isOver ? 'failed' : 'pending',
          tries: head.tries + 1,
          next_at: next,
          finished_at: isOver ? at : null,
          last_status: status,
          last_error: error,
        })
        .where('id', '=', head.id)
        .execute();
      await transaction
        .updateTable('webhooks')
        .set({
          failing_since: failingSince,
          disabled_at: isDisabled ? at : null,
          lease_until: at + LEASE,
        })
        .where('id', '=', endpoint.id)
        .execute();
    });
    endpoint.failing_since = failingSince;
    if (isDisabled) {
      log.warn('webhook_disabled', { webhookId: endpoint.id });
      await disabled({ id: endpoint.id, url: endpoint.url, keyId: endpoint.key_id });
    }
    return !isDisabled;
  };

  const serve = async (id: string): Promise<void> => {
    const endpoint = await lease(id);
    if (!endpoint) return;
    try {
      while (await deliverNext(endpoint));
    } finally {
      await database
        .updateTable('webhooks')
        .set({ lease_until: null })
        .where('id', '=', id)
        .execute();
    }
  };

  return {
    async tick() {
      try {
        const due = await database
          .selectFrom('webhook_deliveries')
          .innerJoin('webhooks', 'webhooks.id', 'webhook_deliveries.webhook_id')
          .select('webhook_id')
          .distinct()
          .where('webhook_deliveries.state', '=', 'pending')
          .where('webhook_deliveries.next_at', '<=', now())
          .where('webhooks.disabled_at', 'is', null)
          .execute();
        await mapConcurrently(due, ENDPOINTS_AT_ONCE, ({ webhook_id }) => serve(webhook_id));
      } catch (error) {
        log.warn('webhooks_not_delivered', { error });
      }
    },
  };
}

/** The message for a failed look-up or connection: only the error's code. */
const messageOf = ({ code, message }: Error & { code?: string }): string => code ?? message;
