/** Migration 16: what operators did by shell. */
import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Adds a table. */
export const operatorActions: Migration = {
  async up({ schema }: Kysely<unknown>) {
    await schema
      .createTable('operator_actions')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('at', 'bigint', (column) => column.notNull())
      .addColumn('actor', 'text', (column) => column.notNull())
      .addColumn('action', 'text', (column) => column.notNull())
      .addColumn('subject', 'text', (column) => column.notNull())
      .execute();
    await schema.createIndex('operator_actions_at').on('operator_actions').column('at').execute();
  },
};
