/** Shared parts of webhook requests, over HTTP and MCP. */
import type { NewWebhook, WebhookInput } from '../../contract/webhooks.ts';
import type { Principal } from '../../identity/provider.ts';
import { MAX_WEBHOOKS, type WebhookStore } from '../../webhooks/webhook-store.ts';
import { mayBePublic, mayUsePort } from '../../webhooks/ssrf-guard.ts';
import { invalidPayload, Problem } from '../problems.ts';

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
  input: WebhookInput,
): Promise<NewWebhook> {
  const url = checkUrl(input.url, webhookAllow);
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
  const issue = (message: string) => invalidPayload(`url ${message}.`, [{ path: 'url', message }]);
  if (!url) throw issue('is not an address');
  if (url.protocol !== 'https:' && !(mayBePlain && url.protocol === 'http:')) {
    throw issue('must be an https address');
  }
  if (url.username !== '' || url.password !== '')
    throw issue('must not contain a user name or password');
  if (!mayBePublic(url, allowed)) throw issue('must be at a public address');
  if (!mayUsePort(url, allowed)) throw issue('must use port 443 or 80');
  url.hash = '';
  return url.href;
}
