/** Migration 2: stored answers of language models, so that each question is sent only once. */
import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Adds a table, which can be emptied at any time. */
export const auditAnswers: Migration = {
  async up({ schema }: Kysely<unknown>) {
    await schema
      .createTable('audit_answers')
      .addColumn('key', 'text', (column) => column.primaryKey())
      .addColumn('answer', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .execute();
    await schema
      .createIndex('audit_answers_created_at')
      .on('audit_answers')
      .column('created_at')
      .execute();
  },
};
