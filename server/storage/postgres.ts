/** Kysely over PostgreSQL: a pool that outlives the restarts of its server. */
import { PostgresDialect } from 'kysely';
import type { Pool } from 'pg';

/** Connections of one thread; a process has one thread more than workers. */
const CONNECTIONS = 8;
/** A server that does not even answer a connection is down. */
const CONNECT_TIMEOUT_MS = 5000;
/** No statement of the service takes this long: a server that is silent for so long is down. */
const QUERY_TIMEOUT_MS = 60_000;

/** The driver, loaded by those alone who have such a server. */
const driver = async () => (await import('pg')).default;

/** A Kysely dialect on a pool that is made when it is first used. */
export const postgresDialect = (url: string): PostgresDialect =>
  new PostgresDialect({ pool: () => openPool(url) });

async function openPool(url: string): Promise<Pool> {
  const { Pool, types } = await driver();
  const pool = new Pool({
    connectionString: url,
    max: CONNECTIONS,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: QUERY_TIMEOUT_MS,
    keepAlive: true,
    application_name: 'captioner',
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
  return pool;
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
  const client = new Client({
    connectionString: url,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  });
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
