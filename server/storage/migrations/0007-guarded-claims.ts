/** Migration 7: protection against guessed codes, lost claims and reused upload links. */
import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Adds columns to registrations and to counted events, and a table of used upload links. */
export const guardedClaims: Migration = {
  async up({ schema }: Kysely<unknown>) {
    const add = (table: string, column: string, type: 'text' | 'bigint') =>
      schema.alterTable(table).addColumn(column, type).execute();
    await add('registrations', 'client', 'text');
    await schema
      .alterTable('registrations')
      .addColumn('code_round', 'integer', (column) => column.notNull().defaultTo(1))
      .execute();
    await add('registrations', 'provider_code_id', 'text');
    await add('registrations', 'provider_organization_id', 'text');
    await schema
      .alterTable('registrations')
      .addColumn('cleanup_due', 'integer', (column) => column.notNull().defaultTo(0))
      .execute();
    await add('rate_events', 'expires_at', 'bigint');
    await schema
      .createTable('used_upload_links')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('expires_at', 'bigint', (column) => column.notNull())
      .execute();
  },
};
