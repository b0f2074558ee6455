/** The examples of the OpenAPI document: typed, so that they cannot drift from the schemas. */
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
import type { WorkflowAccepted, WorkflowResultEnvelope } from '../../contract/results.ts';
import type { PartialTranscript, WorkflowRun, WorkflowRunList } from '../../contract/runs.ts';
import { blockedResult, completedResult, failedResult } from './example-results.ts';

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

const envelope = (result: WorkflowResultEnvelope['result']): WorkflowResultEnvelope => ({
  result,
  _meta: { runId: RUN_ID },
});

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
export const partialTranscript: PartialTranscript = {
  runId: RUN_ID,
  state: 'running',
  position: 2,
  parts: [
    { position: 1, start: 0.4, end: 18.92, text: 'Good evening, and welcome to MCP Night.' },
    { position: 2, start: 19.6, end: 44.1, text: 'Tonight we show how agents register.' },
  ],
};

/** A list of one run, with no further page. */
export const runs: WorkflowRunList = { runs: [run], nextCursor: null };

/** A request to register an address for two of the scopes. */
export const registration: AgentAuthRequest = {
  type: 'identity_assertion',
  assertion_type: 'verified_email',
  assertion: 'ann@example.com',
  requested_credential_type: 'api_key',
  requested_scopes: ['captioner:audio:upload', 'captioner:caption:run'],
};

/** The response to it, once the code is emailed. */
export const registrationStarted: AgentAuthStarted = {
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
export const claim: AgentAuthCompleteRequest = { claim_token: 'clm_example', otp: '123456' };

/** The response to a claim, with the key, which is shown only once. */
export const claimed: AgentAuthCompleted = {
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
export const invalidPayload: ErrorResponse = {
  error: {
    code: 'invalid_payload',
    message: 'The payload is invalid.',
    details: [{ path: 'captions.maxLines', message: 'must be <= 3' }],
  },
};

/** The failure of an identity provider that does not respond. */
export const idpFailure: ErrorResponse = {
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
