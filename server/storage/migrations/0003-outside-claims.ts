/** What a claim needs that an outside identity provider has a part in: whom it verified, who is at it. */
import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Adds two columns to registrations; those there are have null in both. */
export const outsideClaims: Migration = {
  async up({ schema }: Kysely<unknown>) {
    await schema.alterTable('registrations').addColumn('provider_user_id', 'text').execute();
    await schema.alterTable('registrations').addColumn('lease_until', 'bigint').execute();
  },
};
