/** Webhooks: endpoints of clients that the service notifies of events. */
import { closed, dateTime, enumeration, Type, type Static, type TProperties } from './schema.ts';
import { ReviewComment } from './sharing.ts';

/** The events that webhooks can receive: `events_supported` in the discovery documents. */
export const WEBHOOK_EVENTS = [
  'run.completed',
  'run.blocked',
  'run.failed',
  'review.saved',
  'review.comment.created',
  'review.assigned',
  'review.approved',
  'accuracy.measured',
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

/** The body of an event. Receivers pass over fields that they do not know, since later versions may add some. */
const eventBody = <const E extends WebhookEvent[], D extends TProperties>(types: [...E], data: D) =>
  Type.Object({ type: enumeration(types), timestamp: dateTime(), data: Type.Object(data) });

/** The end of a run. */
export const RunEvent = eventBody(['run.completed', 'run.blocked', 'run.failed'], {
  runId: Type.String(),
  audioKey: Type.Optional(Type.String({ description: 'the key of the recording' })),
  result: Type.String({ description: 'the path of the run on the service, which needs a key' }),
  status: enumeration(['completed', 'blocked', 'failed']),
  code: Type.Optional(
    Type.String({ description: 'why the run failed; `cancelled` if somebody stopped it' }),
  ),
  hearingNotes: Type.Optional(
    Type.Array(Type.String(), {
      description: 'sentences about speech that was heard badly or is in another language',
    }),
  ),
});
/** A review that was saved. */
export const ReviewSavedEvent = eventBody(['review.saved'], {
  runId: Type.String(),
  finished: Type.Boolean(),
});
/** A comment on a review. */
export const ReviewCommentEvent = eventBody(['review.comment.created'], {
  runId: Type.String(),
  comment: ReviewComment,
});
/** A review that was assigned to a person, or approved. */
export const ReviewStateEvent = eventBody(['review.assigned', 'review.approved'], {
  runId: Type.String(),
});
/** The end of a measurement, whose figures are the run's to read. */
export const MeasurementEvent = eventBody(['accuracy.measured'], { runId: Type.String() });
/** The end of a translation. */
export const TranslationEvent = eventBody(['translation.completed', 'translation.failed'], {
  runId: Type.Optional(Type.String({ description: 'absent for captions that were sent' })),
  translationId: Type.String(),
  language: Type.String(),
  result: Type.String({
    description: 'the path of the translation on the service, which needs a key',
  }),
  status: enumeration(['completed', 'incomplete', 'failed', 'cancelled']),
  missing: Type.Optional(
    Type.Integer({ minimum: 0, description: 'sentences that have no translation' }),
  ),
  code: Type.Optional(Type.String({ description: 'why the translation failed' })),
});

/** What is sent to webhooks. */
export type WebhookBody = Static<
  | typeof RunEvent
  | typeof ReviewSavedEvent
  | typeof ReviewCommentEvent
  | typeof ReviewStateEvent
  | typeof MeasurementEvent
  | typeof TranslationEvent
>;
