/** Migration 1: identity, runs, moderation events. */
import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Creates the tables in an empty database. */
export const first: Migration = {
  async up(database: Kysely<unknown>) {
    const { schema } = database;
    await schema
      .createTable('organizations')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('external_id', 'text', (column) => column.notNull().unique())
      .addColumn('kind', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .execute();
    await schema
      .createTable('registrations')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('email', 'text', (column) => column.notNull())
      .addColumn('claim_token_hash', 'text', (column) => column.notNull().unique())
      .addColumn('code_hash', 'text', (column) => column.notNull())
      .addColumn('scopes', 'text', (column) => column.notNull())
      .addColumn('attempts', 'integer', (column) => column.notNull())
      .addColumn('state', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('expires_at', 'bigint', (column) => column.notNull())
      .execute();
    await schema
      .createIndex('registrations_email')
      .on('registrations')
      .columns(['email', 'state'])
      .execute();
    await schema
      .createTable('api_keys')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('key_hash', 'text', (column) => column.notNull())
      .addColumn('obfuscated', 'text', (column) => column.notNull())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('organization_id', 'text', (column) =>
        column.notNull().references('organizations.id'),
      )
      .addColumn('owner_email', 'text', (column) => column.notNull())
      .addColumn('scopes', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('last_used_at', 'bigint')
      .addColumn('revoked_at', 'bigint')
      .execute();
    await schema
      .createTable('rate_events')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('subject', 'text', (column) => column.notNull())
      .addColumn('at', 'bigint', (column) => column.notNull())
      .execute();
    await schema
      .createIndex('rate_events_subject')
      .on('rate_events')
      .columns(['subject', 'at'])
      .execute();
    await createRuns(database);
    await schema
      .createTable('moderation_events')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('run_id', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('decision', 'text', (column) => column.notNull())
      .addColumn('severity', 'text', (column) => column.notNull())
      .addColumn('reason', 'text', (column) => column.notNull())
      .addColumn('model', 'text', (column) => column.notNull())
      .addColumn('flagged', 'text')
      .execute();
  },
};

async function createRuns({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable('runs')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('organization_id', 'text', (column) => column.notNull())
    .addColumn('key_id', 'text', (column) => column.notNull())
    .addColumn('payload', 'text', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('stage', 'text')
    .addColumn('progress', 'double precision', (column) => column.notNull())
    .addColumn('timings', 'text', (column) => column.notNull())
    .addColumn('result', 'text')
    .addColumn('idempotency_key', 'text')
    .addColumn('cancel_requested', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('started_at', 'bigint')
    .addColumn('updated_at', 'bigint', (column) => column.notNull())
    .addColumn('finished_at', 'bigint')
    .execute();
  await schema
    .createIndex('runs_organization')
    .on('runs')
    .columns(['organization_id', 'created_at'])
    .execute();
  await schema
    .createIndex('runs_idempotency')
    .unique()
    .on('runs')
    .columns(['organization_id', 'idempotency_key'])
    .where('idempotency_key', 'is not', null)
    .execute();
  await schema.createIndex('runs_unfinished').on('runs').column('finished_at').execute();
}
