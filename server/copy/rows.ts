/**
 * The rows of a service, read in one consistent snapshot and written into an empty database, for SQLite and PostgreSQL.
 * Both give the same values: instants of the queue as text in milliseconds, its documents as JSON, everything else as
 * stored.
 */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import type { Config } from '../config/config.ts';
import { isPostgres } from '../storage/locations.ts';
import { queueLocation } from '../runs/files.ts';
import { migrateDatabase } from '../storage/database.ts';
import { type PostgresConnection, openPostgresPool } from '../storage/postgres.ts';
import { openSqlite } from '../storage/sqlite.ts';

/** The schema of the queue's tables: a schema in PostgreSQL, an attached file in SQLite. */
const QUEUE = 'openworkflow';
/** The columns of the queue's tables that hold JSON documents. */
const DOCUMENTS = new Set(['config', 'context', 'input', 'output', 'error', 'data']);
/** Tables that others refer to, in order; the rest follows. */
const FIRST = [
  'organizations',
  'runs',
  'reviews',
  'measurements',
  'voice_people',
  'translations',
  'webhooks',
  'audit_answers',
  'resumable_uploads',
  `${QUEUE}.workflow_runs`,
  `${QUEUE}.step_attempts`,
];
/** Tables that a service fills by itself as soon as it starts; a database with only these counts as empty. */
const OWN = new Set(['schedules', 'shared_secrets', 'rate_events']);
/** The rows that are read, and the text that is written, at a time. */
const ROWS = 32;
const TEXT = 4 * 2 ** 20;

/** A row: its columns and their values. */
export type Row = Record<string, unknown>;

/** A snapshot of all rows, which stays the same however the service goes on writing. */
export interface Snapshot {
  /** The names of the migrations that made its schema. */
  migrations: string[];
  /** The tables, those that others refer to first. */
  tables: string[];
  rows(table: string): AsyncIterable<Row>;
  /** Runs a query that means the same in both databases. */
  select(sql: string): Promise<Row[]>;
  close(): Promise<void>;
}

/** An empty database that rows are written to; nothing is visible before `commit`. */
export interface Target {
  tables: string[];
  write(table: string, rows: readonly Row[]): Promise<void>;
  commit(): Promise<void>;
  /** Discards what was not committed. */
  close(): Promise<void>;
}

/** The place of rows: settings of the service. */
export type RowPlace = Pick<Config, 'databaseUrl' | 'dataDir' | 'pepper'>;

/** Rows that are counted and hashed as they pass; the order in which they pass does not matter. */
export interface Totals {
  rows: number;
  /** The sum of the rows' hashes, in hexadecimal. */
  digest: string;
}

/** Counts and hashes rows. */
export function totalsCounter() {
  let rows = 0;
  let sum = 0n;
  return {
    add(row: Row): void {
      rows += 1;
      const hash = createHash('sha256').update(canonical(row)).digest('hex');
      sum = (sum + BigInt(`0x${hash}`)) % 2n ** 256n;
    },
    result: (): Totals => ({ rows, digest: sum.toString(16).padStart(64, '0') }),
  };
}

/** Counts and hashes a table. */
export async function totalsOfTable(snapshot: Snapshot, table: string): Promise<Totals> {
  const all = totalsCounter();
  for await (const row of snapshot.rows(table)) all.add(row);
  return all.result();
}

/** JSON with sorted keys, because PostgreSQL sorts those of documents in its own way; absent columns are null. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null);
  const members = Object.entries(value)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, member]) => `${JSON.stringify(key)}:${canonical(member)}`);
  return `{${members.join()}}`;
}

/** Takes a snapshot of a service, which may be running. */
export const openSnapshot = (place: RowPlace): Promise<Snapshot> =>
  isPostgres(place.databaseUrl) ? postgresSnapshot(place.databaseUrl) : sqliteSnapshot(place);

/** Opens a database that was migrated, and has no rows. @throws {Error} if it has some */
export const openTarget = (place: RowPlace): Promise<Target> =>
  isPostgres(place.databaseUrl) ? postgresTarget(place.databaseUrl) : sqliteTarget(place);

const inOrder = (names: readonly string[]): string[] => {
  const rank = (name: string) => (FIRST.indexOf(name) + FIRST.length + 1) % (FIRST.length + 1);
  return (
    names
      // What is searched is made again from the rest.
      .filter(
        (name) => !/kysely_migration|openworkflow_migrations|^sqlite_|^caption_search/.test(name),
      )
      .toSorted((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1))
  );
};

/** Whether a table is one of the queue's. */
export const isQueues = (table: string): boolean => table.startsWith(`${QUEUE}.`);

