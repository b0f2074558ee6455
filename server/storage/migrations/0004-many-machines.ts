/** Migration 4: state shared by several processes: the order of the queue, schedules and secrets. */
import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Adds columns and indexes to runs, and two tables. Existing runs count as not yet queued. */
export const manyMachines: Migration = {
  async up({ schema }: Kysely<unknown>) {
    await schema
      .alterTable('runs')
      .addColumn('queue_position', 'bigint', (column) => column.notNull().defaultTo(0))
      .execute();
    await schema
      .alterTable('runs')
      .addColumn('enqueued', 'integer', (column) => column.notNull().defaultTo(0))
      .execute();
    await schema
      .createIndex('runs_queue')
      .on('runs')
      .columns(['organization_id', 'queue_position'])
      .execute();
    await schema
      .createIndex('runs_started')
      .on('runs')
      .columns(['queue_position', 'started_at'])
      .where('started_at', 'is not', null)
      .execute();
    await schema
      .createIndex('runs_not_enqueued')
      .on('runs')
      .columns(['created_at', 'enqueued'])
      .where('enqueued', '=', 0)
      .execute();
    await schema.createIndex('runs_state').on('runs').column('state').execute();
    await schema
      .createTable('schedules')
      .addColumn('name', 'text', (column) => column.primaryKey())
      .addColumn('due_at', 'bigint', (column) => column.notNull())
      .addColumn('lease_until', 'bigint')
      .execute();
    await schema
      .createTable('shared_secrets')
      .addColumn('name', 'text', (column) => column.primaryKey())
      .addColumn('value', 'text', (column) => column.notNull())
      .execute();
  },
};
