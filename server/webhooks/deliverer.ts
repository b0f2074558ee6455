/**
 * Delivers events to their endpoints, at least once: in order for each endpoint, with increasing delays after failures,
 * until one that the endpoint refuses again and again is set aside and tried beside the others.
 * Endpoints take turns, one delivery each, so that a slow one, or a workspace with many, does not hold up the others.
 */
import { connect as connectPlain, isIP, type Socket } from 'node:net';
import { connect as connectSecurely } from 'node:tls';
import { type RawBuilder, sql } from 'kysely';
import type { Log } from '../base/log.ts';
import type { Database } from '../storage/database.ts';
import { signedHeaders } from './webhook-store.ts';
import { ForbiddenAddress, type Resolve, publicAddressOf } from './public-address.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** The pauses after the first failed attempts. */
const PAUSES = [5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE, HOUR, 2 * HOUR];
/** The pause after all others. */
const LONGEST_PAUSE = 4 * HOUR;
/** The attempts after which a delivery that its endpoint answers, but refuses, no longer holds up the next. */
const TRIES_IN_ORDER = 5;
/** The time for which a delivery is tried. */
const TRIED_FOR = DAY;
/** The time after which an endpoint that has accepted nothing is disabled. */
const FAILING_FOR = 7 * DAY;
const TIMEOUT = 15 * SECOND;
/** The time for which a process holds an endpoint, longer than an attempt takes. */
const LEASE = MINUTE;
/** The most deliveries in flight. */
const AT_ONCE = 64;
/** The share of one workspace. */
const AT_ONCE_PER_WORKSPACE = 4;
/** The share of all endpoints together whose last attempt was slow or failed. */
const AT_ONCE_FOR_SLOW = AT_ONCE / 2;
const SLOW = 5 * SECOND;
const GONE = 410;

interface DelivererOptions {
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

interface Endpoint {
  id: string;
  url: string;
  secret: string;
  key_id: string;
  failing_since: number | null;
}

/** Creates the deliverer. Each of several processes may run one. */
export function createDeliverer(options: DelivererOptions) {
  const {
    database,
    allowed,
    log,
    disabled,
    now = Date.now,
    resolve,
    timeoutMs = TIMEOUT,
  } = options;

  /** Takes an endpoint whose next delivery is due; undefined if there is none, or another process has it. */
  const lease = (id: string) =>
    database
      .updateTable('webhooks')
      .set({ lease_until: now() + LEASE })
      .where('id', '=', id)
      .where(isReady(now()))
      .returning(['id', 'url', 'secret', 'key_id', 'failing_since'])
      .executeTakeFirst();

  const free = (id: string) =>
    database.updateTable('webhooks').set({ lease_until: null }).where('id', '=', id).execute();

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

  /** Attempts the next delivery of an endpoint; true if there may be another one. */
  const deliverNext = async (endpoint: Endpoint): Promise<boolean> => {
    const head = await database
      .selectFrom('webhook_deliveries')
      .select(['id', 'body', 'tries', 'queued_at'])
      .where('webhook_id', '=', endpoint.id)
      .where(sql<boolean>`webhook_deliveries.id in (${dueDeliveries(endpoint.id, now())})`)
      .orderBy('next_at')
      .limit(1)
      .executeTakeFirst();
    if (!head) {
      // It was erased meanwhile, with its run.
      await free(endpoint.id);
      return true;
    }
    const began = now();
    const { status, error } = await attempt(endpoint, head.id, head.body);
    const accepted = error === null;
    const at = now();
    if (accepted && at - began < SLOW) slow.delete(endpoint.id);
    else slow.add(endpoint.id);
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
      if (status === GONE) {
        await transaction
          .updateTable('webhook_deliveries')
          .set({ state: 'failed', finished_at: at, last_error: 'the endpoint answered 410' })
          .where('webhook_id', '=', endpoint.id)
          .where('state', '=', 'pending')
          .execute();
      }
      await transaction
        .updateTable('webhooks')
        .set({
          failing_since: failingSince,
          disabled_at: isDisabled ? at : null,
          lease_until: null,
        })
        .where('id', '=', endpoint.id)
        .execute();
    });
    if (isDisabled) {
      log.warn('webhook_disabled', { webhookId: endpoint.id });
      await disabled({ id: endpoint.id, url: endpoint.url, keyId: endpoint.key_id });
    }
    return !isDisabled;
  };

  /** The workspaces of endpoints that wait for their turn, in order, and of those with a delivery in flight. */
  const waiting = new Map<string, string>();
  const inFlight = new Map<string, string>();
  /** The endpoints whose last attempt was slow or failed. */
  const slow = new Set<string>();
  const running = new Set<Promise<void>>();
  let isClosed = false;

  const serve = async (id: string, workspace: string): Promise<void> => {
    let isServed = false;
    try {
      const endpoint = await lease(id);
      isServed = endpoint !== undefined && (await deliverNext(endpoint));
    } catch (error) {
      log.warn('webhooks_not_delivered', { error });
    }
    inFlight.delete(id);
    if (isServed) waiting.set(id, workspace);
    fill();
  };

  const mayStart = (id: string, workspace: string): boolean => {
    const own = [...inFlight.values()].filter((other) => other === workspace).length;
    if (own >= AT_ONCE_PER_WORKSPACE) return false;
    return (
      !slow.has(id) ||
      [...inFlight.keys()].filter((other) => slow.has(other)).length < AT_ONCE_FOR_SLOW
    );
  };
  const fill = (): void => {
    for (const [id, workspace] of waiting) {
      if (isClosed || inFlight.size >= AT_ONCE) return;
      if (!mayStart(id, workspace)) continue;
      waiting.delete(id);
      inFlight.set(id, workspace);
      const work = serve(id, workspace).finally(() => running.delete(work));
      running.add(work);
    }
  };
  const settled = async (): Promise<void> => {
    while (running.size > 0) await Promise.all(running);
  };

  return {
    /**
     * Looks for deliveries that are due, and attempts them. Call it once a second, also while earlier calls are still
     * delivering. Resolves when nothing is in flight any more; never rejects.
     */
    async tick(): Promise<void> {
      try {
        const due = await database
          .selectFrom('webhooks')
          .select(['id', 'organization_id'])
          .where(isReady(now()))
          .execute();
        for (const { id, organization_id } of due) {
          if (!inFlight.has(id) && !waiting.has(id)) waiting.set(id, organization_id);
        }
      } catch (error) {
        log.warn('webhooks_not_delivered', { error });
      }
      fill();
      await settled();
    },
    /** Starts nothing more, and waits for what is in flight. */
    close(): Promise<void> {
      isClosed = true;
      return settled();
    },
  };
}

