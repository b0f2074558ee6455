/** PostgreSQL connections, for Kysely and openworkflow, that survive restarts of the server. */
import { setTimeout as sleep } from 'node:timers/promises';
import { PostgresDialect, type PostgresPool as KyselyPool } from 'kysely';
import type { Client, PoolClient, QueryResult } from 'pg';
import { StorageUnavailable } from './outage.ts';

/** The most connections of one thread; a process has one more thread than workers. */
const CONNECTIONS = 8;
/** A server that has not accepted a connection after this time is down. */
const CONNECT_TIMEOUT_MS = 5000;
const END_TIMEOUT_MS = 5000;
/** The time after which a silent server counts as down; no statement of the service takes this long. */
const QUERY_TIMEOUT_MS = 60_000;

/** The driver, loaded only if PostgreSQL is used. */
const driver = async () => (await import('pg')).default;

type Row = Record<string, unknown>;
/** @param name of a prepared statement, whose text is always the same */
type Query = (
  text: string,
  values?: readonly unknown[],
  name?: string,
) => Promise<QueryResult<Row>>;

/** A connection for one user at a time. A connection that broke or never responded is returned automatically. */
export interface PostgresConnection {
  query: Query;
  release(): void;
}

/** A limited number of connections to a server. */
export interface PostgresPool {
  connect(): Promise<PostgresConnection>;
  /** Runs one statement on any free connection. */
  query: Query;
  /**
   * Waits up to five seconds for connections in use, because an unreachable server must not keep a process from ending.
   */
  end(): Promise<void>;
}

/** A Kysely dialect on a pool that is created on first use. */
export const postgresDialect = (url: string): PostgresDialect =>
  // Provides everything that Kysely needs except cursors; nothing here streams rows.
  new PostgresDialect({
    pool: async () => ({ ...(await openPostgresPool(url)), options: {} }) as unknown as KyselyPool,
  });

/** Opens a pool, which connects on first use. */
export async function openPostgresPool(url: string, max = CONNECTIONS): Promise<PostgresPool> {
  const { Pool, types } = await driver();
  const pool = new Pool({
    ...settings(url),
    max,
    query_timeout: QUERY_TIMEOUT_MS,
    types: {
      // Safe as a number, since milliseconds since the epoch are far below 2^53.
      getTypeParser: ((type, format) =>
        type === types.builtins.INT8
          ? Number
          : types.getTypeParser(type, format)) as typeof types.getTypeParser,
    },
  });
  // The current statement of a broken connection fails anyway; unhandled, this event would end the process.
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
  const releaseClient = (broken: boolean) => {
    if (!held) return;
    held = false;
    client.off('end', lost);
    client.release(broken);
  };
  const lost = () => releaseClient(true);
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
    release: () => releaseClient(false),
  };
}

/**
 * Whether a connection is unusable. A new statement would wait forever behind one that got no response (according to
 * the driver's documentation), and prepared statements do not survive a change of their tables.
 */
const isSpoilt = (error: unknown): boolean =>
  error instanceof Error &&
  (error.message === 'Query read timeout' || ('code' in error && error.code === '0A000'));

/** The pause before a subscription that has failed to reconnect this many times tries again. */
const rejoinPauseMs = (tries: number): number => Math.min(2000, 100 * 2 ** tries);

/**
 * Subscribes to a channel of notifications; the connection reconnects automatically.
 * @param on.joined called after each connection, since notifications before it were missed
 * @throws the error of the first connection
 */
export async function subscribePostgres(
  url: string,
  channel: string,
  on: { notification(payload: string): void; joined(): void },
) {
  const { Client } = await driver();
  let current: Client | null = null;
  let tries = 0;
  let retry: ReturnType<typeof setTimeout> | undefined;
  let closed = false;

  const join = async (): Promise<void> => {
    const client = new Client(settings(url));
    client.on('error', () => {});
    client.on('notification', ({ payload = '' }) => on.notification(payload));
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
    retry = setTimeout(() => void join().catch(again), rejoinPauseMs(tries));
    tries += 1;
  };

  await join();
  return {
    async close(): Promise<void> {
      closed = true;
      clearTimeout(retry);
      await current?.end();
    },
  };
}

/**
 * Runs work that no other process may do at the same time, such as migrations, however long it takes.
 * @param name the name of the lock
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
    // The lock ends with its connection.
    await client.end();
  }
}
