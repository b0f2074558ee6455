/** The service's database: opened, brought up to date, typed. */
import { Kysely } from 'kysely';
import { Migrator } from 'kysely/migration';
import { first } from './migrations/0001-first.ts';
import { auditAnswers } from './migrations/0002-audit-answers.ts';
import { outsideClaims } from './migrations/0003-outside-claims.ts';
import { openSqlite, sqliteDialect } from './sqlite.ts';
import type { Tables } from './tables.ts';

export type { RegistrationState, Tables } from './tables.ts';
/** The database, or a transaction on it. */
export type Database = Kysely<Tables>;

/** Every migration, in order; the name is what the database remembers. */
const MIGRATIONS = {
  '0001-first': first,
  '0002-audit-answers': auditAnswers,
  '0003-outside-claims': outsideClaims,
};

/**
 * Opens the database.
 * @param path a SQLite file; made where it is missing
 * @param migrate brings the schema up to date first: once, in the process that owns the data folder,
 *   before any other thread opens the file
 */
export async function openDatabase(path: string, { migrate = false } = {}): Promise<Database> {
  const database: Database = new Kysely<Tables>({ dialect: sqliteDialect(openSqlite(path)) });
  if (!migrate) return database;
  const migrator = new Migrator({
    db: database,
    provider: { getMigrations: async () => MIGRATIONS },
  });
  const { error } = await migrator.migrateToLatest();
  if (!error) return database;
  await database.destroy();
  throw new Error('The database could not be brought up to date.', { cause: error });
}
