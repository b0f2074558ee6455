/**
 * The examples of the OpenAPI document, among them one small result of each kind: typed, so that they cannot drift
 * from the schemas.
 */
import type { Static } from '../../contract/schema.ts';
import { mp3Required as required, mp3TooLarge as tooLarge } from '../../contract/audio.ts';
import type { ErrorResponse } from '../../contract/failure.ts';
import type { CaptionerPayload } from '../../contract/payload.ts';
import {
  type AgentAuthCompleted,
  type AgentAuthCompleteRequest,
  type AgentAuthRequest,
  type AgentAuthStarted,
  SCOPES,
} from '../../contract/registration.ts';
import {
  type WorkflowAccepted,
  type WorkflowResultEnvelope,
  OPENAPI_VERSION,
  RESULT_VERSION,
  type CaptionerBlockedResult,
  type CaptionerCompletedResult,
  type CaptionerFailedResult,
} from '../../contract/results.ts';
import type { PartialTranscript, WorkflowRun, WorkflowRunList } from '../../contract/runs.ts';
import { DEFAULT_CAPTION_SETTINGS } from '../../contract/caption-defaults.ts';

const RUN_ID = 'run_01JD3V7Q4M';

/** A request that names a topic, a glossary and a pack. */
export const payload: CaptionerPayload = {
  audio: { key: 'talks/keynote.mp3', filename: 'keynote.mp3', mediaType: 'audio/mpeg' },
  topic: 'MCP Night: agent registration',
  glossary: ['AuthKit', 'auth.md'],
  language: 'en',
  terminology: { packs: ['events/mcp-night'] },
};

/** The 202 response to that request. */
export const accepted: WorkflowAccepted = { status: 'accepted', runId: RUN_ID };

const envelope = (
  result: Static<typeof WorkflowResultEnvelope>['result'],
): Static<typeof WorkflowResultEnvelope> => ({
  result,
  _meta: { runId: RUN_ID },
});

const input = {
  topic: 'MCP Night: agent registration',
  glossary: ['AuthKit'],
  language: 'en',
  source: { key: 'talks/keynote.mp3' },
};

const sourceAudio = {
  key: 'talks/keynote.mp3',
  policy: 'delete_after_use',
  status: 'deleted',
  cleanupPhase: 'after_transcription',
} as const;

const line = 'They signed in with AuthKit.';

