/** The service's database: opening, migration, types. */
import { Kysely, type DatabaseConnection, type Dialect } from 'kysely';
import { Migrator } from 'kysely/migration';
import { MIGRATIONS } from './migrations.ts';
import { isPostgres } from './locations.ts';
import { type SqliteUse, openSqlite, sqliteDialect } from './sqlite.ts';
import type { Tables } from './tables.ts';
import type { BeforeWrite } from './write-limit.ts';
import { postgresDialect, withPostgresLock } from './postgres.ts';

/** The database, or a transaction on it. */
export type Database = Kysely<Tables>;

/** The names of all migrations, in order. */
export const migrationNames: readonly string[] = Object.keys(MIGRATIONS);

/**
 * Opens a database with an up-to-date schema.
 * @param url a SQLite file, created if missing, or a PostgreSQL address
 */
export function openDatabase(
  url: string,
  use?: SqliteUse & { beforeWrite?: BeforeWrite },
): Database {
  const dialect = isPostgres(url) ? postgresDialect(url) : sqliteDialect(openSqlite(url, use));
  if (use?.beforeWrite) watchWrites(dialect, use.beforeWrite);
  return new Kysely<Tables>({ dialect });
}

/** Calls `before` before each statement that writes, with the length of its texts. */
function watchWrites(dialect: Dialect, before: BeforeWrite): void {
  const watched = new WeakSet<DatabaseConnection>();
  const createDriver = dialect.createDriver.bind(dialect);
  dialect.createDriver = () => {
    const driver = createDriver();
    const acquire = driver.acquireConnection.bind(driver);
    driver.acquireConnection = async () => {
      const connection = await acquire();
      if (watched.has(connection)) return connection;
      watched.add(connection);
      const execute = connection.executeQuery.bind(connection);
      connection.executeQuery = async (compiled) => {
        const { kind } = compiled.query;
        if (kind === 'InsertQueryNode' || kind === 'UpdateQueryNode') {
          await before(textLength(compiled.parameters));
        }
        return execute(compiled);
      };
      return connection;
    };
    return driver;
  };
}

const textLength = (values: readonly unknown[]): number =>
  values.reduce<number>(
    (sum, value) =>
      sum + (typeof value === 'string' || value instanceof Uint8Array ? value.length : 0),
    0,
  );

/** Thrown if a later version of the program has migrated the database, which stays as it is. */
export class LaterSchema extends Error {
  override readonly name = 'LaterSchema';

  constructor(migration: string) {
    super(
      `A later version of Captioner has migrated this database (${migration}). Start that version, or restore ` +
        'a backup from before the upgrade with this one.',
    );
  }
}

/**
 * Migrates the schema of a database, before any other thread opens it. Processes that start at the same time wait for
 * each other.
 * @param alsoDo further work that only one process may do at a time
 * @param last the last migration to do; default: all
 * @throws {LaterSchema} the database belongs to a later version
 */
export async function migrateDatabase(
  url: string,
  alsoDo: () => Promise<void> = async () => {},
  last = migrationNames.at(-1) ?? '',
): Promise<void> {
  const migrate = async () => {
    const database = openDatabase(url);
    try {
      const provider = { getMigrations: async () => MIGRATIONS };
      const { error } = await new Migrator({ db: database, provider }).migrateTo(last);
      const later = /executed migration (\S+) is missing/.exec(String(error))?.[1];
      if (later !== undefined) throw new LaterSchema(later);
      if (error) throw new Error('The database could not be migrated.', { cause: error });
    } finally {
      await database.destroy();
    }
    await alsoDo();
  };
  await (isPostgres(url) ? withPostgresLock(url, 'captioner:migrations', migrate) : migrate());
}
