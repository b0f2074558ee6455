/** Migration 9: reviews, the terms of workspaces, and the captions changed by learned rules. */
import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Adds three tables. Rows of a run are deleted with the run. */
export const learning: Migration = {
  async up({ schema }: Kysely<unknown>) {
    await schema
      .createTable('reviews')
      .addColumn('run_id', 'text', (column) =>
        column.primaryKey().references('runs.id').onDelete('cascade'),
      )
      .addColumn('organization_id', 'text', (column) => column.notNull())
      .addColumn('tag', 'text', (column) => column.notNull())
      .addColumn('document', 'text', (column) => column.notNull())
      .addColumn('bytes', 'bigint', (column) => column.notNull())
      .addColumn('saved_at', 'bigint', (column) => column.notNull())
      .addColumn('evidence', 'text')
      .addColumn('evidence_tag', 'text')
      .execute();
    await schema
      .createIndex('reviews_organization')
      .on('reviews')
      .columns(['organization_id', 'saved_at'])
      .execute();
    await schema
      .createTable('workspace_terms')
      .addColumn('organization_id', 'text', (column) => column.primaryKey())
      .addColumn('document', 'text', (column) => column.notNull())
      .addColumn('version', 'bigint', (column) => column.notNull())
      .addColumn('updated_at', 'bigint', (column) => column.notNull())
      .execute();
    await schema
      .createTable('rule_changes')
      .addColumn('run_id', 'text', (column) =>
        column.notNull().references('runs.id').onDelete('cascade'),
      )
      .addColumn('correction_id', 'text', (column) => column.notNull())
      .addColumn('organization_id', 'text', (column) => column.notNull())
      .addColumn('rule_id', 'text', (column) => column.notNull())
      .addColumn('start', 'double precision', (column) => column.notNull())
      .addColumn('before', 'text', (column) => column.notNull())
      .addColumn('after', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('rule_changes_key', ['run_id', 'correction_id'])
      .execute();
    await schema
      .createIndex('rule_changes_rule')
      .on('rule_changes')
      .columns(['organization_id', 'rule_id'])
      .execute();
  },
};
