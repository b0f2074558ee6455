/**
 * A double of PostgreSQL that only records its statements, in order, with the start and end of each transaction. A lock
 * takes a moment, so the record shows if a program does not wait for it.
 */
import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type DatabaseConnection,
} from 'kysely';
import type { Database } from '../../../server/storage/database.ts';
import type { Tables } from '../../../server/storage/tables.ts';

export interface PostgresRecord {
  database: Database;
  /** `begin`, `lock <name>`, `select <table>`, `insert <table>`, `commit` and so on. */
  statements: string[];
}

/** @param rowsOf the rows that a statement finds, by its verb and table, and its parameters (default:
 * none); may throw */
export function recordPostgres(
  rowsOf: (
    statement: string,
    parameters: readonly unknown[],
  ) => Record<string, unknown>[] = () => [],
): PostgresRecord {
  const statements: string[] = [];
  const connection: DatabaseConnection = {
    async executeQuery({ sql, parameters }) {
      if (sql.includes('pg_advisory_xact_lock')) {
        await new Promise(setImmediate);
        statements.push(`lock ${String(parameters[0])}`);
        rowsOf('lock', parameters);
        return { rows: [] };
      }
      const [, verb = sql] = /^(select|insert|update|delete)/.exec(sql) ?? [];
      const [, table = ''] = /(?:from|into|update) "(\w+)"/.exec(sql) ?? [];
      statements.push(`${verb} ${table}`);
      const rows = rowsOf(`${verb} ${table}`, parameters);
      return { rows: rows as never[], numAffectedRows: BigInt(rows.length) };
    },
    async *streamQuery() {},
  };
  class Driver extends DummyDriver {
    override async acquireConnection() {
      return connection;
    }
    override async beginTransaction() {
      statements.push('begin');
    }
    override async commitTransaction() {
      statements.push('commit');
    }
    override async rollbackTransaction() {
      statements.push('rollback');
    }
  }
  const database = new Kysely<Tables>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new Driver(),
      createIntrospector: (kysely) => new PostgresIntrospector(kysely),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  });
  return { database, statements };
}
