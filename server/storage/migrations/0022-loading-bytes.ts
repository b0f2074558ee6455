/** Migration 22: the size of the model that a run waits for. */
import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Adds a column. */
export const loadingBytes: Migration = {
  async up({ schema }: Kysely<unknown>) {
    await schema.alterTable('runs').addColumn('loading_bytes', 'bigint').execute();
  },
};
