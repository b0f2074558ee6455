// The whole job, written only against the client that hey-api generated from /openapi.json.
import { createClient } from './generated/hey-api/client';
import {
  completeClaim,
  createWebhook,
  deleteWebhook,
  getCaptions,
  getReview,
  getRun,
  listRuns,
  listWebhookDeliveries,
  listWebhooks,
  saveReview,
  startCaptioner,
  startRegistration,
  uploadAudio,
} from './generated/hey-api';
import { hasEnded, reviewOf, until } from './job-parts';

/** Registers, claims, uploads, runs, reads, reviews, and receives a webhook. The recording is kept. */
export async function heyApiJob(
  baseUrl: string,
  email: string,
  mailedCode: () => Promise<string>,
  mp3: Blob,
  hook: string,
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
  const as = { client, throwOnError: true } as const;
  const webhook = await createWebhook({ ...as, body: { url: hook, events: ['run.completed'] } });
  const uploaded = await uploadAudio({ ...as, path: { key: 'generated.mp3' }, body: mp3 });
  const accepted = await startCaptioner({
    ...as,
    body: { audio: { key: uploaded.data.key }, storage: { retainSourceAudio: true } },
  });
  if (!('runId' in accepted.data)) throw new Error('the run was not accepted');
  const { runId } = accepted.data;
  const path = { runId };
  const run = await until(async () => (await getRun({ ...as, path })).data, hasEnded);
  const result = run.envelope?.result;
  if (result?.status !== 'completed') throw new Error(run.state);

  const captions = async (format: 'srt' | 'vtt') =>
    String((await getCaptions({ ...as, path: { runId, format }, parseAs: 'text' })).data);
  const vtt = await captions('vtt');
  const list = await listRuns({ ...as, query: { limit: 5 } });
  const unknown = await getRun({ client, path: { runId: 'run_nothing' } });

  const noReview = await getReview({ client, path });
  const corrected = reviewOf(result.captions.cues);
  const first = { 'If-None-Match': '*' };
  await saveReview({ ...as, path, headers: first, body: corrected });
  const review = (await getReview({ ...as, path })).data;

  const { webhooks } = (await listWebhooks(as)).data;
  const its = { webhookId: webhook.data.id };
  const { deliveries } = await until(
    async () => (await listWebhookDeliveries({ ...as, path: its })).data,
    (seen) => seen.deliveries.some(({ state }) => state === 'delivered'),
  );
  const removed = await deleteWebhook({ ...as, path: its });
  return {
    receipt: uploaded.data,
    runId,
    state: run.state,
    srt: result.captions.srt,
    cues: result.captions.cues.length,
    vtt,
    listed: list.data.runs.some((each) => each.runId === runId),
    unknownRun: unknown.error?.error.code,
    noReview: noReview.error?.error.code,
    review: { finished: review.finished, text: review.cues[0]?.text },
    reviewed: await captions('srt'),
    secret: webhook.data.secret,
    webhooks: webhooks.map(({ url }) => url),
    delivered: deliveries.map(({ event }) => event),
    removed: removed.response?.status,
  };
}
