/** The migrations of the service's database, in order. One that was released never changes. */
import { type CreateTableBuilder, type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { briefOf } from '../contract/payload.ts';

/** Creates the tables in an empty database. */
const first: Migration = {
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

// Migration 2: stored answers of language models, so that each question is sent only once.

/** Adds a table, which can be emptied at any time. */
const auditAnswers: Migration = {
  async up({ schema }: Kysely<unknown>) {
    await schema
      .createTable('audit_answers')
      .addColumn('key', 'text', (column) => column.primaryKey())
      .addColumn('answer', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .execute();
    await schema
      .createIndex('audit_answers_created_at')
      .on('audit_answers')
      .column('created_at')
      .execute();
  },
};

// Migration 3: the user and the lease of a claim at an outside identity provider.

/** Adds two columns to registrations, null in existing rows. */
const outsideClaims: Migration = {
  async up({ schema }: Kysely<unknown>) {
    await schema.alterTable('registrations').addColumn('provider_user_id', 'text').execute();
    await schema.alterTable('registrations').addColumn('lease_until', 'bigint').execute();
  },
};

// Migration 4: state shared by several processes: the order of the queue, schedules and secrets.

/** Adds columns and indexes to runs, and two tables. Existing runs count as not yet queued. */
const manyMachines: Migration = {
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

// Migration 5: the state of a run across crashes and outages: crashed computations, and a recording that is still to be
// deleted.

/** Adds two columns and an index to runs. */
const runAttempts: Migration = {
  async up({ schema }: Kysely<unknown>) {
    await schema
      .alterTable('runs')
      .addColumn('attempts', 'integer', (column) => column.notNull().defaultTo(0))
      .execute();
    await schema.alterTable('runs').addColumn('owed_audio', 'text').execute();
    await schema
      .createIndex('runs_owed_audio')
      .on('runs')
      .column('owed_audio')
      .where('owed_audio', 'is not', null)
      .execute();
  },
};

// Migration 6: the storage used by workspaces, for quotas.

/**
 * Adds a table for recordings and a column for runs. Existing runs are counted immediately, existing recordings when
 * the store is next listed.
 */
const quotas: Migration = {
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

// Migration 7: protection against guessed codes, lost claims and reused upload links.

/** Adds columns to registrations and to counted events, and a table of used upload links. */
const guardedClaims: Migration = {
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

// Migration 9: reviews, the terms of workspaces, and the captions changed by learned rules.

/** Adds three tables. Rows of a run are deleted with the run. */
const learning: Migration = {
  async up({ schema }: Kysely<unknown>) {
    await schema
      .createTable('reviews')
      .addColumn('run_id', 'text', (column) =>
        column.primaryKey().references('runs.id').onDelete('cascade'),
      )
      .addColumn('organization_id', 'text', (column) => column.notNull())
      .addColumn('tag', 'text', (column) => column.notNull())
      .addColumn('document', 'text', (column) => column.notNull())
      .addColumn('bytes', 'bigint', (column) => column.notNull())
      .addColumn('saved_at', 'bigint', (column) => column.notNull())
      .addColumn('evidence', 'text')
      .addColumn('evidence_tag', 'text')
      .execute();
    await schema
      .createIndex('reviews_organization')
      .on('reviews')
      .columns(['organization_id', 'saved_at'])
      .execute();
    await schema
      .createTable('workspace_terms')
      .addColumn('organization_id', 'text', (column) => column.primaryKey())
      .addColumn('document', 'text', (column) => column.notNull())
      .addColumn('version', 'bigint', (column) => column.notNull())
      .addColumn('updated_at', 'bigint', (column) => column.notNull())
      .execute();
    await schema
      .createTable('rule_changes')
      .addColumn('run_id', 'text', (column) =>
        column.notNull().references('runs.id').onDelete('cascade'),
      )
      .addColumn('correction_id', 'text', (column) => column.notNull())
      .addColumn('organization_id', 'text', (column) => column.notNull())
      .addColumn('rule_id', 'text', (column) => column.notNull())
      .addColumn('start', 'double precision', (column) => column.notNull())
      .addColumn('before', 'text', (column) => column.notNull())
      .addColumn('after', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('rule_changes_key', ['run_id', 'correction_id'])
      .execute();
    await schema
      .createIndex('rule_changes_rule')
      .on('rule_changes')
      .columns(['organization_id', 'rule_id'])
      .execute();
  },
};

// Migration 10: webhooks, and the deliveries that are due to their endpoints.

/** Adds two tables. Deliveries are deleted with their webhook. */
const webhooks: Migration = {
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

// Migration 11: the runs to which an answer of a language model belongs, so that it can be erased with them, and the
// keys of recordings, so that an export can name them.

/**
 * Adds a table and a column. Earlier answers name no run, so they could never be erased with theirs; they are deleted,
 * and the question is sent to the model again.
 */
const erasure: Migration = {
  async up(database: Kysely<unknown>) {
    const { schema } = database;
    await schema
      .createTable('audit_answer_runs')
      .addColumn('key', 'text', (column) =>
        column.notNull().references('audit_answers.key').onDelete('cascade'),
      )
      .addColumn('run_id', 'text', (column) =>
        column.notNull().references('runs.id').onDelete('cascade'),
      )
      .addPrimaryKeyConstraint('audit_answer_runs_key', ['key', 'run_id'])
      .execute();
    await schema
      .createIndex('audit_answer_runs_run')
      .on('audit_answer_runs')
      .columns(['run_id'])
      .execute();
    await (database as Kysely<{ audit_answers: object }>).deleteFrom('audit_answers').execute();
    await schema.alterTable('audio_usage').addColumn('key', 'text').execute();
  },
};

// Migration 12: previews of the transcripts of runs in progress.

/** Adds a table. Its rows are deleted when their run ends or is deleted. */
const partialTranscripts: Migration = {
  async up({ schema }: Kysely<unknown>) {
    await schema
      .createTable('partial_transcripts')
      .addColumn('run_id', 'text', (column) =>
        column.notNull().references('runs.id').onDelete('cascade'),
      )
      .addColumn('position', 'integer', (column) => column.notNull())
      .addColumn('start', 'double precision', (column) => column.notNull())
      .addColumn('end', 'double precision', (column) => column.notNull())
      .addColumn('text', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('partial_transcripts_key', ['run_id', 'position'])
      .execute();
  },
};

// Migration 13: uploads that can continue after a broken connection, and the parts of them that have arrived.

/** Adds two tables. Parts are deleted with their upload. */
const resumableUploads: Migration = {
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

// Migration 14: the large texts of runs in a table of their own.

/** Payloads of earlier runs are moved if they are at least this long. */
const LONG_BYTES = 16 * 2 ** 10;

interface Tables {
  runs: { id: string; payload: string };
  run_texts: { run_id: string; kind: string; text: string };
}

/**
 * Adds a table. SQLite has to pass over a long payload and result to read the columns after them, so that a list of
 * runs took as long as these are. Workers move earlier results later, since that could take minutes (run-texts.ts).
 */
const runTexts: Migration = {
  async up(database: Kysely<Tables>) {
    await database.schema
      .createTable('run_texts')
      .addColumn('run_id', 'text', (column) =>
        column.notNull().references('runs.id').onDelete('cascade'),
      )
      .addColumn('kind', 'text', (column) => column.notNull())
      .addColumn('text', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('run_texts_key', ['run_id', 'kind'])
      .execute();
    const long = await database
      .selectFrom('runs')
      .select('id')
      .where(sql<number>`octet_length(payload)`, '>', LONG_BYTES)
      .execute();
    for (const { id } of long) {
      const run = database.selectFrom('runs').select('payload').where('id', '=', id);
      const { payload: text } = await run.executeTakeFirstOrThrow();
      await database
        .insertInto('run_texts')
        .values({ run_id: id, kind: 'payload', text })
        .execute();
      const payload = JSON.stringify(briefOf(JSON.parse(text)));
      await database.updateTable('runs').set({ payload }).where('id', '=', id).execute();
    }
  },
};

// Migration 15: translations of captions.

/** Adds a table. Translations of a run are deleted with the run. */
const translations: Migration = {
  async up({ schema }: Kysely<unknown>) {
    await schema
      .createTable('translations')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('organization_id', 'text', (column) => column.notNull())
      .addColumn('run_id', 'text', (column) => column.references('runs.id').onDelete('cascade'))
      .addColumn('language', 'text', (column) => column.notNull())
      .addColumn('request', 'text', (column) => column.notNull())
      .addColumn('state', 'text', (column) => column.notNull())
      .addColumn('progress', 'double precision', (column) => column.notNull())
      .addColumn('basis', 'text')
      .addColumn('review_tag', 'text')
      .addColumn('outcome', 'text')
      .addColumn('queue_position', 'bigint', (column) => column.notNull())
      .addColumn('enqueued', 'integer', (column) => column.notNull())
      .addColumn('cancel_requested', 'integer', (column) => column.notNull())
      .addColumn('attempts', 'integer', (column) => column.notNull())
      .addColumn('kept_bytes', 'bigint', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('started_at', 'bigint')
      .addColumn('finished_at', 'bigint')
      // Last, because SQLite passes over a long text to read the columns after it.
      .addColumn('source', 'text')
      .addColumn('result', 'text')
      .execute();
    await schema
      .createIndex('translations_run')
      .on('translations')
      .columns(['run_id', 'created_at'])
      .execute();
    await schema
      .createIndex('translations_organization')
      .on('translations')
      .columns(['organization_id', 'created_at'])
      .execute();
    await schema
      .createIndex('translations_queue')
      .on('translations')
      .columns(['organization_id', 'queue_position'])
      .execute();
    await schema
      .createIndex('translations_not_enqueued')
      .on('translations')
      .columns(['created_at', 'enqueued'])
      .where('enqueued', '=', 0)
      .execute();
  },
};

// Migration 16: what operators did by shell.

/** Adds a table. */
const operatorActions: Migration = {
  async up({ schema }: Kysely<unknown>) {
    await schema
      .createTable('operator_actions')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('at', 'bigint', (column) => column.notNull())
      .addColumn('actor', 'text', (column) => column.notNull())
      .addColumn('action', 'text', (column) => column.notNull())
      .addColumn('subject', 'text', (column) => column.notNull())
      .execute();
    await schema.createIndex('operator_actions_at').on('operator_actions').column('at').execute();
  },
};

// Migration 17: the evidence of reviews in a table of its own.

/**
 * Adds a table. In the row of a review the evidence comes after the document, all of which SQLite passes over to read
 * it: the evidence of 500 reviews of 200 KB took half a second.
 */
const reviewEvidence: Migration = {
  async up(database: Kysely<unknown>) {
    await database.schema
      .createTable('review_evidence')
      .addColumn('run_id', 'text', (column) =>
        column.primaryKey().references('reviews.run_id').onDelete('cascade'),
      )
      .addColumn('tag', 'text', (column) => column.notNull())
      .addColumn('saved_at', 'bigint', (column) => column.notNull())
      .addColumn('evidence', 'text', (column) => column.notNull())
      .execute();
    await sql`insert into review_evidence (run_id, tag, saved_at, evidence)
      select run_id, evidence_tag, saved_at, evidence from reviews
      where evidence is not null and evidence_tag is not null`.execute(database);
  },
};

// Migration 18: names that people give to runs.

/** Adds a column; a run without a name is called like its recording. */
const runNames: Migration = {
  async up({ schema }: Kysely<unknown>) {
    await schema.alterTable('runs').addColumn('name', 'text').execute();
  },
};

/** Adds a table and a column. In a table of its own, because SQLite passes over a long text to read what follows. */
const translationEdits: Migration = {
  async up({ schema }: Kysely<unknown>) {
    await schema
      .createTable('translation_edits')
      .addColumn('translation_id', 'text', (column) =>
        column.primaryKey().references('translations.id').onDelete('cascade'),
      )
      .addColumn('tag', 'text', (column) => column.notNull())
      .addColumn('saved_at', 'bigint', (column) => column.notNull())
      .addColumn('counts', 'text', (column) => column.notNull())
      .addColumn('evidence', 'text', (column) => column.notNull())
      .addColumn('edits', 'text', (column) => column.notNull())
      .addColumn('result', 'text', (column) => column.notNull())
      .execute();
    await schema.alterTable('translations').addColumn('idempotency_key', 'text').execute();
    await schema
      .createIndex('translations_idempotency')
      .unique()
      .on('translations')
      .columns(['organization_id', 'idempotency_key'])
      .where('idempotency_key', 'is not', null)
      .execute();
  },
};

/** Adds two tables. Rows of a run are deleted with the run; comments outlive the link they came by. */
const reviewLinks: Migration = {
  async up({ schema }: Kysely<unknown>) {
    await schema
      .createTable('review_links')
      .$call(ofARun)
      .addColumn('key_id', 'text', (column) => column.notNull())
      .addColumn('token_hash', 'text', (column) => column.notNull().unique())
      .addColumn('right', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('expires_at', 'bigint', (column) => column.notNull())
      .execute();
    await schema.createIndex('review_links_run').on('review_links').column('run_id').execute();
    await schema
      .createIndex('review_links_organization')
      .on('review_links')
      .column('organization_id')
      .execute();
    await schema
      .createTable('review_comments')
      .$call(ofARun)
      .addColumn('link_id', 'text')
      .addColumn('parent_id', 'text')
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('at', 'double precision', (column) => column.notNull())
      .addColumn('text', 'text', (column) => column.notNull())
      .addColumn('settled', 'integer', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('changed_at', 'bigint', (column) => column.notNull())
      .execute();
    await schema
      .createIndex('review_comments_run')
      .on('review_comments')
      .columns(['run_id', 'created_at', 'id'])
      .execute();
  },
};

/** The columns of a row that is deleted with its run. */
const ofARun = (table: CreateTableBuilder<string>) =>
  table
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('run_id', 'text', (column) =>
      column.notNull().references('runs.id').onDelete('cascade'),
    )
    .addColumn('organization_id', 'text', (column) => column.notNull());

/** Adds a table, which is filled when runs are listed; results of earlier versions are read then, too. */
const runFacts: Migration = {
  async up({ schema }: Kysely<unknown>) {
    await schema
      .createTable('run_facts')
      .addColumn('run_id', 'text', (column) =>
        column.primaryKey().references('runs.id').onDelete('cascade'),
      )
      .addColumn('review_tag', 'text', (column) => column.notNull())
      .addColumn('facts', 'text', (column) => column.notNull())
      .execute();
  },
};

/** Adds a column. */
const loadingBytes: Migration = {
  async up({ schema }: Kysely<unknown>) {
    await schema.alterTable('runs').addColumn('loading_bytes', 'bigint').execute();
  },
};

/** Adds a column. */
const linkSounds: Migration = {
  async up({ schema }: Kysely<unknown>) {
    await schema.alterTable('review_links').addColumn('sound_bytes', 'bigint').execute();
  },
};

/** Adds a table. */
const workspaceQuotas: Migration = {
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

/** All migrations by name; the database remembers the names. */
export const MIGRATIONS = {
  '0001-first': first,
  '0002-audit-answers': auditAnswers,
  '0003-outside-claims': outsideClaims,
  '0004-many-machines': manyMachines,
  '0005-run-attempts': runAttempts,
  '0006-quotas': quotas,
  '0007-guarded-claims': guardedClaims,
  '0009-learning': learning,
  '0010-webhooks': webhooks,
  '0011-erasure': erasure,
  '0012-partial-transcripts': partialTranscripts,
  '0013-resumable-uploads': resumableUploads,
  '0014-run-texts': runTexts,
  '0015-translations': translations,
  '0016-operator-actions': operatorActions,
  '0017-review-evidence': reviewEvidence,
  '0018-run-names': runNames,
  '0019-translation-edits': translationEdits,
  '0020-review-links': reviewLinks,
  '0021-run-facts': runFacts,
  '0022-loading-bytes': loadingBytes,
  '0023-workspace-quotas': workspaceQuotas,
  '0024-link-sounds': linkSounds,
};
