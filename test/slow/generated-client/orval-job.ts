// The whole job, written against nothing but the client that orval generated from /openapi.json.
import * as api from './generated/orval/client';
import { hasEnded, reviewOf, until } from './job-parts';

/** Narrows an answer to one of its statuses. */
function of<A extends { status: number; data: unknown }, S extends A['status']>(
  answer: A,
  status: S,
): Extract<A, { status: S }>['data'] {
  if (answer.status !== status) {
    throw new Error(`${answer.status}, not ${status}: ${JSON.stringify(answer.data)}`);
  }
  return (answer as Extract<A, { status: S }>).data;
}

/** Registers, claims, uploads, runs, reads, reviews, and is notified by a webhook. */
export async function orvalJob(
  email: string,
  mailedCode: () => Promise<string>,
  mp3: Blob,
  hook: string,
) {
  const started = of(
    await api.startRegistration({
      type: 'identity_assertion',
      assertion_type: 'verified_email',
      assertion: email,
      requested_credential_type: 'api_key',
    }),
    200,
  );
  const claim = { claim_token: started.claim_token, otp: await mailedCode() };
  const { credential } = of(await api.completeClaim(claim), 200);
  const as = { headers: { authorization: `Bearer ${credential}` } };

  const webhook = of(await api.createWebhook({ url: hook, events: ['run.completed'] }, as), 201);
  const receipt = of(await api.uploadAudio('generated.mp3', mp3, as), 200);
  const accepted = await api.startCaptioner({ audio: { key: receipt.key } }, {}, as);
  const { runId } = of(accepted, 202);
  const run = await until(async () => of(await api.getRun(runId, as), 200), hasEnded);
  const result = run.envelope?.result;
  if (result?.status !== 'completed') throw new Error(run.state);
  const vtt = of(await api.getCaptions(runId, 'vtt', {}, as), 200);
  const { runs } = of(await api.listRuns({ limit: 5 }, as), 200);
  const unknown = of(await api.getRun('run_nothing', as), 404);

  const noReview = of(await api.getReview(runId, as), 404);
  const corrected = reviewOf(result.captions.cues);
  const first = { headers: { ...as.headers, 'if-none-match': '*' } };
  of(await api.saveReview(runId, corrected, first), 201);
  const review = of(await api.getReview(runId, as), 200);
  const reviewed = of(await api.getCaptions(runId, 'srt', {}, as), 200);

  const { webhooks } = of(await api.listWebhooks(as), 200);
  const { deliveries } = await until(
    async () => of(await api.listWebhookDeliveries(webhook.id, as), 200),
    (seen) => seen.deliveries.some(({ state }) => state === 'delivered'),
  );
  const removed = await api.deleteWebhook(webhook.id, as);
  return {
    receipt,
    runId,
    state: run.state,
    srt: result.captions.srt,
    cues: result.captions.cues.length,
    vtt,
    listed: runs.some((each) => each.runId === runId),
    unknownRun: unknown.error.code,
    noReview: noReview.error.code,
    review: { finished: review.finished, text: review.cues[0]?.text },
    reviewed,
    secret: webhook.secret,
    webhooks: webhooks.map(({ url }) => url),
    delivered: deliveries.map(({ event }) => event),
    removed: removed.status,
  };
}