/** The condition for an endpoint that nobody delivers to, and whose next delivery is due. */
const isReady = (now: number) => sql<boolean>`
  disabled_at is null and (lease_until is null or lease_until < ${now})
  and exists (${dueDeliveries(sql.ref('webhooks.id'), now)})`;

/** The deliveries of an endpoint that are due: the first in its order, and those that are set aside. */
function dueDeliveries(endpoint: string | RawBuilder<unknown>, now: number) {
  const isAside = sql`(tries >= ${TRIES_IN_ORDER} and last_status is not null)`;
  return sql`
    select id from webhook_deliveries
    where webhook_id = ${endpoint} and state = 'pending' and next_at <= ${now} and (${isAside} or id = (
      select id from webhook_deliveries
      where webhook_id = ${endpoint} and state = 'pending' and not ${isAside}
      order by position, id limit 1
    ))`;
}

/** The message for a failed look-up or connection: only the error's code. */
const messageOf = ({ code, message }: Error & { code?: string }): string => code ?? message;

interface Post {
  url: URL;
  /** The address of the URL's host, and the only one to connect to. */
  address: string;
  headers: Record<string, string>;
  body: string;
  timeoutMs: number;
}

/** The most bytes of a response that are read for its status line. */
const MAX_READ = 8192;

/**
 * Sends the request and returns the status of the response.
 * @throws {Error} a message about the connection, without addresses
 */
export function post({ url, address, headers, body, timeoutMs }: Post): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const hostname = url.hostname.replaceAll(/[[\]]/g, '');
  const secure = url.protocol === 'https:';
  const port = Number(url.port) || (secure ? 443 : 80);
  const bytes = Buffer.from(body);
  const send = (): void => {
    const lines = Object.entries({
      host: url.host,
      ...headers,
      'content-length': String(bytes.byteLength),
      connection: 'close',
    }).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(`POST ${url.pathname}${url.search} HTTP/1.1\r\n${lines.join('')}\r\n`);
    socket.write(bytes);
  };
  // Over TLS, `send` is called once the certificate has been checked.
  const socket: Socket = secure
    ? connectSecurely(
        { host: address, port, ...(isIP(hostname) ? {} : { servername: hostname }) },
        send,
      )
    : connectPlain({ host: address, port }, send);
  const timer = setTimeout(() => end(new Error('no response in time')), timeoutMs);
  const end = (outcome: number | Error): void => {
    clearTimeout(timer);
    if (typeof outcome === 'number') resolve(outcome);
    else reject(outcome);
    socket.destroy();
  };
  let read = '';
  socket.on('data', (chunk: Buffer) => {
    read += chunk.toString('latin1');
    // An interim response, such as 100, is followed by the final one.
    const [, status] = /(?:^|\r\n\r\n)HTTP\/1\.[01] ([2-9]\d\d)[ \r]/.exec(read) ?? [];
    if (status !== undefined) end(Number(status));
    else if (read.length > MAX_READ) end(new Error('the response is not HTTP'));
  });
  socket.on('error', (error: Error & { code?: string }) =>
    end(new Error(`the connection failed (${error.code ?? error.name})`)),
  );
  socket.on('close', () => end(new Error('the connection was closed without a response')));
  return promise;
}
