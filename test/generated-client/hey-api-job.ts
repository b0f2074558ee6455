// The main job, written only against the client that hey-api generated from /openapi.json.
import { createClient } from './generated/hey-api/client';
import {
  completeClaim,
  getCaptions,
  getRun,
  listRuns,
  startCaptioner,
  startRegistration,
  uploadAudio,
} from './generated/hey-api';

/** Registers, claims, uploads, runs and reads the result. The recording is kept. */
export async function heyApiJob(
  baseUrl: string,
  email: string,
  mailedCode: () => Promise<string>,
  mp3: Blob,
) {
  const open = createClient({ baseUrl, throwOnError: true });
  const started = await startRegistration({
    client: open,
    throwOnError: true,
    body: {
      type: 'identity_assertion',
      assertion_type: 'verified_email',
      assertion: email,
      requested_credential_type: 'api_key',
    },
  });
  const claimed = await completeClaim({
    client: open,
    throwOnError: true,
    body: { claim_token: started.data.claim_token, otp: await mailedCode() },
  });

  const client = createClient({ baseUrl, auth: claimed.data.credential });
  const path = { key: 'generated.mp3' };
  const uploaded = await uploadAudio({ client, throwOnError: true, path, body: mp3 });
  const run = await startCaptioner({
    client,
    throwOnError: true,
    query: { wait: 'result' },
    body: { audio: { key: uploaded.data.key }, storage: { retainSourceAudio: true } },
  });
  if (!('result' in run.data)) throw new Error('there is no result');
  const { result, _meta } = run.data;
  if (result.status !== 'completed') throw new Error(result.status);

  const { runId } = _meta;
  const seen = await getRun({ client, throwOnError: true, path: { runId } });
  const list = await listRuns({ client, throwOnError: true, query: { limit: 5 } });
  const vtt = await getCaptions({
    client,
    throwOnError: true,
    path: { runId, format: 'vtt' },
    parseAs: 'text',
  });
  const unknown = await getRun({ client, path: { runId: 'run_nothing' } });
  return {
    receipt: uploaded.data,
    srt: result.captions.srt,
    vtt: String(vtt.data),
    state: seen.data.state,
    listed: list.data.runs.some((each) => each.runId === runId),
    unknownRun: unknown.error,
  };
}