function refuseRows(table: string, isEmpty: boolean): void {
  if (!isEmpty && !OWN.has(table)) {
    throw new Error(`The database is not empty: ${table} has rows. Choose an empty one.`);
  }
}

/** The tables of a service, without those of its queue, after the migration of that name. */
export async function tablesAt(level: string): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'captioner-tables-'));
  try {
    const path = join(folder, 'captioner.sqlite');
    await migrateDatabase(path, async () => {}, level);
    const database = openSqlite(path);
    try {
      return inOrder(namesIn(database, 'main'));
    } finally {
      database.close();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

// SQLite

const quoted = (table: string): string =>
  table
    .split('.')
    .map((name) => `"${name}"`)
    .join('.');

function openFiles({ databaseUrl, dataDir }: RowPlace): DatabaseSync {
  const queue = queueLocation({ databaseUrl, dataDir });
  const missing = [databaseUrl, queue].find((path) => !existsSync(path));
  if (missing) throw new Error(`There is no database at ${missing}.`);
  const database = openSqlite(databaseUrl);
  database.prepare(`ATTACH ? AS ${QUEUE}`).run(queue);
  return database;
}

const namesIn = (database: DatabaseSync, schema: string): string[] =>
  database
    .prepare(`SELECT name FROM ${schema}.sqlite_master WHERE type = 'table'`)
    .all()
    .map(({ name }) => String(name));

const sqliteTables = (database: DatabaseSync): string[] =>
  inOrder([
    ...namesIn(database, 'main'),
    ...namesIn(database, QUEUE).map((name) => `${QUEUE}.${name}`),
  ]);

async function sqliteSnapshot(place: RowPlace): Promise<Snapshot> {
  const database = openFiles(place);
  try {
    // Both files are seen at the same instant: for a moment, nobody else may write to either of them.
    const pause = openFiles(place);
    try {
      pause.exec('BEGIN IMMEDIATE');
      database.exec('BEGIN');
      for (const schema of ['main', QUEUE]) {
        database.prepare(`SELECT count(*) FROM ${schema}.sqlite_master`).get();
      }
      pause.exec('ROLLBACK');
    } finally {
      pause.close();
    }
    const tables = sqliteTables(database);
    return {
      tables,
      migrations: database
        .prepare('SELECT name FROM kysely_migration ORDER BY name')
        .all()
        .map(({ name }) => String(name)),
      async *rows(table) {
        const next = database.prepare(
          `SELECT rowid AS "rowid", * FROM ${quoted(table)} WHERE rowid > ? ORDER BY rowid LIMIT ${ROWS}`,
        );
        for (let last: SQLInputValue = 0; ;) {
          const rows = next.all(last) as Row[];
          if (rows.length === 0) break;
          for (const { rowid, ...row } of rows) {
            last = rowid as number;
            yield isQueues(table) ? fromText(row) : row;
          }
        }
        const path = join(place.dataDir, 'pepper');
        if (table === 'shared_secrets' && place.pepper === null && existsSync(path)) {
          yield { name: 'pepper', value: readFileSync(path, 'utf8') };
        }
      },
      select: async (sql) => database.prepare(sql).all(),
      close: async () => database.close(),
    };
  } catch (error) {
    database.close();
    throw error;
  }
}

const fromText = (row: Row): Row =>
  mappedRow(row, (value, column) =>
    DOCUMENTS.has(column) && typeof value === 'string' ? JSON.parse(value) : value,
  );

const toText = (row: Row): Row =>
  mappedRow(row, (value, column) =>
    DOCUMENTS.has(column) && value !== null ? JSON.stringify(value) : value,
  );

/** A row with other values. */
export const mappedRow = (row: Row, change: (value: unknown, column: string) => unknown): Row =>
  Object.fromEntries(Object.entries(row).map(([column, value]) => [column, change(value, column)]));

async function sqliteTarget(place: RowPlace): Promise<Target> {
  const database = openFiles(place);
  const tables = sqliteTables(database);
  database.exec('BEGIN IMMEDIATE');
  for (const table of tables) {
    const one = database.prepare(`SELECT 1 FROM ${quoted(table)} LIMIT 1`).get();
    refuseRows(table, one === undefined);
    if (OWN.has(table)) database.exec(`DELETE FROM ${quoted(table)}`);
  }
  let pepper: string | null = null;
  return {
    tables,
    async write(table, rows) {
      for (const row of rows) {
        if (table === 'shared_secrets' && row['name'] === 'pepper') {
          pepper = String(row['value']);
          continue;
        }
        const given = isQueues(table) ? toText(row) : row;
        const columns = Object.keys(given);
        database
          .prepare(
            `INSERT INTO ${quoted(table)} (${columns.map(quoted).join()}) VALUES (${columns.map(() => '?').join()})`,
          )
          .run(...(Object.values(given) as SQLInputValue[]));
      }
    },
    async commit() {
      if (pepper !== null) writeFileSync(join(place.dataDir, 'pepper'), pepper, { mode: 0o600 });
      database.exec('COMMIT');
    },
    close: async () => database.close(),
  };
}

// PostgreSQL

interface Column {
  table: string;
  column: string;
  type: string;
}

/** The columns of all tables of the service. */
async function columnsOf(connection: PostgresConnection): Promise<Column[]> {
  const { rows } = await connection.query(
    `SELECT CASE table_schema WHEN '${QUEUE}' THEN '${QUEUE}.' || table_name ELSE table_name::text END AS "table",
       column_name::text AS "column", data_type::text AS type
     FROM information_schema.columns JOIN information_schema.tables USING (table_schema, table_name)
     WHERE table_type = 'BASE TABLE' AND table_schema IN (current_schema(), '${QUEUE}')
     ORDER BY 1, ordinal_position`,
  );
  return rows as unknown as Column[];
}

const tablesIn = (columns: readonly Column[]): string[] =>
  inOrder([...new Set(columns.map(({ table }) => table))]);

/** A connection of its own, with a way to end it. */
async function connected(url: string) {
  const pool = await openPostgresPool(url, 1);
  try {
    const connection = await pool.connect();
    const end = async () => {
      connection.release();
      await pool.end();
    };
    return { connection, end };
  } catch (error) {
    await pool.end();
    throw error;
  }
}

async function postgresSnapshot(url: string): Promise<Snapshot> {
  const { connection, end } = await connected(url);
  try {
    await connection.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    const columns = await columnsOf(connection);
    const tables = tablesIn(columns);
    if (!tables.includes('runs')) throw new Error('There is no service in this database.');
    const migrations = await connection.query('SELECT name FROM kysely_migration ORDER BY name');
    return {
      tables,
      migrations: migrations.rows.map(({ name }) => String(name)),
      async *rows(table) {
        const read = columns
          .filter((each) => each.table === table)
          .map(({ column, type }) =>
            type === 'timestamp with time zone'
              ? `to_char(date_trunc('milliseconds', "${column}") AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS "${column}"`
              : `"${column}"`,
          );
        await connection.query(
          `DECLARE reading NO SCROLL CURSOR FOR SELECT ${read.join()} FROM ${quoted(table)}`,
        );
        for (;;) {
          const { rows } = await connection.query(`FETCH ${ROWS} FROM reading`);
          if (rows.length === 0) break;
          yield* rows;
        }
        await connection.query('CLOSE reading');
      },
      select: async (sql) => (await connection.query(sql)).rows,
      close: end,
    };
  } catch (error) {
    await end();
    throw error;
  }
}

async function postgresTarget(url: string): Promise<Target> {
  const { connection, end } = await connected(url);
  try {
    const tables = tablesIn(await columnsOf(connection));
    await connection.query('BEGIN');
    for (const table of tables) {
      const { rows } = await connection.query(`SELECT 1 FROM ${quoted(table)} LIMIT 1`);
      refuseRows(table, rows.length === 0);
      if (OWN.has(table)) await connection.query(`DELETE FROM ${quoted(table)}`);
    }
    return {
      tables,
      async write(table, rows) {
        for (const some of portions(rows)) {
          const columns = Object.keys(some[0] ?? {})
            .map(quoted)
            .join();
          await connection.query(
            `INSERT INTO ${quoted(table)} (${columns})
             SELECT ${columns} FROM json_populate_recordset(null::${quoted(table)}, $1::json)`,
            [JSON.stringify(some)],
          );
        }
      },
      async commit() {
        await connection.query('COMMIT');
      },
      close: end,
    };
  } catch (error) {
    await end();
    throw error;
  }
}

/** Rows in portions whose text is not too long for one statement. */
function* portions(rows: readonly Row[]): Generator<Row[]> {
  let some: Row[] = [];
  let length = 0;
  for (const row of rows) {
    some.push(row);
    for (const value of Object.values(row)) length += typeof value === 'string' ? value.length : 8;
    if (length < TEXT) continue;
    yield some;
    some = [];
    length = 0;
  }
  if (some.length > 0) yield some;
}

/**
 * Whether a service uses a PostgreSQL database: another connection of the program is open.
 * @throws if the database does not respond
 */
export async function isDatabaseInUse(url: string): Promise<boolean> {
  const { connection, end } = await connected(url);
  try {
    const { rows } = await connection.query(
      `SELECT 1 FROM pg_stat_activity WHERE application_name = 'captioner'
       AND datname = current_database() AND pid <> pg_backend_pid() LIMIT 1`,
    );
    return rows.length > 0;
  } finally {
    await end();
  }
}