/** A run with one caption, in which one term was corrected. */
export const completedResult: CaptionerCompletedResult = {
  openapi: OPENAPI_VERSION,
  version: RESULT_VERSION,
  id: 'res_01JD3V7Q4M',
  status: 'completed',
  input,
  metadata: {
    storage: { sourceAudio },
    moderation: {
      source: 'audio_transcript',
      model: 'rules',
      decision: 'allow',
      severity: 'none',
      reason: 'safe',
      chunksChecked: 1,
    },
    terminology: {
      packs: {
        requestedPacks: [],
        selectedPacks: ['vendors/workos'],
        injectedKeyterms: ['AuthKit'],
        auditTerms: ['AuthKit'],
        omittedKeyterms: [],
        explicitTerms: ['AuthKit'],
        availablePacks: [],
      },
      observations: [
        {
          surface: 'off kit',
          category: 'product_name',
          source: 'audit_accepted',
          action: 'add_mishear',
          suggested: 'AuthKit',
          canonical: 'AuthKit',
          confidence: 0.97,
        },
      ],
    },
  },
  transcript: {
    text: line,
    metadata: { language: 'en', duration: 2.4, droppedWords: 0, unheard: [] },
    words: [
      { text: 'They', start: 0.2, end: 0.4 },
      { text: 'signed', start: 0.4, end: 0.8 },
      { text: 'in', start: 0.8, end: 0.9 },
      { text: 'with', start: 0.9, end: 1.1 },
      { text: 'AuthKit.', start: 1.1, end: 1.8, original: ['off', 'kit'] },
    ],
    utterances: [{ text: line, start: 0.2, end: 1.8, firstWord: 0, lastWord: 4 }],
    paragraphs: [{ text: line, start: 0.2, end: 1.8, firstWord: 0, lastWord: 4 }],
  },
  audit: {
    enabled: true,
    mode: 'publishable',
    provider: 'edge',
    model: 'edge-matcher-6',
    minConfidence: 0.85,
    summary: { accepted: 1, needsReview: 0, rejected: 0 },
    corrections: [
      {
        id: 'c1',
        firstWord: 4,
        lastWord: 5,
        start: 1.1,
        end: 1.8,
        before: 'off kit',
        after: 'AuthKit',
        category: 'product_name',
        confidence: 0.97,
        decision: 'accepted',
        reason: 'A mishear that the pack lists.',
        packHints: ['vendors/workos'],
      },
    ],
    calls: 0,
    tokens: 0,
    cached: 0,
  },
  captions: {
    format: 'srt',
    srt: `1\n00:00:00,200 --> 00:00:01,800\n${line}\n`,
    cues: [
      {
        index: 1,
        start: 0.2,
        end: 1.8,
        startTime: '00:00:00,200',
        endTime: '00:00:01,800',
        text: line,
        lines: [line],
      },
    ],
    settings: DEFAULT_CAPTION_SETTINGS,
  },
  quality: {
    captions: {
      score: 1,
      summary: {
        cueCount: 1,
        warningCount: 0,
        maxLineLength: 28,
        maxCharsPerSecond: 17.5,
        maxWordsPerSecond: 3.1,
      },
      warnings: [],
      cues: [
        {
          cue: 1,
          duration: 1.6,
          charsPerSecond: 17.5,
          wordsPerSecond: 3.1,
          chars: 28,
          words: 5,
          lineCount: 1,
          lineLengths: [28],
          flags: [],
        },
      ],
    },
  },
};

/** A run whose transcript moderation blocked at its second chunk. */
export const blockedResult: CaptionerBlockedResult = {
  openapi: OPENAPI_VERSION,
  version: RESULT_VERSION,
  id: 'res_01JD3V7Q4M',
  status: 'blocked',
  input,
  metadata: {
    generatedAt: '2026-11-20T18:00:09.000Z',
    duration: 61.2,
    counts: { words: 140, utterances: 9, paragraphs: 3 },
    models: {
      transcription: { provider: 'edge' },
      moderation: { provider: 'edge', name: 'rules' },
    },
    timingsMs: { transcription: 4100, moderation: 12, total: 4200 },
    storage: { sourceAudio: { ...sourceAudio, cleanupPhase: 'moderation_blocked' } },
    moderation: {
      source: 'audio_transcript',
      model: 'rules',
      decision: 'block',
      severity: 'high',
      reason: 'content_policy_violation',
      chunksChecked: 2,
      flaggedChunk: { index: 1, start: 30.5, end: 58.0 },
      eventLog: { status: 'stored', id: 'mod_01JD3V7Q4M' },
    },
  },
};

/** A run that named a provider for which the service has no key. */
export const failedResult: CaptionerFailedResult = {
  openapi: OPENAPI_VERSION,
  version: RESULT_VERSION,
  id: 'res_01JD3V7Q4M',
  status: 'failed',
  input,
  error: {
    code: 'provider_not_configured',
    stage: 'payload',
    message: 'This service has no key for deepgram.',
    retryable: false,
    suggestions: [
      {
        label: 'Use edge',
        description: 'The edge provider runs on this server.',
        payloadPatch: { transcription: { provider: 'edge', model: null } },
      },
    ],
    runId: 'run_01JD3V7Q4M',
    provider: 'deepgram',
  },
  metadata: {
    generatedAt: '2026-11-20T18:00:01.000Z',
    timingsMs: { total: 3 },
    storage: { sourceAudio: { ...sourceAudio, status: 'deleted', cleanupPhase: 'failure' } },
  },
};

