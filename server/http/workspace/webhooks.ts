/** Webhooks over HTTP: register, list and delete them, read their deliveries, and deliver again. */
import type { Static } from '../../contract/schema.ts';
import { Elysia } from 'elysia';
import {
  NewWebhook,
  Webhook,
  WebhookDelivery,
  WebhookDeliveryList,
  WebhookInput,
  WebhookList,
} from '../../contract/webhooks.ts';
import { type WebhookStore, MAX_WEBHOOKS } from '../../webhooks/webhook-store.ts';
import { createBodyBudget } from '../bodies/body-budget.ts';
import { jsonBodies } from '../bodies/json-bodies.ts';
import type { Guard } from '../identity/guard.ts';
import { answer, bodyExample, detail } from '../openapi/detail.ts';
import { deliveryCallback } from '../openapi/webhook-events.ts';
import { response } from '../openapi/responses.ts';
import type { Principal } from '../../identity/provider.ts';
import { storesDocument } from '../../storage/write-limit.ts';
import { Problem } from '../problems.ts';
import { wireAnswer, wireInput } from '../wire.ts';
import { mayBePublicHost, mayUsePort } from '../../webhooks/public-address.ts';

const MAX_BODY_BYTES = 16 * 1024;

interface WebhookRouteServices {
  guard: Guard;
  webhooks: WebhookStore;
  /** Private hosts and networks that the operator allows. */
  webhookAllow: readonly string[];
}

/** The routes of webhooks. */
export function webhookRoutes({ guard, webhooks, webhookAllow }: WebhookRouteServices) {
  const json = { maxBytes: MAX_BODY_BYTES, budget: createBodyBudget(64 * MAX_BODY_BYTES) };
  const scope = 'captioner:caption:run';
  return new Elysia()
    .use(guard)
    .use(jsonBodies)
    .post(
      '/webhooks',
      async ({ body, sender }) => {
        const made = await registerWebhook({ webhooks, webhookAllow }, sender, body);
        return Response.json(made, { status: 201 });
      },
      {
        scope,
        json,
        body: wireInput(WebhookInput),
        response: { 201: wireAnswer(NewWebhook) },
        detail: detail({
          operationId: 'createWebhook',
          summary: 'Register a webhook',
          description:
            'Events are sent as POST requests signed according to Standard Webhooks, in order, at least once. A delivery that gets no 2xx response is retried with increasing delays for a day; after five refusals the next ones go on without it; an endpoint that accepts nothing for a week is disabled. The secret is shown only in this response.',
          tags: ['Captioning'],
          requestBody: bodyExample({
            url: 'https://example.com/captioner',
            events: ['run.completed'],
          }),
          responses: {
            201: answer('The webhook, with its secret.'),
            409: response('Problem'),
          },
          callbacks: deliveryCallback(),
        }),
      },
    )
    .get(
      '/webhooks',
      async ({ sender }) => Response.json({ webhooks: await webhooks.list(sender.organizationId) }),
      {
        scope,
        response: { 200: wireAnswer(WebhookList) },
        detail: detail({
          operationId: 'listWebhooks',
          summary: 'List the webhooks of your workspace',
          tags: ['Captioning'],
          responses: { 200: answer('The webhooks, without their secrets.') },
        }),
      },
    )
    .delete(
      '/webhooks/:webhookId',
      async ({ params, sender }) => {
        if (!(await webhooks.delete(sender.organizationId, params.webhookId)))
          throw unknownWebhook();
        return new Response(null, { status: 204 });
      },
      {
        scope,
        detail: detail({
          operationId: 'deleteWebhook',
          summary: 'Delete a webhook and its deliveries',
          tags: ['Captioning'],
          responses: { 204: { description: 'The webhook is deleted.' }, 404: response('Problem') },
        }),
      },
    )
    .post(
      '/webhooks/:webhookId/enable',
      async ({ params, sender }) =>
        Response.json(foundWebhook(await webhooks.enable(sender.organizationId, params.webhookId))),
      {
        scope,
        response: { 200: wireAnswer(Webhook) },
        detail: detail({
          operationId: 'enableWebhook',
          summary: 'Enable a webhook that was disabled',
          tags: ['Captioning'],
          responses: { 200: answer('The webhook.'), 404: response('Problem') },
        }),
      },
    )
    .get(
      '/webhooks/:webhookId/deliveries',
      async ({ params, sender }) => {
        const list = await webhooks.deliveries(sender.organizationId, params.webhookId);
        return Response.json({ deliveries: foundWebhook(list) });
      },
      {
        scope,
        response: { 200: wireAnswer(WebhookDeliveryList) },
        detail: detail({
          operationId: 'listWebhookDeliveries',
          summary: 'List the latest deliveries of a webhook',
          tags: ['Captioning'],
          responses: { 200: answer('At most 100, newest first.'), 404: response('Problem') },
        }),
      },
    )
    .post(
      '/webhooks/:webhookId/deliveries/:deliveryId/redeliver',
      async ({ params, sender }) => {
        const { webhookId, deliveryId } = params;
        const queued = await webhooks.redeliver(sender.organizationId, webhookId, deliveryId);
        return Response.json(foundWebhook(queued), { status: 202 });
      },
      {
        scope,
        response: { 202: wireAnswer(WebhookDelivery) },
        detail: detail({
          operationId: 'redeliverWebhook',
          summary: 'Repeat a delivery',
          tags: ['Captioning'],
          responses: {
            202: answer('The delivery is queued behind those waiting.'),
            404: response('Problem'),
          },
        }),
      },
    );
}

