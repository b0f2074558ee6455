/** The service's tables: text, whole numbers (milliseconds since the epoch) and JSON as text, so that any database will do. */
import type { CaptionerStage } from '../contract/failure.ts';
import type { RunState } from '../contract/runs.ts';

/**
 * How far a registration is. `burnt`: too many wrong codes. With an outside identity provider, what may
 * have happened there is noted before it is asked: `verifying` (the code may be spent), `verified` (it
 * was right), `issuing` (there may be a key).
 */
export type RegistrationState = 'open' | 'verifying' | 'verified' | 'issuing' | 'claimed' | 'burnt';

export interface Tables {
  /** A workspace that owns keys, audio and runs. */
  organizations: {
    id: string;
    /** `personal:<user>` or `team:<domain>`; unique. */
    external_id: string;
    kind: 'personal' | 'team';
    created_at: number;
  };
  /** A claim under way. */
  registrations: {
    id: string;
    email: string;
    claim_token_hash: string;
    code_hash: string;
    scopes: string;
    /** Codes tried so far. */
    attempts: number;
    state: RegistrationState;
    created_at: number;
    expires_at: number;
    /** The network it came from, hashed; null for one that an earlier version began. */
    client: string | null;
    /** 2 once a right code was answered with a second one: from then on only that one counts. */
    code_round: number;
    /** The user of an outside identity provider. */
    provider_user_id: string | null;
    /** Its name for the code that it mailed. */
    provider_code_id: string | null;
    /** The organisation there that the key is issued in. */
    provider_organization_id: string | null;
    /** 1 while there may be keys of this registration there that nobody was given. */
    cleanup_due: number;
    /** Until when one claim under way keeps others out. */
    lease_until: number | null;
  };
  api_keys: {
    id: string;
    key_hash: string;
    obfuscated: string;
    name: string;
    organization_id: string;
    /** The address that claimed it. */
    owner_email: string;
    scopes: string;
    created_at: number;
    last_used_at: number | null;
    revoked_at: number | null;
  };
  /** Events counted against a limit, one row each. */
  rate_events: {
    id: string;
    subject: string;
    at: number;
    /** When it no longer counts; null for what an earlier version counted, for an hour. */
    expires_at: number | null;
  };
  /** Upload links that took their upload, or are taking it. */
  used_upload_links: {
    id: string;
    /** When the link would have expired anyway. */
    expires_at: number;
  };
  runs: {
    id: string;
    organization_id: string;
    key_id: string;
    payload: string;
    state: RunState;
    stage: CaptionerStage | null;
    progress: number;
    timings: string;
    result: string | null;
    idempotency_key: string | null;
    /** Its turn among all that wait, fair between organisations; see runs/run-store.ts. */
    queue_position: number;
    /** Whether the engine has it: 0 or 1. */
    enqueued: number;
    cancel_requested: number;
    /** Computations of it that are under way, or ended with the thread or process that did them. */
    attempts: number;
    /** The version of its recording, where that has yet to be deleted although the run has ended. */
    owed_audio: string | null;
    created_at: number;
    started_at: number | null;
    updated_at: number;
    finished_at: number | null;
    /** Bytes that count against RESULT_QUOTA: the payload, with the result or room for one. */
    kept_bytes: number;
  };
  /** The recordings that workspaces keep, and those on their way in: what counts against AUDIO_QUOTA. */
  audio_usage: {
    /** The name of an object in the store, or `upload:` and an id for one on its way in. */
    id: string;
    /** As workspaceName() makes it. */
    workspace: string;
    bytes: number;
    /** Of one on its way in: when it stops counting unless it is renewed. Null for a stored object. */
    expires_at: number | null;
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
  /** Work that one process at a time does again and again. */
  schedules: {
    name: string;
    /** Epoch milliseconds. */
    due_at: number;
    /** Until when whoever does it keeps the others out; null while nobody does it. */
    lease_until: number | null;
  };
  /** What all processes have to agree on: made by the first that needs it. */
  shared_secrets: {
    name: string;
    value: string;
  };
  /** What language models answered, by a hash of what was asked. */
  audit_answers: {
    key: string;
    answer: string;
    created_at: number;
  };
  /** The reviews of runs, one each; they go with their run. */
  reviews: {
    run_id: string;
    organization_id: string;
    /** A hash of the document: two that are alike have the same. */
    tag: string;
    /** A ReviewDocument as JSON. */
    document: string;
    bytes: number;
    saved_at: number;
    /** What was learned from it, as JSON, and the tag of the document that this is of. */
    evidence: string | null;
    evidence_tag: string | null;
  };
  /** The terms of a workspace's own and what it has learned, as one document; it is replaced as a whole. */
  workspace_terms: {
    organization_id: string;
    document: string;
    /** Counts the changes: who replaces it names the one that was read. */
    version: number;
    updated_at: number;
  };
  /** The corrections that a learned rule has made; they go with their run. */
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
}
