// The whole job, written only against the types generated from /openapi.json.
import createClient from 'openapi-fetch';
import type { paths } from './generated/paths';
import { hasEnded, reviewOf, until } from './job-parts';

/** The data of an answer that must have some. */
function of<T>({ data, error }: { data?: T; error?: unknown }): T {
  if (data === undefined) throw new Error(JSON.stringify(error));
  return data;
}

/** Registers, claims, uploads, runs, reads, reviews, and receives a webhook. */
export async function mainJob(
  baseUrl: string,
  email: string,
  mailedCode: () => Promise<string>,
  mp3: Uint8Array<ArrayBuffer>,
  hook: string,
) {
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

  const webhook = of(
    await api.POST('/webhooks', { body: { url: hook, events: ['run.completed'] } }),
  );
  const accepted = await api.POST('/workflows/captioner', {
    params: { header: { 'Idempotency-Key': 'generated-client' } },
    body: {
      audio: { key: uploaded.data.key },
      topic: 'MCP Night',
      captions: { maxLineChars: 32 },
    },
  });
  if (!accepted.data || !('runId' in accepted.data)) throw new Error('the run was not accepted');
  const { runId } = accepted.data;
  const params = { path: { runId } };
  const run = await until(
    async () => of(await api.GET('/workflows/captioner/{runId}', { params })),
    hasEnded,
  );
  // `status` distinguishes the three results; only a completed one has captions.
  const result = run.envelope?.result;
  if (result?.status !== 'completed') throw new Error(run.state);

  const captions = async (format: 'srt' | 'vtt') =>
    of(
      await api.GET('/workflows/captioner/{runId}/captions.{format}', {
        params: { path: { runId, format } },
        parseAs: 'text',
      }),
    );
  const vtt = await captions('vtt');
  const list = of(await api.GET('/workflows/captioner', { params: { query: { limit: 5 } } }));
  const packs = of(await open.GET('/terminology/packs'));
  const unknown = await api.GET('/workflows/captioner/{runId}', {
    params: { path: { runId: 'run_nothing' } },
  });

  const place = '/workflows/captioner/{runId}/review';
  const noReview = await api.GET(place, { params });
  const corrected = reviewOf(result.captions.cues);
  of(
    await api.PUT(place, {
      params: { ...params, header: { 'If-None-Match': '*' } },
      body: corrected,
    }),
  );
  const review = of(await api.GET(place, { params }));

  const { webhooks } = of(await api.GET('/webhooks'));
  const its = { params: { path: { webhookId: webhook.id } } };
  const { deliveries } = await until(
    async () => of(await api.GET('/webhooks/{webhookId}/deliveries', its)),
    (seen) => seen.deliveries.some(({ state }) => state === 'delivered'),
  );
  const removed = await api.DELETE('/webhooks/{webhookId}', its);
  return {
    receipt: uploaded.data,
    runId,
    state: run.state,
    srt: result.captions.srt,
    cues: result.captions.cues.length,
    vtt,
    listed: list.runs.some((each) => each.runId === runId),
    packs: packs.packs.length,
    unknownRun: unknown.error?.error.code,
    noReview: noReview.error?.error.code,
    review: { finished: review.finished, text: review.cues[0]?.text },
    reviewed: await captions('srt'),
    secret: webhook.secret,
    webhooks: webhooks.map(({ url }) => url),
    delivered: deliveries.map(({ event }) => event),
    removed: removed.response.status,
  };
}
