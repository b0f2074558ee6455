/**
 * A database that records its statements, with the number of rows that each finds. Between two statements a test can do
 * other work, as another process would.
 */
import type { KyselyPlugin, OperationNode } from 'kysely';
import type { Database } from '../../../server/storage/database.ts';

export interface WatchedDatabase {
  database: Database;
  /** `select runs: 2` and so on, in order. */
  statements: string[];
}

/** @param after called after each statement, before its caller goes on */
export function watchDatabase(
  database: Database,
  after: (statement: string) => unknown = () => {},
): WatchedDatabase {
  const statements: string[] = [];
  const names = new WeakMap<object, string>();
  const plugin: KyselyPlugin = {
    transformQuery({ node, queryId }) {
      names.set(queryId, nameOf(node));
      return node;
    },
    async transformResult({ result, queryId }) {
      const statement = `${names.get(queryId)}: ${result.rows.length}`;
      statements.push(statement);
      await after(statement);
      return result;
    },
  };
  return { database: database.withPlugin(plugin), statements };
}

/** The verb and the table of a statement. */
function nameOf(node: OperationNode): string {
  const verb = node.kind.replace('QueryNode', '').toLowerCase();
  const table = /"identifier":\{"kind":"IdentifierNode","name":"(\w+)"/.exec(JSON.stringify(node));
  return `${verb} ${table?.[1] ?? ''}`;
}
