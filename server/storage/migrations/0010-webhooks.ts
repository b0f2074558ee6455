/** Migration 10: webhooks, and the deliveries that are due to their endpoints. */
import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Adds two tables. Deliveries are deleted with their webhook. */
export const webhooks: Migration = {
  async up({ schema }: Kysely<unknown>) {
    await schema
      .createTable('webhooks')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('organization_id', 'text', (column) => column.notNull())
      .addColumn('key_id', 'text', (column) => column.notNull())
      .addColumn('url', 'text', (column) => column.notNull())
      .addColumn('events', 'text', (column) => column.notNull())
      .addColumn('secret', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('failing_since', 'bigint')
      .addColumn('disabled_at', 'bigint')
      .addColumn('lease_until', 'bigint')
      .execute();
    await schema
      .createIndex('webhooks_organization')
      .on('webhooks')
      .columns(['organization_id'])
      .execute();
    await schema
      .createTable('webhook_deliveries')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('webhook_id', 'text', (column) =>
        column.notNull().references('webhooks.id').onDelete('cascade'),
      )
      .addColumn('run_id', 'text', (column) => column.notNull())
      .addColumn('event', 'text', (column) => column.notNull())
      .addColumn('body', 'text', (column) => column.notNull())
      .addColumn('position', 'bigint', (column) => column.notNull())
      .addColumn('state', 'text', (column) => column.notNull())
      .addColumn('tries', 'integer', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('queued_at', 'bigint', (column) => column.notNull())
      .addColumn('next_at', 'bigint', (column) => column.notNull())
      .addColumn('finished_at', 'bigint')
      .addColumn('last_status', 'integer')
      .addColumn('last_error', 'text')
      .execute();
    await schema
      .createIndex('webhook_deliveries_queue')
      .on('webhook_deliveries')
      .columns(['webhook_id', 'state', 'position'])
      .execute();
    await schema
      .createIndex('webhook_deliveries_due')
      .on('webhook_deliveries')
      .columns(['state', 'next_at'])
      .execute();
    await schema
      .createIndex('webhook_deliveries_run')
      .on('webhook_deliveries')
      .columns(['run_id'])
      .execute();
  },
};
