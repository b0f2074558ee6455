/** Migration 20: links to reviews, and comments on them. */
import type { CreateTableBuilder, Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Adds two tables. Rows of a run are deleted with the run; comments outlive the link they came by. */
export const reviewLinks: Migration = {
  async up({ schema }: Kysely<unknown>) {
    await schema
      .createTable('review_links')
      .$call(ofARun)
      .addColumn('key_id', 'text', (column) => column.notNull())
      .addColumn('token_hash', 'text', (column) => column.notNull().unique())
      .addColumn('right', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('expires_at', 'bigint', (column) => column.notNull())
      .execute();
    await schema.createIndex('review_links_run').on('review_links').column('run_id').execute();
    await schema
      .createIndex('review_links_organization')
      .on('review_links')
      .column('organization_id')
      .execute();
    await schema
      .createTable('review_comments')
      .$call(ofARun)
      .addColumn('link_id', 'text')
      .addColumn('parent_id', 'text')
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('at', 'double precision', (column) => column.notNull())
      .addColumn('text', 'text', (column) => column.notNull())
      .addColumn('settled', 'integer', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('changed_at', 'bigint', (column) => column.notNull())
      .execute();
    await schema
      .createIndex('review_comments_run')
      .on('review_comments')
      .columns(['run_id', 'created_at', 'id'])
      .execute();
  },
};

/** The columns of a row that is deleted with its run. */
const ofARun = (table: CreateTableBuilder<string>) =>
  table
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('run_id', 'text', (column) =>
      column.notNull().references('runs.id').onDelete('cascade'),
    )
    .addColumn('organization_id', 'text', (column) => column.notNull());
