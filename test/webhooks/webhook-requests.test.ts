/** Registering a webhook: the accepted addresses, their normalised form, and the refusals. */
import { expect, test } from 'bun:test';
import { registerWebhook } from '../../server/http/webhook-requests.ts';
import type { NewWebhook } from '../../server/contract/webhooks.ts';
import { createWebhookStore } from '../../server/webhooks/webhook-store.ts';
import { sqliteDatabase } from '../support/servers/sqlite-database.ts';

const { database } = await sqliteDatabase();
const webhooks = createWebhookStore(database);
let workspaces = 0;

const register = (url: string, webhookAllow: readonly string[] = []): Promise<NewWebhook> => {
  workspaces += 1;
  const sender = { organizationId: `org_${workspaces}`, keyId: 'key_1' };
  return registerWebhook({ webhooks, webhookAllow }, sender, { url });
};

test.each([
  ['https://hooks.example/a?b=c', 'https://hooks.example/a?b=c'],
  ['https://HOOKS.example:443', 'https://hooks.example/'],
  ['https://hooks.example/a#part', 'https://hooks.example/a'],
])('%s is stored as %s', async (url, stored) => {
  expect((await register(url)).url).toBe(stored);
});

test.each([
  ['hooks.example', 'is not an address'],
  ['http://hooks.example/', 'must be an https address'],
  ['ftp://hooks.example/', 'must be an https address'],
  ['https://ann@hooks.example/', 'must not contain a user name or password'],
  ['https://:secret@hooks.example/', 'must not contain a user name or password'],
  ['https://10.0.0.1/', 'must be at a public address'],
  ['https://localhost/', 'must be at a public address'],
  ['https://hooks.example:8443/', 'must use port 443 or 80'],
])('%s is refused: it %s', async (url, message) => {
  await expect(register(url)).rejects.toMatchObject({
    status: 422,
    code: 'invalid_payload',
    message: `url ${message}.`,
    options: { details: [{ path: 'url', message }] },
  });
});

test('where the operator allows private hosts, plain http is taken too, other protocols are not', async () => {
  expect((await register('http://10.0.0.1/', ['10.0.0.0/8'])).url).toBe('http://10.0.0.1/');
  const ftp = register('ftp://10.0.0.1/', ['10.0.0.0/8']);
  await expect(ftp).rejects.toThrow('must be an https address');
});
