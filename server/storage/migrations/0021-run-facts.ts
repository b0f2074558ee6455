/** Migration 21: what lists show of a run's result. */
import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Adds a table, which is filled when runs are listed; results of earlier versions are read then, too. */
export const runFacts: Migration = {
  async up({ schema }: Kysely<unknown>) {
    await schema
      .createTable('run_facts')
      .addColumn('run_id', 'text', (column) =>
        column.primaryKey().references('runs.id').onDelete('cascade'),
      )
      .addColumn('review_tag', 'text', (column) => column.notNull())
      .addColumn('facts', 'text', (column) => column.notNull())
      .execute();
  },
};
