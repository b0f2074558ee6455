/** Webhooks: endpoints of clients that the service notifies of events. */
import { closed, dateTime, enumeration, Type, type Static } from './schema.ts';

/** The events that webhooks can receive: `events_supported` in the discovery documents. */
export const WEBHOOK_EVENTS = [
  'run.completed',
  'run.blocked',
  'run.failed',
  'review.saved',
  'review.comment.created',
  'review.assigned',
  'review.approved',
  'translation.completed',
  'translation.failed',
] as const;
export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number];

const event = () => enumeration(WEBHOOK_EVENTS);

/** A webhook to register. */
export const WebhookInput = closed({
  url: Type.String({
    maxLength: 2000,
    description: 'https, at a public address; redirects are not followed',
  }),
  events: Type.Optional(
    Type.Array(event(), {
      minItems: 1,
      maxItems: WEBHOOK_EVENTS.length,
      description: 'default: all of them',
    }),
  ),
});

const fields = {
  id: Type.String(),
  url: Type.String(),
  events: Type.Array(event()),
  enabled: Type.Boolean({
    description: 'false after a week in which no delivery was accepted, or a 410',
  }),
  createdAt: dateTime(),
  failingSince: Type.Union([dateTime(), Type.Null()]),
};

/** A webhook, without its secret. */
export const Webhook = closed(fields);
export type Webhook = Static<typeof Webhook>;

/** A newly registered webhook with its secret, which is shown only this once. */
export const NewWebhook = closed({
  ...fields,
  secret: Type.String({
    description: 'signs deliveries according to Standard Webhooks; `whsec_…`',
  }),
});
export type NewWebhook = Static<typeof NewWebhook>;

/** The webhooks of a workspace. */
export const WebhookList = closed({ webhooks: Type.Array(Webhook) });

/** The delivery of one event to one endpoint. */
export const WebhookDelivery = closed({
  id: Type.String({ description: 'the `webhook-id` header, the same for every attempt' }),
  event: event(),
  runId: Type.String(),
  state: enumeration(['pending', 'delivered', 'failed']),
  attempts: Type.Integer({ minimum: 0 }),
  createdAt: dateTime(),
  nextAttemptAt: Type.Union([dateTime(), Type.Null()]),
  finishedAt: Type.Union([dateTime(), Type.Null()]),
  lastStatus: Type.Union([Type.Integer(), Type.Null()]),
  lastError: Type.Union([Type.String(), Type.Null()]),
});
export type WebhookDelivery = Static<typeof WebhookDelivery>;

/** The latest deliveries of a webhook, newest first. */
export const WebhookDeliveryList = closed({ deliveries: Type.Array(WebhookDelivery) });
