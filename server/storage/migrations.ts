/** The migrations of the service's database, in order; one that was released never changes. */
import { type Kysely, PostgresAdapter, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { briefOf } from '../contract/payload.ts';

/** A migration in the SQL that SQLite and PostgreSQL share; each statement ends with a semicolon and its line. */
const inSql = (statements: string): Migration => ({
  async up(database: Kysely<unknown>) {
    for (const statement of statements.split(/;\s*\n/)) {
      if (statement.trim() !== '') await sql.raw(statement).execute(database);
    }
  },
});

/** Payloads of earlier runs are moved if they are at least this long. */
const LONG_BYTES = 16 * 2 ** 10;

interface Tables {
  runs: { id: string; payload: string };
  run_texts: { run_id: string; kind: string; text: string };
}

/**
 * Adds a table for the large texts of runs. SQLite has to pass over a long payload and result to read the columns after
 * them, so that a list of runs took as long as these are. Workers move earlier results later, since that could take
 * minutes (run-texts.ts).
 */
const runTexts: Migration = {
  async up(database: Kysely<Tables>) {
    await sql`create table run_texts (run_id text not null references runs (id) on delete cascade, kind text not null,
      text text not null, constraint run_texts_key primary key (run_id, kind))`.execute(database);
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

/**
 * Adds the captions that are searched, which are made from results and reviews, and so in no backup. In SQLite, what is
 * deleted from them is overwritten in the index too.
 */
const captionSearch: Migration = {
  async up(database: Kysely<unknown>) {
    const isPostgres = database.getExecutor().adapter instanceof PostgresAdapter;
    const passages = (id: string, words: string) => `
      create table caption_search (id ${id}, run_id text not null references runs (id) on delete cascade,
        organization_id text not null, words ${words} not null, cues text not null)`;
    const statements = [
      ...(isPostgres
        ? [
            passages('bigint generated always as identity primary key', 'tsvector'),
            'create index caption_search_words on caption_search using gin (words)',
          ]
        : [
            passages('integer primary key', 'text'),
            `create virtual table caption_search_words using fts5 (words, content = 'caption_search', content_rowid = 'id',
              prefix = '2 3 4',
              tokenize = "unicode61 remove_diacritics 0 categories 'L* N* M* Co'")`,
            "insert into caption_search_words (caption_search_words, rank) values ('secure-delete', 1)",
            `create trigger caption_search_added after insert on caption_search begin
              insert into caption_search_words (rowid, words) values (new.id, new.words);
            end`,
            `create trigger caption_search_deleted after delete on caption_search begin
              insert into caption_search_words (caption_search_words, rowid, words) values ('delete', old.id, old.words);
            end`,
          ]),
      'create index caption_search_run on caption_search (run_id)',
      // The version of each run that is searched, and the runs of which there is another one.
      `create table caption_search_runs (run_id text primary key references runs (id) on delete cascade,
        tag text not null)`,
      `create table caption_search_due (run_id text primary key references runs (id) on delete cascade,
        organization_id text not null)`,
      'create index caption_search_due_organization on caption_search_due (organization_id)',
    ];
    for (const statement of statements) await sql.raw(statement).execute(database);
  },
};

/** All migrations by name; the database remembers the names. */
export const MIGRATIONS = {
  // The tables of an empty database.
  '0001-first': inSql(`
    create table organizations (id text primary key, external_id text not null unique, kind text not null,
      created_at bigint not null);
    create table registrations (id text primary key, email text not null, claim_token_hash text not null unique,
      code_hash text not null, scopes text not null, attempts integer not null, state text not null,
      created_at bigint not null, expires_at bigint not null);
    create index registrations_email on registrations (email, state);
    create table api_keys (id text primary key, key_hash text not null, obfuscated text not null,
      name text not null, organization_id text not null references organizations (id), owner_email text not null,
      scopes text not null, created_at bigint not null, last_used_at bigint, revoked_at bigint);
    create table rate_events (id text primary key, subject text not null, at bigint not null);
    create index rate_events_subject on rate_events (subject, at);
    create table runs (id text primary key, organization_id text not null, key_id text not null,
      payload text not null, state text not null, stage text, progress double precision not null,
      timings text not null, result text, idempotency_key text, cancel_requested integer default 0 not null,
      created_at bigint not null, started_at bigint, updated_at bigint not null, finished_at bigint);
    create index runs_organization on runs (organization_id, created_at);
    create unique index runs_idempotency on runs (organization_id,
      idempotency_key) where idempotency_key is not null;
    create index runs_unfinished on runs (finished_at);
    create table moderation_events (id text primary key, run_id text not null, created_at bigint not null,
      decision text not null, severity text not null, reason text not null, model text not null, flagged text);
  `),
  // Answers of language models, so that each question is sent only once. Can be emptied at any time.
  '0002-audit-answers': inSql(`
    create table audit_answers (key text primary key, answer text not null, created_at bigint not null);
    create index audit_answers_created_at on audit_answers (created_at);
  `),
  // The user and the lease of a claim at an outside identity provider.
  '0003-outside-claims': inSql(`
    alter table registrations add column provider_user_id text;
    alter table registrations add column lease_until bigint;
  `),
  // State shared by several processes: the order of the queue, schedules and secrets. Existing runs count as not queued.
  '0004-many-machines': inSql(`
    alter table runs add column queue_position bigint default 0 not null;
    alter table runs add column enqueued integer default 0 not null;
    create index runs_queue on runs (organization_id, queue_position);
    create index runs_started on runs (queue_position, started_at) where started_at is not null;
    create index runs_not_enqueued on runs (created_at, enqueued) where enqueued = 0;
    create index runs_state on runs (state);
    create table schedules (name text primary key, due_at bigint not null, lease_until bigint);
    create table shared_secrets (name text primary key, value text not null);
  `),
  // Computations that crashed, and a recording that is still to be deleted.
  '0005-run-attempts': inSql(`
    alter table runs add column attempts integer default 0 not null;
    alter table runs add column owed_audio text;
    create index runs_owed_audio on runs (owed_audio) where owed_audio is not null;
  `),
  // The storage that workspaces use. Existing runs are counted here, recordings when the store is next listed. The sum of
  // a workspace needs only the index, so rows with megabytes of results are not read.
  '0006-quotas': inSql(`
    create table audio_usage (id text primary key, workspace text not null, bytes bigint not null,
      expires_at bigint);
    create index audio_usage_workspace on audio_usage (workspace, expires_at, bytes);
    alter table runs add column kept_bytes bigint default 0 not null;
    update runs set kept_bytes = octet_length(payload) + coalesce(octet_length(result), 0);
    create index runs_kept_bytes on runs (organization_id, kept_bytes);
  `),
  // Protection against guessed codes, lost claims and reused upload links.
  '0007-guarded-claims': inSql(`
    alter table registrations add column client text;
    alter table registrations add column code_round integer default 1 not null;
    alter table registrations add column provider_code_id text;
    alter table registrations add column provider_organization_id text;
    alter table registrations add column cleanup_due integer default 0 not null;
    alter table rate_events add column expires_at bigint;
    create table used_upload_links (id text primary key, expires_at bigint not null);
  `),
  // Reviews, the terms of workspaces, and the captions that learned rules changed.
  '0009-learning': inSql(`
    create table reviews (run_id text primary key references runs (id) on delete cascade,
      organization_id text not null, tag text not null, document text not null, bytes bigint not null,
      saved_at bigint not null, evidence text, evidence_tag text);
    create index reviews_organization on reviews (organization_id, saved_at);
    create table workspace_terms (organization_id text primary key, document text not null,
      version bigint not null, updated_at bigint not null);
    create table rule_changes (run_id text not null references runs (id) on delete cascade,
      correction_id text not null, organization_id text not null, rule_id text not null,
      start double precision not null, before text not null, after text not null,
      constraint rule_changes_key primary key (run_id, correction_id));
    create index rule_changes_rule on rule_changes (organization_id, rule_id);
  `),
  // Webhooks, and the deliveries that are due to their endpoints.
  '0010-webhooks': inSql(`
    create table webhooks (id text primary key, organization_id text not null, key_id text not null,
      url text not null, events text not null, secret text not null, created_at bigint not null,
      failing_since bigint, disabled_at bigint, lease_until bigint);
    create index webhooks_organization on webhooks (organization_id);
    create table webhook_deliveries (id text primary key,
      webhook_id text not null references webhooks (id) on delete cascade, run_id text not null,
      event text not null, body text not null, position bigint not null, state text not null,
      tries integer not null, created_at bigint not null, queued_at bigint not null, next_at bigint not null,
      finished_at bigint, last_status integer, last_error text);
    create index webhook_deliveries_queue on webhook_deliveries (webhook_id, state, position);
    create index webhook_deliveries_due on webhook_deliveries (state, next_at);
    create index webhook_deliveries_run on webhook_deliveries (run_id);
  `),
  // The runs to which an answer of a language model belongs, so that it is erased with them. Earlier answers name none, so
  // they are deleted and asked again. And the keys of recordings, so that an export can name them.
  '0011-erasure': inSql(`
    create table audit_answer_runs (key text not null references audit_answers (key) on delete cascade,
      run_id text not null references runs (id) on delete cascade,
      constraint audit_answer_runs_key primary key (key, run_id));
    create index audit_answer_runs_run on audit_answer_runs (run_id);
    delete from audit_answers;
    alter table audio_usage add column key text;
  `),
  // Previews of the transcripts of runs in progress, deleted when the run ends.
  '0012-partial-transcripts': inSql(`
    create table partial_transcripts (run_id text not null references runs (id) on delete cascade,
      position integer not null, start double precision not null, "end" double precision not null,
      text text not null, constraint partial_transcripts_key primary key (run_id, position));
  `),
  // Uploads that continue after a broken connection, and the parts that have arrived.
  '0013-resumable-uploads': inSql(`
    create table resumable_uploads (id text primary key, organization_id text not null, key text not null,
      metadata text not null, length bigint not null, received bigint not null, expires_at bigint not null,
      joining_until bigint);
    create index resumable_uploads_organization on resumable_uploads (organization_id);
    create index resumable_uploads_expiry on resumable_uploads (expires_at);
    create table resumable_parts (upload_id text not null references resumable_uploads (id) on delete cascade,
      start bigint not null, key text not null, constraint resumable_parts_key primary key (upload_id, start));
  `),
  '0014-run-texts': runTexts,
  // Translations of captions. Long texts are last, because SQLite passes over them to read the columns after them.
  '0015-translations': inSql(`
    create table translations (id text primary key, organization_id text not null,
      run_id text references runs (id) on delete cascade, language text not null, request text not null,
      state text not null, progress double precision not null, basis text, review_tag text, outcome text,
      queue_position bigint not null, enqueued integer not null, cancel_requested integer not null,
      attempts integer not null, kept_bytes bigint not null, created_at bigint not null, started_at bigint,
      finished_at bigint, source text, result text);
    create index translations_run on translations (run_id, created_at);
    create index translations_organization on translations (organization_id, created_at);
    create index translations_queue on translations (organization_id, queue_position);
    create index translations_not_enqueued on translations (created_at, enqueued) where enqueued = 0;
  `),
  // What operators did by shell.
  '0016-operator-actions': inSql(`
    create table operator_actions (id text primary key, at bigint not null, actor text not null,
      action text not null, subject text not null);
    create index operator_actions_at on operator_actions (at);
  `),
  // The evidence of reviews in a table of its own: in the row of a review SQLite passes over the document to read it, which
  // took half a second for 500 reviews of 200 KB.
  '0017-review-evidence': inSql(`
    create table review_evidence (run_id text primary key references reviews (run_id) on delete cascade,
      tag text not null, saved_at bigint not null, evidence text not null);
    insert into review_evidence (run_id, tag, saved_at, evidence) select run_id, evidence_tag, saved_at,
      evidence from reviews where evidence is not null and evidence_tag is not null;
  `),
  // Names that people give to runs; a run without one is called like its recording.
  '0018-run-names': inSql('alter table runs add column name text'),
  // What people change in translations, in a table of its own for the same reason; and translations asked for twice.
  '0019-translation-edits': inSql(`
    create table translation_edits (translation_id text primary key references translations (id) on delete cascade,
      tag text not null, saved_at bigint not null, counts text not null, evidence text not null,
      edits text not null, result text not null);
    alter table translations add column idempotency_key text;
    create unique index translations_idempotency on translations (organization_id,
      idempotency_key) where idempotency_key is not null;
  `),
  // Links to reviews, and comments, which outlive the link they came by.
  '0020-review-links': inSql(`
    create table review_links (id text primary key, run_id text not null references runs (id) on delete cascade,
      organization_id text not null, key_id text not null, token_hash text not null unique,
      "right" text not null, created_at bigint not null, expires_at bigint not null);
    create index review_links_run on review_links (run_id);
    create index review_links_organization on review_links (organization_id);
    create table review_comments (id text primary key,
      run_id text not null references runs (id) on delete cascade, organization_id text not null, link_id text,
      parent_id text, name text not null, at double precision not null, text text not null,
      settled integer not null, created_at bigint not null, changed_at bigint not null);
    create index review_comments_run on review_comments (run_id, created_at, id);
  `),
  // What lists show of a run, filled when runs are listed, from results of earlier versions too.
  '0021-run-facts': inSql(`
    create table run_facts (run_id text primary key references runs (id) on delete cascade,
      review_tag text not null, facts text not null);
  `),
  // How much of a model a run still has to fetch.
  '0022-loading-bytes': inSql('alter table runs add column loading_bytes bigint'),
  // Quotas of single workspaces.
  '0023-workspace-quotas': inSql(`
    create table workspace_quotas (organization_id text not null, kind text not null, bytes bigint,
      constraint workspace_quotas_key primary key (organization_id, kind));
  `),
  // The sound that guests of a link hear.
  '0024-link-sounds': inSql('alter table review_links add column sound_bytes bigint'),
  // People whose address is refused, under a pseudonym, so that an address can be erased and stay refused.
  '0025-disabled-people': inSql(`
    create table disabled_people (person text primary key, at bigint not null);
    create index api_keys_owner_email on api_keys (owner_email);
  `),
  // Sentences that were translated before, which go with the run or the translation that they are from.
  '0026-translation-memory': inSql(`
    create table translation_memory (organization_id text not null, source_language text not null,
      language text not null, who text not null, source_hash text not null,
      run_id text references runs (id) on delete cascade,
      translation_id text references translations (id) on delete cascade,
      made_in text, updated_at bigint not null, source text not null, text text not null,
      constraint translation_memory_key primary key (organization_id, source_language, language, who, source_hash));
    create index translation_memory_run on translation_memory (run_id);
    create index translation_memory_translation on translation_memory (translation_id);
    create index translation_memory_made_in on translation_memory (organization_id, made_in);
    create index translation_memory_age on translation_memory (organization_id, who, updated_at);
  `),
  // What a run says about how its speech was heard, so that nobody has to read its result for that.
  '0027-hearing-notes': inSql('alter table runs add column hearing_notes text'),
  // The sound and the small video that stay with a run until its review is finished; and what is known of links: their
  // names, what else their guests get, and when somebody opened them.
  '0028-run-media': inSql(`
    create table run_media (run_id text not null references runs (id) on delete cascade, kind text not null,
      organization_id text not null, type text not null, bytes bigint, version text, since bigint not null,
      constraint run_media_key primary key (run_id, kind));
    alter table review_links add column name text;
    alter table review_links add column hears integer default 0 not null;
    alter table review_links add column sees integer default 0 not null;
    alter table review_links add column opened integer default 0 not null;
    alter table review_links add column opened_at bigint;
  `),
  // Addresses for programs with no field for a key.
  '0029-key-addresses': inSql(`
    create table key_addresses (id text primary key, organization_id text not null, key_id text not null,
      user_id text, token_hash text not null unique, name text, created_at bigint not null);
    create index key_addresses_organization on key_addresses (organization_id);
  `),
  // Measurements of how accurate captions are, which go with their run: the captions that were measured, the passages
  // that were drawn, and what people found in them.
  '0030-measurements': inSql(`
    create table measurements (id text primary key, run_id text not null references runs (id) on delete cascade,
      organization_id text not null, seed text not null, seed_given integer not null,
      goal double precision not null, person text not null, key_id text not null, passages bigint not null,
      names text not null, captions text not null, captions_hash text not null, created_at bigint not null);
    create index measurements_run on measurements (run_id, created_at);
    create table measured_passages (measurement_id text not null references measurements (id) on delete cascade,
      turn bigint not null, number bigint not null, cell bigint not null, cell_size bigint not null,
      stratum bigint not null, start double precision not null, "end" double precision not null, speaker text not null,
      doubtful integer not null, shown text not null, said text, words bigint, shown_words bigint,
      word_errors bigint, names bigint, names_right bigint, errors text, judged_at bigint,
      constraint measured_passages_key primary key (measurement_id, turn));
  `),
  '0031-caption-search': captionSearch,
  // Voices that workspaces remember, if they have switched that on; they go with their run, their person or the workspace.
  '0032-voices': inSql(`
    create table voice_settings (organization_id text primary key, since bigint not null);
    create table voice_people (id text primary key, organization_id text not null, name text not null,
      created_at bigint not null, constraint voice_people_name unique (organization_id, name));
    create table run_voices (run_id text not null references runs (id) on delete cascade, speaker text not null,
      organization_id text not null, person_id text references voice_people (id) on delete set null,
      model text not null, seconds double precision not null, refused text not null, print text not null,
      constraint run_voices_key primary key (run_id, speaker));
    create index run_voices_organization on run_voices (organization_id, person_id);
    create index run_voices_person on run_voices (person_id);
  `),
  // The people of workspaces. Whoever had a valid key could do everything, and so becomes an owner.
  '0033-members': inSql(`
    create table members (id text primary key, organization_id text not null references organizations (id),
      email text not null, role text not null, joined_at bigint not null, disabled_at bigint,
      constraint members_person unique (organization_id, email));
    create index members_email on members (email);
    insert into members (id, organization_id, email, role, joined_at) select 'mem_' || min(id), organization_id,
      owner_email, 'owner', min(created_at) from api_keys where revoked_at is null
      group by organization_id, owner_email;
    create table invitations (id text primary key, organization_id text not null references organizations (id),
      email text not null, role text not null, code_hash text not null unique, invited_by text,
      created_at bigint not null, expires_at bigint not null);
    create index invitations_organization on invitations (organization_id);
    create table audit_events (id text primary key, organization_id text not null, at bigint not null,
      person text, key_id text, action text not null, subject text not null);
    create index audit_events_organization on audit_events (organization_id, at, id);
    create table workspace_retention (organization_id text primary key, run_days bigint not null);
  `),
  // Keys that end by themselves, and which account of an OpenID Connect provider an address belongs to.
  '0034-single-sign-on': inSql(`
    alter table api_keys add column expires_at bigint;
    create table provider_people (person text primary key, organization_id text not null, email text not null,
      constraint provider_people_email unique (organization_id, email));
  `),
  // The versions of reviews, which go with their review: that without a document is the review itself.
  '0035-review-versions': inSql(`
    create table review_versions (id text primary key, run_id text not null references reviews (run_id) on delete cascade,
      key_id text not null, tag text not null, bytes bigint not null, started_at bigint not null,
      saved_at bigint not null, name text, document text);
    create index review_versions_run on review_versions (run_id, saved_at);
  `),
  // Whom reviews are assigned to, and whether they are approved.
  '0036-review-states': inSql(`
    create table review_states (run_id text primary key references runs (id) on delete cascade, state text not null,
      assignee text, due text, approved_by text, approved_tag text, approved_at bigint, changed_at bigint not null);
  `),
  // Clips of the voices of known speakers, which come with a recording and go when its run has ended.
  '0037-known-speakers': inSql(`
    create table known_speakers (organization_id text not null, audio_key text not null, position integer not null,
      name text not null, created_at bigint not null, mp3 text not null,
      constraint known_speakers_key primary key (organization_id, audio_key, position));
    create index known_speakers_age on known_speakers (created_at);
  `),
  // The number of speakers of a recording, where it was given with the run.
  '0038-speaker-count': inSql('alter table runs add column speakers integer'),
  // What owners set for their workspaces, below what the service allows.
  '0040-owner-limits': inSql(`
    create table owner_limits (organization_id text not null, kind text not null, amount bigint not null,
      constraint owner_limits_key primary key (organization_id, kind));
  `),
  // The latest captions of a workspace, which a search in PostgreSQL looks through.
  '0041-latest-captions': inSql(
    'create index caption_search_latest on caption_search (organization_id, id)',
  ),
  // Add the next migration above this line.
};