export interface WebhookServices {
  webhooks: WebhookStore;
  /** Private hosts and networks that the operator allows. */
  webhookAllow: readonly string[];
}

/**
 * Registers a webhook.
 * @throws {Problem} 422 for an address that cannot receive deliveries, 409 if the workspace has too many
 */
export async function registerWebhook(
  { webhooks, webhookAllow }: WebhookServices,
  { organizationId, keyId }: Pick<Principal, 'organizationId' | 'keyId'>,
  input: Static<typeof WebhookInput>,
): Promise<NewWebhook> {
  const url = checkUrl(input.url, webhookAllow);
  storesDocument();
  const made = await webhooks.create(organizationId, keyId, { ...input, url });
  if (made) return made;
  const message = `A workspace has at most ${MAX_WEBHOOKS} webhooks. Delete one first.`;
  throw new Problem(409, 'too_many_webhooks', message);
}

/** 404: the workspace has no such webhook or delivery. */
export const unknownWebhook = (): Problem =>
  new Problem(404, 'webhook_not_found', 'There is no such webhook or delivery.');

/** Passes a value on. @throws {Problem} 404 for null */
export function foundWebhook<T>(value: T | null): T {
  if (value === null) throw unknownWebhook();
  return value;
}

/**
 * Checks that deliveries may be sent to an address. Names are resolved and checked before each delivery; a private IP
 * address, or this host itself, is refused immediately.
 */
function checkUrl(text: string, allowed: readonly string[]): string {
  const mayBePlain = allowed.length > 0;
  const url = URL.parse(text);
  const issue = (message: string) =>
    Problem.invalidPayload(`url ${message}.`, [{ path: 'url', message }]);
  if (!url) throw issue('is not an address');
  if (url.protocol !== 'https:' && !(mayBePlain && url.protocol === 'http:')) {
    throw issue('must be an https address');
  }
  if (url.username !== '' || url.password !== '')
    throw issue('must not contain a user name or password');
  if (!mayBePublicHost(url, allowed)) throw issue('must be at a public address');
  if (!mayUsePort(url, allowed)) throw issue('must use port 443 or 80');
  url.hash = '';
  return url.href;
}
