/** The mail about a disabled webhook: to the owner of its key, and to nobody else. */
import { expect, test } from 'bun:test';
import { organizationOf, recordKey } from '../../server/identity/key-records.ts';
import type { Mail } from '../../server/identity/mailer.ts';
import { createWebhookMail } from '../../server/identity/webhook-mail.ts';
import { sqliteDatabase } from '../support/servers/sqlite-database.ts';

const { database } = await sqliteDatabase();
for (const name of ['ann', 'ben']) {
  const workspace = { kind: 'personal', externalId: `personal:${name}` } as const;
  await recordKey(
    database,
    {
      id: `key_${name}`,
      hash: name,
      obfuscated: '…',
      name: 'Captioner key',
      organizationId: await organizationOf(database, workspace, 1),
      ownerEmail: `${name}@example.com`,
      scopes: [],
    },
    1,
  );
}

/** The mails that are sent for the webhook of a key. */
async function mailsFor(keyId: string): Promise<Mail[]> {
  const mails: Mail[] = [];
  const mailer = { deliver: async (mail: Mail) => void mails.push(mail), close: async () => {} };
  const send = createWebhookMail({ database, mailer });
  await send({ url: 'https://hooks.example/secret?token=1', keyId });
  return mails;
}

test.each(['ann', 'ben'])('%s is notified about their own webhook, with its host', async (name) => {
  const mails = await mailsFor(`key_${name}`);
  expect(mails).toEqual([
    {
      to: `${name}@example.com`,
      subject: 'Captioner has disabled a webhook',
      text: `Your webhook at hooks.example has not accepted a delivery for a week, or has responded that it no longer exists (410).
Captioner no longer sends anything to it.

Enable it again with POST /webhooks/{id}/enable once it works; waiting deliveries are then sent.
`,
    },
  ]);
});

test('a key with an unknown owner gets no mail', async () => {
  expect(await mailsFor('key_at_workos')).toEqual([]);
});

test('a mail that cannot be sent is an error', async () => {
  const mailer = {
    deliver: () => Promise.reject(new Error('the outbox is full')),
    close: async () => {},
  };
  const send = createWebhookMail({ database, mailer });
  const sent = send({ url: 'https://hooks.example/', keyId: 'key_ann' });
  await expect(sent).rejects.toThrow('the outbox is full');
});
