/** PostgreSQL: connections that outlive the restarts of their server, for Kysely and for the engine. */
import { setTimeout as sleep } from 'node:timers/promises';
import { PostgresDialect, type PostgresPool as KyselyPool } from 'kysely';
import type { Client, PoolClient, QueryResult } from 'pg';
import { StorageUnavailable } from './outage.ts';

/** Connections of one thread; a process has one thread more than workers. */
const CONNECTIONS = 8;
/** A server that does not even answer a connection is down. */
const CONNECT_TIMEOUT_MS = 5000;
const END_TIMEOUT_MS = 5000;
/** No statement of the service takes this long: a server that is silent for so long is down. */
const QUERY_TIMEOUT_MS = 60_000;

/** The driver, loaded by those alone who have such a server. */
const driver = async () => (await import('pg')).default;

type Row = Record<string, unknown>;
/** @param name of a prepared statement: the same text always */
type Query = (
  text: string,
  values?: readonly unknown[],
  name?: string,
) => Promise<QueryResult<Row>>;

/** A connection for one user at a time. One that broke, or never answered, goes back by itself. */
export interface PostgresConnection {
  query: Query;
  release(): void;
}

/** Connections to a server, at most so many at once. */
export interface PostgresPool {
  connect(): Promise<PostgresConnection>;
  /** One statement, on whichever connection is free. */
  query: Query;
  /** Waits for those in use, for five seconds at most: a server that is away must keep no process from its end. */
  end(): Promise<void>;
}

/** A Kysely dialect on a pool that is made when it is first used. */
export const postgresDialect = (url: string): PostgresDialect =>
  // Of what Kysely knows, only cursors are not there; nothing here streams rows.
  new PostgresDialect({
    pool: async () => ({ ...(await openPool(url)), options: {} }) as unknown as KyselyPool,
  });

/** Opens a pool; it connects when it is first used. */
export async function openPool(url: string, max = CONNECTIONS): Promise<PostgresPool> {
  const { Pool, types } = await driver();
  const pool = new Pool({
    ...settings(url),
    max,
    query_timeout: QUERY_TIMEOUT_MS,
    types: {
      // Milliseconds since the epoch are far below 2^53.
      getTypeParser: ((type, format) =>
        type === types.builtins.INT8
          ? Number
          : types.getTypeParser(type, format)) as typeof types.getTypeParser,
    },
  });
  // A connection that breaks fails the statement it has; the event alone would end the process.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  const connect = async () => connection(await pool.connect());
  return {
    connect,
    async query(...statement) {
      const one = await connect();
      try {
        return await one.query(...statement);
      } finally {
        one.release();
      }
    },
    end: () => Promise.race([pool.end(), sleep(END_TIMEOUT_MS, undefined, { ref: false })]),
  };
}

const settings = (url: string) => ({
  connectionString: url,
  connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  keepAlive: true,
  application_name: 'captioner',
});

function connection(client: PoolClient): PostgresConnection {
  let held = true;
  const giveBack = (broken: boolean) => {
    if (!held) return;
    held = false;
    client.off('end', lost);
    client.release(broken);
  };
  const lost = () => giveBack(true);
  client.once('end', lost);
  return {
    async query(text, values = [], name) {
      if (!held) throw new StorageUnavailable('The connection to the database is gone.');
      try {
        return await client.query<Row>({ text, values: [...values], ...(name && { name }) });
      } catch (error) {
        if (isSpoilt(error)) lost();
        throw error;
      }
    },
    release: () => giveBack(false),
  };
}

/**
 * Whether a connection is of no more use: what is sent after a statement without an answer (the driver's
 * words) would wait behind it for ever, and a prepared one does not outlive a change of its tables.
 */
const isSpoilt = (error: unknown): boolean =>
  error instanceof Error &&
  (error.message === 'Query read timeout' || ('code' in error && error.code === '0A000'));

/** A connection that hears what is notified, and comes back by itself. */
export interface PostgresListener {
  close(): Promise<void>;
}

/**
 * Listens to a channel.
 * @param on.joined after each connection: what was said before it was not heard
 * @throws what the first connection failed with
 */
export async function listen(
  url: string,
  channel: string,
  on: { notification(payload: string): void; joined(): void },
): Promise<PostgresListener> {
  const { Client } = await driver();
  let current: Client | null = null;
  let tries = 0;
  let retry: ReturnType<typeof setTimeout> | undefined;
  let closed = false;

  const join = async (): Promise<void> => {
    const client = new Client(settings(url));
    client.on('error', () => {});
    client.on('notification', ({ payload }) => on.notification(payload ?? ''));
    client.once('end', () => {
      if (client === current) again();
    });
    try {
      await client.connect();
      current = client;
      await client.query(`LISTEN ${channel}`);
    } catch (error) {
      current = null;
      client.end().catch(() => {});
      throw error;
    }
    if (closed) return client.end();
    tries = 0;
    on.joined();
  };
  const again = () => {
    current = null;
    clearTimeout(retry);
    if (closed) return;
    retry = setTimeout(() => void join().catch(again), Math.min(2000, 100 * 2 ** tries));
    tries += 1;
  };

  await join();
  return {
    async close() {
      closed = true;
      clearTimeout(retry);
      await current?.end();
    },
  };
}

/**
 * Does something while no other process does it, however long it takes: bringing schemas up to date.
 * @param name of the lock
 */
export async function withPostgresLock<T>(
  url: string,
  name: string,
  work: () => Promise<T>,
): Promise<T> {
  const { Client } = await driver();
  const client = new Client(settings(url));
  client.on('error', () => {});
  await client.connect();
  try {
    await client.query('select pg_advisory_lock(hashtextextended($1, 0))', [name]);
    return await work();
  } finally {
    // The lock goes with its connection.
    await client.end();
  }
}
