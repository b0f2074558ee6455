/** Migration 13: uploads that can continue after a broken connection, and the parts of them that have arrived. */
import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Adds two tables. Parts are deleted with their upload. */
export const resumableUploads: Migration = {
  async up({ schema }: Kysely<unknown>) {
    await schema
      .createTable('resumable_uploads')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('organization_id', 'text', (column) => column.notNull())
      .addColumn('key', 'text', (column) => column.notNull())
      .addColumn('metadata', 'text', (column) => column.notNull())
      .addColumn('length', 'bigint', (column) => column.notNull())
      .addColumn('received', 'bigint', (column) => column.notNull())
      .addColumn('expires_at', 'bigint', (column) => column.notNull())
      .addColumn('joining_until', 'bigint')
      .execute();
    await schema
      .createIndex('resumable_uploads_organization')
      .on('resumable_uploads')
      .columns(['organization_id'])
      .execute();
    await schema
      .createIndex('resumable_uploads_expiry')
      .on('resumable_uploads')
      .columns(['expires_at'])
      .execute();
    await schema
      .createTable('resumable_parts')
      .addColumn('upload_id', 'text', (column) =>
        column.notNull().references('resumable_uploads.id').onDelete('cascade'),
      )
      .addColumn('start', 'bigint', (column) => column.notNull())
      .addColumn('key', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('resumable_parts_key', ['upload_id', 'start'])
      .execute();
  },
};
