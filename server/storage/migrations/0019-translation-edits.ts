/** Migration 19: what people change in translations, and keys of requests that are sent again. */
import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Adds a table and a column. In a table of its own, because SQLite passes over a long text to read what follows. */
export const translationEdits: Migration = {
  async up({ schema }: Kysely<unknown>) {
    await schema
      .createTable('translation_edits')
      .addColumn('translation_id', 'text', (column) =>
        column.primaryKey().references('translations.id').onDelete('cascade'),
      )
      .addColumn('tag', 'text', (column) => column.notNull())
      .addColumn('saved_at', 'bigint', (column) => column.notNull())
      .addColumn('counts', 'text', (column) => column.notNull())
      .addColumn('evidence', 'text', (column) => column.notNull())
      .addColumn('edits', 'text', (column) => column.notNull())
      .addColumn('result', 'text', (column) => column.notNull())
      .execute();
    await schema.alterTable('translations').addColumn('idempotency_key', 'text').execute();
    await schema
      .createIndex('translations_idempotency')
      .unique()
      .on('translations')
      .columns(['organization_id', 'idempotency_key'])
      .where('idempotency_key', 'is not', null)
      .execute();
  },
};
