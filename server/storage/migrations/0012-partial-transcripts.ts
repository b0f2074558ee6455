/** Migration 12: previews of the transcripts of runs in progress. */
import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Adds a table. Its rows are deleted when their run ends or is deleted. */
export const partialTranscripts: Migration = {
  async up({ schema }: Kysely<unknown>) {
    await schema
      .createTable('partial_transcripts')
      .addColumn('run_id', 'text', (column) =>
        column.notNull().references('runs.id').onDelete('cascade'),
      )
      .addColumn('position', 'integer', (column) => column.notNull())
      .addColumn('start', 'double precision', (column) => column.notNull())
      .addColumn('end', 'double precision', (column) => column.notNull())
      .addColumn('text', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('partial_transcripts_key', ['run_id', 'position'])
      .execute();
  },
};
