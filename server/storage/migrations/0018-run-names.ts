/** Migration 18: names that people give to runs. */
import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Adds a column; a run without a name is called like its recording. */
export const runNames: Migration = {
  async up({ schema }: Kysely<unknown>) {
    await schema.alterTable('runs').addColumn('name', 'text').execute();
  },
};
