/**
 * Migration 11: the runs to which an answer of a language model belongs, so that it can be erased with them, and the
 * keys of recordings, so that an export can name them.
 */
import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * Adds a table and a column. Earlier answers name no run, so they could never be erased with theirs; they are deleted,
 * and the question is sent to the model again.
 */
export const erasure: Migration = {
  async up(database: Kysely<unknown>) {
    const { schema } = database;
    await schema
      .createTable('audit_answer_runs')
      .addColumn('key', 'text', (column) =>
        column.notNull().references('audit_answers.key').onDelete('cascade'),
      )
      .addColumn('run_id', 'text', (column) =>
        column.notNull().references('runs.id').onDelete('cascade'),
      )
      .addPrimaryKeyConstraint('audit_answer_runs_key', ['key', 'run_id'])
      .execute();
    await schema
      .createIndex('audit_answer_runs_run')
      .on('audit_answer_runs')
      .columns(['run_id'])
      .execute();
    await (database as Kysely<{ audit_answers: object }>).deleteFrom('audit_answers').execute();
    await schema.alterTable('audio_usage').addColumn('key', 'text').execute();
  },
};
