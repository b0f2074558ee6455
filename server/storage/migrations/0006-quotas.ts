/** Migration 6: the storage used by workspaces, for quotas. */
import { sql, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * Adds a table for recordings and a column for runs. Existing runs are counted immediately, existing recordings when
 * the store is next listed.
 */
export const quotas: Migration = {
  async up(database: Kysely<unknown>) {
    const { schema } = database;
    await schema
      .createTable('audio_usage')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('workspace', 'text', (column) => column.notNull())
      .addColumn('bytes', 'bigint', (column) => column.notNull())
      .addColumn('expires_at', 'bigint')
      .execute();
    await schema
      .createIndex('audio_usage_workspace')
      .on('audio_usage')
      .columns(['workspace', 'expires_at', 'bytes'])
      .execute();
    await schema
      .alterTable('runs')
      .addColumn('kept_bytes', 'bigint', (column) => column.notNull().defaultTo(0))
      .execute();
    await sql`update runs set kept_bytes = octet_length(payload) + coalesce(octet_length(result), 0)`.execute(
      database,
    );
    // The sum needs only the index, so rows with megabytes of results are not read.
    await schema
      .createIndex('runs_kept_bytes')
      .on('runs')
      .columns(['organization_id', 'kept_bytes'])
      .execute();
  },
};
