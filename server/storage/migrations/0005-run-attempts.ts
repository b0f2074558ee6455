/**
 * Migration 5: the state of a run across crashes and outages: crashed computations, and a recording that is still to be
 * deleted.
 */
import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Adds two columns and an index to runs. */
export const runAttempts: Migration = {
  async up({ schema }: Kysely<unknown>) {
    await schema
      .alterTable('runs')
      .addColumn('attempts', 'integer', (column) => column.notNull().defaultTo(0))
      .execute();
    await schema.alterTable('runs').addColumn('owed_audio', 'text').execute();
    await schema
      .createIndex('runs_owed_audio')
      .on('runs')
      .column('owed_audio')
      .where('owed_audio', 'is not', null)
      .execute();
  },
};
