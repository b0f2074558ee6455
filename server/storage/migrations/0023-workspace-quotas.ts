/** Migration 23: quotas of single workspaces. */
import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Adds a table. */
export const workspaceQuotas: Migration = {
  async up({ schema }: Kysely<unknown>) {
    await schema
      .createTable('workspace_quotas')
      .addColumn('organization_id', 'text', (column) => column.notNull())
      .addColumn('kind', 'text', (column) => column.notNull())
      .addColumn('bytes', 'bigint')
      .addPrimaryKeyConstraint('workspace_quotas_key', ['organization_id', 'kind'])
      .execute();
  },
};
