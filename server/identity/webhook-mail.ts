/** The mail that informs the owner of a key that a webhook was disabled. */
import type { Database } from '../storage/database.ts';
import type { Mailer } from './mailer.ts';

interface DisabledWebhook {
  url: string;
  /** The key that registered it. */
  keyId: string;
}

/**
 * Creates the function that sends the mail. It has no addresses for keys of an outside identity provider; their owners
 * see the state in the list of webhooks.
 */
export const createWebhookMail =
  ({ database, mailer }: { database: Database; mailer: Mailer }) =>
  async ({ url, keyId }: DisabledWebhook): Promise<void> => {
    const key = await database
      .selectFrom('api_keys')
      .select('owner_email')
      .where('id', '=', keyId)
      .executeTakeFirst();
    if (!key) return;
    await mailer.deliver({
      to: key.owner_email,
      subject: 'Captioner has disabled a webhook',
      text: [
        `Your webhook at ${new URL(url).host} has not accepted a delivery for a week, or has responded that it no longer exists (410).`,
        'Captioner no longer sends anything to it.',
        '',
        'Enable it again with POST /webhooks/{id}/enable once it works; waiting deliveries are then sent.',
        '',
      ].join('\n'),
    });
  };