/** The 200 response of `wait=result` for a run that completed. */
export const completed = envelope(completedResult);
/** The same response for a blocked run. */
export const blocked = envelope(blockedResult);
/** The same response for a failed run. */
export const failed = envelope(failedResult);

/** A run in progress: transcribing, without a result yet. */
export const run: WorkflowRun = {
  runId: RUN_ID,
  state: 'running',
  stage: 'transcription',
  progress: 0.42,
  createdAt: '2026-11-20T18:00:00.000Z',
  startedAt: '2026-11-20T18:00:01.000Z',
  finishedAt: null,
  timingsMs: {},
  audioKey: 'talks/keynote.mp3',
};

/** The preview of that run's transcript. */
export const partialTranscript: Static<typeof PartialTranscript> = {
  runId: RUN_ID,
  state: 'running',
  position: 2,
  parts: [
    { position: 1, start: 0.4, end: 18.92, text: 'Good evening, and welcome to MCP Night.' },
    { position: 2, start: 19.6, end: 44.1, text: 'Tonight we show how agents register.' },
  ],
};

/** A list of one run, with no further page. */
export const runs: Static<typeof WorkflowRunList> = { runs: [run], nextCursor: null };

/** A request to register an address for two of the scopes. */
export const registration: Static<typeof AgentAuthRequest> = {
  type: 'identity_assertion',
  assertion_type: 'verified_email',
  assertion: 'ann@example.com',
  requested_credential_type: 'api_key',
  requested_scopes: ['captioner:audio:upload', 'captioner:caption:run'],
};

/** The response to it, once the code is emailed. */
export const registrationStarted: Static<typeof AgentAuthStarted> = {
  registration_id: 'reg_01JD3V7Q4M',
  registration_type: 'email-verification',
  status: 'claim_required',
  flow: 'user-claimed-email-required',
  credential_type: 'api_key',
  claim_token: 'clm_example',
  claim_token_expires: '2026-11-20T18:10:00.000Z',
  claim_token_expires_at: '2026-11-20T18:10:00.000Z',
  claim_complete_url: 'https://captions.example/agent/auth/claim/complete',
  delivery: { method: 'workos_magic_auth_email', email: 'a**@example.com' },
  requested_scopes: ['captioner:audio:upload', 'captioner:caption:run'],
  post_claim_scopes: ['captioner:audio:upload', 'captioner:caption:run'],
};

/** A claim: its token, and the code from the email. */
export const claim: Static<typeof AgentAuthCompleteRequest> = {
  claim_token: 'clm_example',
  otp: '123456',
};

/** The response to a claim, with the key, which is shown only once. */
export const claimed: Static<typeof AgentAuthCompleted> = {
  registration_id: 'reg_01JD3V7Q4M',
  registration_type: 'email-verification',
  status: 'claimed',
  credential_type: 'api_key',
  credential: '<API key>',
  credential_expires: null,
  api_key: '<API key>',
  token_type: 'Bearer',
  scopes: [...SCOPES],
  organization_id: 'org_01JD3V7Q4M',
  workspace: { kind: 'personal', external_id: 'personal:user_01JD3V7Q4M' },
  api_key_metadata: { id: 'key_01JD3V7Q4M', owner: { type: 'organization' } },
};

/** A 422 response with one error. */
export const invalidPayload: Static<typeof ErrorResponse> = {
  error: {
    code: 'invalid_payload',
    message: 'The payload is invalid.',
    details: [{ path: 'captions.maxLines', message: 'must be <= 3' }],
  },
};

/** The failure of an identity provider that does not respond. */
export const idpFailure: Static<typeof ErrorResponse> = {
  error: {
    code: 'idp_unavailable',
    message: 'The identity provider does not respond. Try again later.',
    idp: {
      status: 503,
      code: 'unavailable',
      request: { method: 'POST', path: '/user_management/magic_auth' },
    },
  },
};

/** The 415 response to an upload. */
export const mp3Required = required('The key must end in .mp3.');
/** The 413 response to an upload. */
export const mp3TooLarge = tooLarge();
