/** Migration 3: the user and the lease of a claim at an outside identity provider. */
import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Adds two columns to registrations, null in existing rows. */
export const outsideClaims: Migration = {
  async up({ schema }: Kysely<unknown>) {
    await schema.alterTable('registrations').addColumn('provider_user_id', 'text').execute();
    await schema.alterTable('registrations').addColumn('lease_until', 'bigint').execute();
  },
};
