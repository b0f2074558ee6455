/** What the service sends to webhooks, as the `webhooks` of the OpenAPI document. */
import type { COMPONENTS } from '../../contract/components.ts';
import { WEBHOOK_EVENTS, type WebhookBody, type WebhookEvent } from '../../contract/webhooks.ts';
import { schemaRef } from './detail.ts';
import { json } from './responses.ts';

const AT = '2026-11-20T18:00:09.000Z';
const RUN_ID = 'run_01JD3V7Q4M';
const run = {
  runId: RUN_ID,
  audioKey: 'talks/keynote.mp3',
  result: `/workflows/captioner/${RUN_ID}`,
};
const translation = {
  runId: RUN_ID,
  translationId: 'tr_01JD3V7Q4M',
  language: 'de',
  result: `/workflows/captioner/${RUN_ID}/translations/tr_01JD3V7Q4M`,
};

interface Sent {
  when: string;
  body: keyof typeof COMPONENTS;
  data: WebhookBody['data'];
}

const SENT: Record<WebhookEvent, Sent> = {
  'run.completed': {
    when: 'A run has captions',
    body: 'RunEvent',
    data: { ...run, status: 'completed' },
  },
  'run.blocked': {
    when: 'Moderation blocked a run',
    body: 'RunEvent',
    data: { ...run, status: 'blocked' },
  },
  'run.failed': {
    when: 'A run failed, or was cancelled',
    body: 'RunEvent',
    data: { ...run, status: 'failed', code: 'no_speech' },
  },
  'review.saved': {
    when: 'A review was saved',
    body: 'ReviewSavedEvent',
    data: { runId: RUN_ID, finished: true },
  },
  'review.comment.created': {
    when: 'Somebody commented on a review',
    body: 'ReviewCommentEvent',
    data: {
      runId: RUN_ID,
      comment: {
        id: 'cmt_01JD3V7Q4M',
        parentId: null,
        linkId: null,
        name: 'Ann',
        at: 12.5,
        text: 'Is this name right?',
        settled: false,
        createdAt: AT,
      },
    },
  },
  'review.assigned': {
    when: 'A review was assigned to a person',
    body: 'ReviewStateEvent',
    data: { runId: RUN_ID },
  },
  'review.approved': {
    when: 'A review was approved',
    body: 'ReviewStateEvent',
    data: { runId: RUN_ID },
  },
  'accuracy.measured': {
    when: 'A measurement of accuracy ended; its figures are final',
    body: 'MeasurementEvent',
    data: { runId: RUN_ID },
  },
  'translation.completed': {
    when: 'A translation ended, perhaps without some sentences',
    body: 'TranslationEvent',
    data: { ...translation, status: 'completed' },
  },
  'translation.failed': {
    when: 'A translation failed, or was cancelled',
    body: 'TranslationEvent',
    data: { ...translation, status: 'failed', code: 'provider_not_configured' },
  },
};

const HEADERS = [
  [
    'webhook-id',
    'The id of the delivery, the same for every attempt: skip one that you already have.',
  ],
  ['webhook-timestamp', 'Seconds since 1970. Refuse a delivery that is older than five minutes.'],
  [
    'webhook-signature',
    '`v1,` and the HMAC-SHA256 of `{webhook-id}.{webhook-timestamp}.{body}` in Base64, with the secret of the webhook (without `whsec_`, from Base64) as its key.',
  ],
] as const;

/** The operations of a receiver, by event. */
export const webhookEvents = (): Record<string, { post: object }> =>
  Object.fromEntries(WEBHOOK_EVENTS.map((type) => [type, { post: receiving(type) }]));

function receiving(type: WebhookEvent): object {
  const { when, body, data } = SENT[type];
  const words = type.split('.').map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return {
    operationId: `on${words.join('')}`,
    summary: when,
    tags: ['Captioning'],
    ...signed(),
    requestBody: { required: true, content: json(body, { type, timestamp: AT, data }) },
  };
}

/** What all events have in common. */
const signed = () => ({
  // The signature takes the place of a key.
  security: [],
  parameters: HEADERS.map(([name, description]) => ({
    name,
    in: 'header',
    required: true,
    description,
    schema: { type: 'string' },
  })),
  responses: {
    '2XX': { description: 'The delivery is accepted. Anything else is tried again for a day.' },
    410: { description: 'The webhook is disabled.' },
  },
});

/**
 * The same as a callback of the operation that registers a webhook. Generators such as oapi-codegen leave out schemas
 * that no operation of the service refers to.
 */
export function deliveryCallback(): object {
  const bodies = [...new Set(WEBHOOK_EVENTS.map((type) => SENT[type].body))];
  const post = {
    operationId: 'onEvent',
    summary: 'An event that the webhook was registered for',
    ...signed(),
    requestBody: {
      required: true,
      content: { 'application/json': { schema: { oneOf: bodies.map(schemaRef) } } },
    },
  };
  return { event: { '{$request.body#/url}': { post } } };
}
