/** The examples of the OpenAPI document: typed, so that they cannot drift from the schemas. */
import { mp3Required as required, mp3TooLarge as tooLarge } from '../audio.ts';
import type { ErrorResponse } from '../errors.ts';
import type { CaptionerPayload } from '../payload.ts';
import type {
  AgentAuthCompleted,
  AgentAuthCompleteRequest,
  AgentAuthRequest,
  AgentAuthStarted,
} from '../registration.ts';
import type { WorkflowAccepted, WorkflowResultEnvelope } from '../results.ts';
import type { WorkflowRun, WorkflowRunList } from '../runs.ts';
import { SCOPES } from '../scopes.ts';
import { blockedResult, completedResult, failedResult } from './example-results.ts';

const RUN_ID = 'run_01JD3V7Q4M';

export const payload: CaptionerPayload = {
  audio: { key: 'talks/keynote.mp3', filename: 'keynote.mp3', mediaType: 'audio/mpeg' },
  topic: 'MCP Night: agent registration',
  glossary: ['AuthKit', 'auth.md'],
  language: 'en',
  terminology: { packs: ['events/mcp-night'] },
};

export const accepted: WorkflowAccepted = { status: 'accepted', runId: RUN_ID };

const envelope = (result: WorkflowResultEnvelope['result']): WorkflowResultEnvelope => ({
  result,
  _meta: { runId: RUN_ID },
});

export const completed = envelope(completedResult);
export const blocked = envelope(blockedResult);
export const failed = envelope(failedResult);

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

export const runs: WorkflowRunList = { runs: [run], nextCursor: null };

export const registration: AgentAuthRequest = {
  type: 'identity_assertion',
  assertion_type: 'verified_email',
  assertion: 'ann@example.com',
  requested_credential_type: 'api_key',
  requested_scopes: ['captioner:audio:upload', 'captioner:caption:run'],
};

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

export const claim: AgentAuthCompleteRequest = { claim_token: 'clm_example', otp: '123456' };

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

export const invalidPayload: ErrorResponse = {
  error: {
    code: 'invalid_payload',
    message: 'The payload does not fit the contract.',
    details: [{ path: 'captions.maxLines', message: 'must be <= 3' }],
  },
};

export const idpFailure: ErrorResponse = {
  error: {
    code: 'idp_unavailable',
    message: 'The identity provider does not answer. Try again later.',
    idp: {
      status: 503,
      code: 'unavailable',
      request: { method: 'POST', path: '/user_management/magic_auth' },
    },
  },
};

export const mp3Required = required('The key must end in .mp3.');
export const mp3TooLarge = tooLarge();
