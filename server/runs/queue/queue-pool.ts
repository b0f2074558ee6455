/**
 * A connection pool for openworkflow on the driver that the rest of the program uses: postgres.js, for which the
 * library is written, can lose a connection for good if the server goes away, and often does on Deno.
 */
import { BackendPostgres } from 'openworkflow/postgres';
import { type PostgresPool } from '../../storage/postgres.ts';

type Row = Record<string, unknown>;
type Run = (text: string, values: readonly unknown[]) => Promise<Row[]>;
/** The type that the library expects as its pool. */
type QueueSql = Parameters<typeof BackendPostgres.fromPool>[0];

/** The name of a table or a column. */
class Identifier {
  readonly quoted: string;

  constructor(name: string) {
    this.quoted = `"${name.replaceAll('"', '""')}"`;
  }
}

/** A value to store as a JSON document, which may be a string; null means no document. */
class Json {
  readonly text: string | null;

  constructor(value: unknown) {
    this.text = value === null || value === undefined ? null : JSON.stringify(value);
  }
}

/** A template: part of another one, or a statement that runs when it is awaited. */
class Statement implements PromiseLike<Row[]> {
  readonly #strings: readonly string[];
  readonly #values: readonly unknown[];
  readonly #run: Run;

  constructor(strings: readonly string[], values: readonly unknown[], run: Run) {
    this.#strings = strings;
    this.#values = values;
    this.#run = run;
  }

  /** Returns the text, and appends its values to a list. */
  write(parameters: unknown[]): string {
    const written = (value: unknown): string => {
      if (value instanceof Statement) return value.write(parameters);
      if (value instanceof Identifier) return value.quoted;
      return `$${parameters.push(value instanceof Json ? value.text : value)}`;
    };
    return this.#strings.reduce((text, next, at) => text + written(this.#values[at - 1]) + next);
  }

  // oxlint-disable-next-line unicorn/no-thenable -- the library awaits it
  then<T = Row[], F = never>(
    done?: ((rows: Row[]) => T | PromiseLike<T>) | null,
    failed?: ((reason: unknown) => F | PromiseLike<F>) | null,
  ): Promise<T | F> {
    const parameters: unknown[] = [];
    // oxlint-disable-next-line promise/no-callback-in-promise -- it is a promise by itself
    return this.#run(this.write(parameters), parameters).then(done, failed);
  }
}

const sqlOn = (run: Run) =>
  Object.assign(
    (first: string | readonly string[], ...values: unknown[]) =>
      typeof first === 'string' ? new Identifier(first) : new Statement(first, values, run),
    {
      json: (value: unknown) => new Json(value),
      unsafe: (text: string, values: readonly unknown[] = []) => run(text, values),
    },
  );

/** Creates a pool for openworkflow; the underlying pool is closed by its opener. */
export function queueSql(pool: Pick<PostgresPool, 'connect' | 'query'>): QueueSql {
  const names = new Map<string, string>();
  /** The names of prepared statements; the library repeats a few dozen. */
  const nameOf = (text: string): string => {
    const name = names.get(text) ?? `queue_${names.size}`;
    names.set(text, name);
    return name;
  };
  const once: Run = async (text, values) =>
    camelCased(await pool.query(text, values, nameOf(text)));
  const reserve = async () => {
    const connection = await pool.connect();
    const sql = sqlOn(async (text, values) =>
      camelCased(await connection.query(text, values, nameOf(text))),
    );
    return Object.assign(sql, { release: () => connection.release() });
  };
  return Object.assign(sqlOn(once), { reserve }) as unknown as QueueSql;
}

const camelCased = ({ rows }: { rows: Row[] }): Row[] =>
  rows.map((row) =>
    Object.fromEntries(Object.entries(row).map(([name, value]) => [camelCase(name), value])),
  );

const camelCase = (name: string): string =>
  name.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase());
