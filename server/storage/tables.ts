/**
 * The service's tables, which use only text, whole numbers (milliseconds since the epoch) and JSON as text, so that
 * they work in any database.
 */
import type { Generated } from 'kysely';
import type { CaptionerStage } from '../contract/failure.ts';
import type { Role } from '../contract/members.ts';
import type { RunState } from '../contract/runs.ts';
import type { ReviewStateName } from '../contract/review-versions.ts';
import type { LinkRight } from '../contract/sharing.ts';
import type { TranslationState } from '../contract/translations.ts';
import type { WebhookEvent } from '../contract/webhooks.ts';

/** What may stay with a run. */
export type MediaKind = 'sound' | 'video';

/**
 * The state of a registration. `burnt` means that there were too many wrong codes. With an outside identity provider,
 * each step is recorded before its call: `verifying` (the code may have been used), `verified` (it was right),
 * `issuing` (there may be a key).
 */
type RegistrationState = 'open' | 'verifying' | 'verified' | 'issuing' | 'claimed' | 'burnt';

export interface Tables extends ResumableTables {
  /** A workspace that owns keys, audio and runs. */
  organizations: {
    id: string;
    /** `personal:<user>` or `team:<domain>`; unique. */
    external_id: string;
    kind: 'personal' | 'team';
    created_at: number;
  };
  /** A registration in progress. */
  registrations: {
    id: string;
    email: string;
    claim_token_hash: string;
    code_hash: string;
    scopes: string;
    /** The number of codes tried so far. */
    attempts: number;
    state: RegistrationState;
    created_at: number;
    expires_at: number;
    /** The network of its client, hashed; null if an earlier version created it. */
    client: string | null;
    /** 2 once a right code was answered by mailing a second one, which is the only valid one from then on. */
    code_round: Generated<number>;
    /** The user of an outside identity provider. */
    provider_user_id: string | null;
    /** The provider's id of the emailed code. */
    provider_code_id: string | null;
    /** The provider's organisation that issues the key. */
    provider_organization_id: string | null;
    /** 1 while the provider may have keys of this registration that were never returned. */
    cleanup_due: Generated<number>;
    /** The time until which a claim in progress keeps others out. */
    lease_until: number | null;
  };
  /** A passage of captions that is searched. */
  caption_search: {
    id: Generated<number>;
    run_id: string;
    organization_id: string;
    /** In SQLite, its words with spaces; in PostgreSQL, a tsvector. */
    words: string;
    /** Its captions as JSON. */
    cues: string;
  };
  /** The version of a run that is searched: the tag of its review, or ''. */
  caption_search_runs: { run_id: string; tag: string };
  /** A run whose captions have changed since. */
  caption_search_due: { run_id: string; organization_id: string };
  /** An address that a program uses instead of a key. */
  key_addresses: {
    id: string;
    organization_id: string;
    /** The key that made it, with which it ends. */
    key_id: string;
    /** The user who owns that key, if it is not owned by the organisation. */
    user_id: string | null;
    token_hash: string;
    name: string | null;
    created_at: number;
  };
  api_keys: {
    id: string;
    key_hash: string;
    obfuscated: string;
    name: string;
    organization_id: string;
    /** The address that claimed the key. */
    owner_email: string;
    scopes: string;
    created_at: number;
    last_used_at: number | null;
    revoked_at: number | null;
    /** When it ends by itself; null for never. */
    expires_at: Generated<number | null>;
  };
  /** The accounts of an OpenID Connect provider, by the keyed hash of what the provider calls them. */
  provider_people: {
    person: string;
    organization_id: string;
    email: string;
  };
  /** The people of a workspace. */
  members: {
    id: string;
    organization_id: string;
    /** Normalised. */
    email: string;
    role: Role;
    joined_at: number;
    /** Since when the person is kept out; null for one who is not. */
    disabled_at: number | null;
  };
  /** Invitations that have not been accepted. */
  invitations: {
    id: string;
    organization_id: string;
    email: string;
    role: Role;
    code_hash: string;
    /** The address of whoever made it; null if nobody claimed the key here. */
    invited_by: string | null;
    created_at: number;
    expires_at: number;
  };
  /** What was done in workspaces. */
  audit_events: {
    id: string;
    organization_id: string;
    at: number;
    /** The address of whoever did it; null if nobody claimed the key here. */
    person: string | null;
    key_id: string | null;
    action: string;
    subject: string;
  };
  /** The time for which single workspaces keep their runs, in days. */
  workspace_retention: {
    organization_id: string;
    run_days: number;
  };
  /** People whose address is refused. */
  disabled_people: {
    /** The keyed hash of the address. */
    person: string;
    at: number;
  };
  /** Events counted against a limit, one row each. */
  rate_events: {
    id: string;
    subject: string;
    at: number;
    /** The time when it stops counting; null for events of an earlier version, which count for an hour. */
    expires_at: number | null;
  };
  /** Upload links that were used or are in use. */
  used_upload_links: {
    id: string;
    /** The time when the link would have expired anyway. */
    expires_at: number;
  };
  runs: {
    id: string;
    organization_id: string;
    key_id: string;
    /** A PayloadBrief as JSON. That of an earlier version may be the whole payload. */
    payload: string;
    state: RunState;
    stage: CaptionerStage | null;
    progress: number;
    timings: string;
    /** The size of the speech model that it last waited for; null if it did not have to. */
    loading_bytes: number | null;
    /** The name that a person gave to it; null for that of its recording. */
    name: string | null;
    /** Sentences about how its speech was heard, as JSON; null if there is nothing to say. */
    hearing_notes: string | null;
    /** The result of a run that an earlier version ended. */
    result: string | null;
    /** The number of speakers, if it was given. */
    speakers: number | null;
    idempotency_key: string | null;
    /** Its position in the queue, fair between organisations; see runs/store/run-store.ts. */
    queue_position: number;
    /** Whether the run is in openworkflow's queue: 0 or 1. */
    enqueued: number;
    cancel_requested: number;
    /** The number of its computations that are in progress, or during which a thread or process died. */
    attempts: number;
    /** The version of its recording, if that is still to be deleted although the run has ended. */
    owed_audio: string | null;
    created_at: number;
    started_at: number | null;
    updated_at: number;
    finished_at: number | null;
    /** The bytes that count against RESULT_QUOTA: the payload, plus the result or the space reserved for it. */
    kept_bytes: number;
  };
  /** The whole payloads of runs, if they have more than the brief, and their results, as JSON. */
  run_texts: {
    run_id: string;
    kind: 'payload' | 'result';
    text: string;
  };
  /** Previews of runs in progress, in order; deleted when their run ends. */
  partial_transcripts: {
    run_id: string;
    /** Counts from 1. */
    position: number;
    /** Seconds from the start of the recording. */
    start: number;
    end: number;
    text: string;
  };
  /** The recordings that workspaces keep or are uploading, counted against AUDIO_QUOTA. */
  audio_usage: {
    /** The name of an object in the store, or `upload:` and an id for one that is being uploaded. */
    id: string;
    /** The name from workspaceName(). */
    workspace: string;
    bytes: number;
    /** The time when an upload stops counting unless it is renewed; null for a stored object. */
    expires_at: number | null;
    /** Its key; null for uploads in progress and objects stored before 1.2. */
    key: string | null;
  };
  moderation_events: {
    id: string;
    run_id: string;
    created_at: number;
    decision: string;
    severity: string;
    reason: string;
    model: string;
    flagged: string | null;
  };
  /** Periodic work, done by one process at a time. */
  schedules: {
    name: string;
    /** Epoch milliseconds. */
    due_at: number;
    /** The time until which the working process keeps others out; null while none does the work. */
    lease_until: number | null;
  };
  /** Values shared by all processes, created by the first process that needs them. */
  shared_secrets: {
    name: string;
    value: string;
  };
  /** Answers of language models, by a hash of the question. */
  audit_answers: {
    key: string;
    answer: string;
    created_at: number;
  };
  /** The runs to which an answer belongs; a row is deleted with either of them. */
  audit_answer_runs: {
    key: string;
    run_id: string;
  };
  /** The reviews of runs, one each, deleted with their run. */
  reviews: {
    run_id: string;
    organization_id: string;
    /** A hash of the document; equal documents have the same one. */
    tag: string;
    /** A ReviewDocument as JSON. */
    document: string;
    bytes: number;
    saved_at: number;
  };
  /** The versions of a review, one for each session of work; deleted with the review. */
  review_versions: {
    id: string;
    run_id: string;
    /** The key or the link that saved it; empty if it is not known. */
    key_id: string;
    tag: string;
    bytes: number;
    /** When the session began, and when it was last saved. */
    started_at: number;
    saved_at: number;
    name: string | null;
    /** Null of the current one, which is in `reviews`. */
    document: string | null;
  };
  /** How far the work on reviews is, deleted with their run; a run without a row is open, and nobody's. */
  review_states: {
    run_id: string;
    state: ReviewStateName;
    assignee: string | null;
    /** A day: 2026-12-01. */
    due: string | null;
    /** Who approved it, and which review; '' stands for the captions as the service made them. */
    approved_by: string | null;
    approved_tag: string | null;
    approved_at: number | null;
    changed_at: number;
  };
  /** The evidence learned from a review, as JSON, with the tag of the document that it came from. */
  review_evidence: {
    run_id: string;
    tag: string;
    saved_at: number;
    evidence: string;
  };
  /** Links that open a review without a key; deleted when they are revoked or expire, or with their run. */
  review_links: {
    id: string;
    run_id: string;
    organization_id: string;
    /** The key that made it. */
    key_id: string;
    token_hash: string;
    right: LinkRight;
    created_at: number;
    expires_at: number;
    /** The size of a recording that was stored for its guests alone; null if there is none. */
    sound_bytes: number | null;
    /** What its maker calls it. */
    name: Generated<string | null>;
    /** Whether its guests hear the sound of the run, and see its video: 0 or 1. */
    hears: Generated<number>;
    sees: Generated<number>;
    /** How often it was opened, and when last. */
    opened: Generated<number>;
    opened_at: Generated<number | null>;
  };
  /** What stays with a run until its review is finished; deleted with the run. */
  run_media: {
    run_id: string;
    kind: MediaKind;
    organization_id: string;
    /** Its media type. */
    type: string;
    /** Its size; null while a video arrives. */
    bytes: number | null;
    /** Of a sound: the version of the run's recording, which it is. */
    version: string | null;
    /** Since when, in epoch milliseconds. */
    since: number;
  };
  /** Comments on reviews, deleted with their run. */
  review_comments: {
    id: string;
    run_id: string;
    organization_id: string;
    /** The link it came by, which may be gone; null for a key. */
    link_id: string | null;
    /** The comment that it answers. */
    parent_id: string | null;
    /** What its author is called. */
    name: string;
    /** Seconds from the start of the recording. */
    at: number;
    text: string;
    settled: number;
    created_at: number;
    /** Increases with every change to a comment of the run. */
    changed_at: number;
  };
  /** Measurements of the accuracy of captions, deleted with their run. */
  measurements: {
    id: string;
    run_id: string;
    organization_id: string;
    seed: string;
    /** Whether the person chose the seed. */
    seed_given: number;
    goal: number;
    /** What the person who judges is called. */
    person: string;
    key_id: string;
    /** The passages of the whole talk. */
    passages: number;
    /** Words that belong to names, as JSON. */
    names: string;
    /** The captions that are measured, as SRT, and the SHA-256 of that file. */
    captions: string;
    captions_hash: string;
    created_at: number;
  };
  /** The passages of a measurement in the order in which they are judged; what was found in them is null until then. */
  measured_passages: {
    measurement_id: string;
    turn: number;
    /** Its place among the passages of the talk. */
    number: number;
    cell: number;
    cell_size: number;
    stratum: number;
    start: number;
    end: number;
    speaker: string;
    doubtful: number;
    shown: string;
    said: string | null;
    words: number | null;
    shown_words: number | null;
    word_errors: number | null;
    names: number | null;
    names_right: number | null;
    /** CaptionError[] as JSON. */
    errors: string | null;
    judged_at: number | null;
  };
  /** The workspaces that remember voices. */
  voice_settings: { organization_id: string; since: number };
  /** The people whose voices a workspace remembers. */
  voice_people: {
    id: string;
    organization_id: string;
    name: string;
    created_at: number;
  };
  /** The voices of the speakers of runs in these workspaces, deleted with their run. */
  run_voices: {
    run_id: string;
    /** As the words name the speaker. */
    speaker: string;
    organization_id: string;
    /** Whose it is, if somebody has named it. */
    person_id: string | null;
    /** The model that made the print. */
    model: string;
    /** The speech that the print was made of. */
    seconds: number;
    /** The ids of people whose it is not, as JSON. */
    refused: string;
    /** Numbers as JSON. */
    print: string;
  };
  /** Clips of known speakers for the run of a recording, until it has ended. */
  known_speakers: {
    organization_id: string;
    audio_key: string;
    position: number;
    name: string;
    created_at: number;
    /** In base64. */
    mp3: string;
  };
  /** What lists show of completed runs: RunFacts as JSON, with what they include. */
  run_facts: {
    run_id: string;
    review_tag: string;
    facts: string;
  };
  /** The terms of a workspace and the rules it has learned, as one document that is replaced as a whole. */
  workspace_terms: {
    organization_id: string;
    document: string;
    /** The number of changes so far; a client that replaces the document names the version it has read. */
    version: number;
    updated_at: number;
  };
  /** The corrections made by learned rules, deleted with their run. */
  rule_changes: {
    run_id: string;
    correction_id: string;
    organization_id: string;
    rule_id: string;
    /** Seconds from the start of the recording. */
    start: number;
    before: string;
    after: string;
  };
  /** Translations of captions. */
  translations: {
    id: string;
    organization_id: string;
    /** Null for captions that were sent with the request. */
    run_id: string | null;
    /** As in the request, in lower case. */
    language: string;
    /** The request as JSON, without captions. */
    request: string;
    /** The captions that were sent, with what is known about them, as JSON. */
    source: string | null;
    state: TranslationState;
    progress: number;
    basis: 'original' | 'reviewed' | 'sent' | null;
    /** The version of the review that was translated; null for captions as made by the service. */
    review_tag: string | null;
    /** What lists show of a translation that has begun, as JSON: provider and model, counts or error. */
    outcome: string | null;
    /** The result as JSON. */
    result: string | null;
    queue_position: number;
    enqueued: number;
    cancel_requested: number;
    attempts: number;
    /** Its share of the quota. */
    kept_bytes: number;
    created_at: number;
    started_at: number | null;
    finished_at: number | null;
    idempotency_key: string | null;
  };
  /** What people have changed in translations: one row for each that was changed. */
  translation_edits: {
    translation_id: string;
    /** Identifies the edits; equal edits have the same tag. */
    tag: string;
    saved_at: number;
    /** The counts of the changed translation, as JSON. */
    counts: string;
    /** The terms whose translation was changed, as JSON. */
    evidence: string;
    /** The changed sentences as JSON. */
    edits: string;
    /** The changed result as JSON; that of the translation stays as it was. */
    result: string;
  };
  /** Sentences that were translated before. */
  translation_memory: {
    organization_id: string;
    /** In lower case; empty if unknown. */
    source_language: string;
    /** In lower case. */
    language: string;
    /** `person`, or the provider, the model and the formality. */
    who: string;
    source_hash: string;
    /** The run, or the translation of sent captions, that it is from; neither if it was imported. */
    run_id: string | null;
    translation_id: string | null;
    /** The translation in which a person made it. */
    made_in: string | null;
    updated_at: number;
    source: string;
    text: string;
  };
  /** What owners set for their workspaces: bytes to store, days for which media stay with a run. */
  owner_limits: {
    organization_id: string;
    kind: 'recordings' | 'results' | 'mediaDays';
    amount: number;
  };
  /** Quotas that an operator gave single workspaces. */
  workspace_quotas: {
    organization_id: string;
    kind: 'recordings' | 'results';
    /** Null: no limit. */
    bytes: number | null;
  };
  /** What operators did by shell: `captioner admin`. */
  operator_actions: {
    id: string;
    at: number;
    /** The user of the operating system. */
    actor: string;
    /** The command, such as `keys revoke`. */
    action: string;
    /** What it was done to, such as the id of a key. */
    subject: string;
  };
  /** Endpoints of workspaces that receive events. */
  webhooks: {
    id: string;
    organization_id: string;
    /** The key that registered it, whose owner is notified if it is disabled. */
    key_id: string;
    url: string;
    /** The names of events, as a JSON array. */
    events: string;
    /** Signs deliveries; never logged. */
    secret: string;
    created_at: number;
    /** The first failure since the last successful delivery; null if there is none. */
    failing_since: number | null;
    disabled_at: number | null;
    /** The time until which one process delivers to it. */
    lease_until: number | null;
  };
  /** Events to be delivered to an endpoint, written together with the event itself. */
  webhook_deliveries: {
    id: string;
    webhook_id: string;
    run_id: string;
    event: WebhookEvent;
    body: string;
    /** Its place in the queue of its endpoint. */
    position: number;
    state: 'pending' | 'delivered' | 'failed';
    tries: number;
    created_at: number;
    /** The time when it was queued or queued again; it is tried for a day from then on. */
    queued_at: number;
    next_at: number;
    finished_at: number | null;
    last_status: number | null;
    last_error: string | null;
  };
}

/** The tables of uploads that can continue after a broken connection. */

interface ResumableTables {
  /** Uploads that can continue after a broken connection. */
  resumable_uploads: {
    id: string;
    organization_id: string;
    /** The key that the recording will have. */
    key: string;
    /** The Upload-Metadata header as the client sent it. */
    metadata: string;
    /** The bytes of the whole recording. */
    length: number;
    /** The bytes stored so far; equal to `length` only once the recording is stored under its key. */
    received: number;
    expires_at: number;
    /** The time until which one process has the lease for joining the parts. */
    joining_until: number | null;
  };
  /** The parts of uploads that have arrived, each of them an object of the audio store. */
  resumable_parts: {
    upload_id: string;
    /** The position of its first byte in the recording. */
    start: number;
    /** The key of the object. */
    key: string;
  };
}
