// The main job, written only against the types generated from /openapi.json.
import createClient from 'openapi-fetch';
import type { components, paths } from './generated/paths';

/** The outcome of the job. */
export interface Outcome {
  status: components['schemas']['CaptionerResult']['status'];
  srt: string;
  vtt: string;
  state: components['schemas']['WorkflowRun']['state'];
  listed: boolean;
  packs: number;
  unknownRun: string;
}

/** Registers, claims, uploads, runs and reads the result. */
export async function mainJob(
  baseUrl: string,
  email: string,
  mailedCode: () => Promise<string>,
  mp3: Uint8Array<ArrayBuffer>,
): Promise<Outcome> {
  const open = createClient<paths>({ baseUrl });
  const started = await open.POST('/agent/auth', {
    body: {
      type: 'identity_assertion',
      assertion_type: 'verified_email',
      assertion: email,
      requested_credential_type: 'api_key',
      requested_scopes: ['captioner:audio:upload', 'captioner:caption:run'],
    },
  });
  if (!started.data) throw new Error(started.error.error.code);
  const claimed = await open.POST('/agent/auth/claim/complete', {
    body: { claim_token: started.data.claim_token, otp: await mailedCode() },
  });
  if (!claimed.data) throw new Error(claimed.error.error.code);

  const authorization = `Bearer ${claimed.data.credential}`;
  const api = createClient<paths>({ baseUrl, headers: { authorization } });
  const uploaded = await api.PUT('/audio/{key}', {
    params: { path: { key: 'generated.mp3' } },
    headers: { 'content-type': 'audio/mpeg' },
    body: mp3,
    bodySerializer: (body) => body,
  });
  if (!uploaded.data?.ok) throw new Error('the upload was refused');

  const run = await api.POST('/workflows/captioner', {
    params: { query: { wait: 'result' }, header: { 'Idempotency-Key': 'generated-client' } },
    body: {
      audio: { key: uploaded.data.key },
      topic: 'MCP Night',
      captions: { maxLineChars: 32 },
    },
  });
  if (!run.data || !('result' in run.data)) throw new Error('there is no result');
  const { result, _meta } = run.data;
  // The status distinguishes the three results: the others have no captions.
  if (result.status !== 'completed') throw new Error(result.status);

  const params = { path: { runId: _meta.runId } };
  const seen = await api.GET('/workflows/captioner/{runId}', { params });
  const list = await api.GET('/workflows/captioner', { params: { query: { limit: 5 } } });
  const vtt = await api.GET('/workflows/captioner/{runId}/captions.{format}', {
    params: { path: { ...params.path, format: 'vtt' } },
    parseAs: 'text',
  });
  const packs = await open.GET('/terminology/packs');
  const unknown = await api.GET('/workflows/captioner/{runId}', {
    params: { path: { runId: 'run_nothing' } },
  });
  return {
    status: result.status,
    srt: result.captions.srt,
    vtt: String(vtt.data),
    state: seen.data?.state ?? 'queued',
    listed: list.data?.runs.some(({ runId }) => runId === _meta.runId) ?? false,
    packs: packs.data?.packs.length ?? 0,
    unknownRun: unknown.error?.error.code ?? '',
  };
}
