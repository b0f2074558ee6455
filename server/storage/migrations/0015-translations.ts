/** Migration 15: translations of captions. */
import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Adds a table. Translations of a run are deleted with the run. */
export const translations: Migration = {
  async up({ schema }: Kysely<unknown>) {
    await schema
      .createTable('translations')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('organization_id', 'text', (column) => column.notNull())
      .addColumn('run_id', 'text', (column) => column.references('runs.id').onDelete('cascade'))
      .addColumn('language', 'text', (column) => column.notNull())
      .addColumn('request', 'text', (column) => column.notNull())
      .addColumn('state', 'text', (column) => column.notNull())
      .addColumn('progress', 'double precision', (column) => column.notNull())
      .addColumn('basis', 'text')
      .addColumn('review_tag', 'text')
      .addColumn('outcome', 'text')
      .addColumn('queue_position', 'bigint', (column) => column.notNull())
      .addColumn('enqueued', 'integer', (column) => column.notNull())
      .addColumn('cancel_requested', 'integer', (column) => column.notNull())
      .addColumn('attempts', 'integer', (column) => column.notNull())
      .addColumn('kept_bytes', 'bigint', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('started_at', 'bigint')
      .addColumn('finished_at', 'bigint')
      // Last, because SQLite passes over a long text to read the columns after it.
      .addColumn('source', 'text')
      .addColumn('result', 'text')
      .execute();
    await schema
      .createIndex('translations_run')
      .on('translations')
      .columns(['run_id', 'created_at'])
      .execute();
    await schema
      .createIndex('translations_organization')
      .on('translations')
      .columns(['organization_id', 'created_at'])
      .execute();
    await schema
      .createIndex('translations_queue')
      .on('translations')
      .columns(['organization_id', 'queue_position'])
      .execute();
    await schema
      .createIndex('translations_not_enqueued')
      .on('translations')
      .columns(['created_at', 'enqueued'])
      .where('enqueued', '=', 0)
      .execute();
  },
};
