/** Sends mail through an SMTP server, with retries if they can help, or writes it to a file if none is configured. */
import { randomUUID } from 'node:crypto';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Log } from '../base/log.ts';
import { createLimiter, once, type Waiting, realTime } from '../base/concurrency.ts';
import type { Database } from '../storage/database.ts';

interface MailerOptions {
  smtpUrl: string | null;
  mailFrom: string;
  dataDir: string;
  log: Log;
  /** Timer (default: real time). */
  waiting?: Waiting;
}

/** The pauses before retries, in milliseconds. A code is valid for ten minutes, after which its mail is useless. */
const RETRY_AFTER_MS = [5000, 30_000, 120_000, 300_000];

/** A mailer for SMTP_URL, or one that writes `.eml` files to DATA_DIR/outbox. */
export const createMailer = (options: MailerOptions): Mailer =>
  options.smtpUrl
    ? smtpMailer(options.smtpUrl, options)
    : outboxMailer(join(options.dataDir, 'outbox'), options.mailFrom);

/** The time-outs after which a stalled SMTP server is abandoned, in milliseconds. */
const TIMEOUTS = {
  dnsTimeout: 10_000,
  connectionTimeout: 10_000,
  greetingTimeout: 10_000,
  socketTimeout: 20_000,
};

/** The library, loaded with the first mail. */
const nodemailer = () => import('nodemailer');

function smtpMailer(url: string, options: MailerOptions): Mailer {
  const { mailFrom: from, log, waiting = realTime } = options;
  const transport = once(async () => (await nodemailer()).createTransport({ url, ...TIMEOUTS }));
  const limited = createLimiter(AT_ONCE);
  const closing = new AbortController();
  const held = new Set<Promise<void>>();

  /** Neither emails nor their addresses reach the log. */
  const deliver = async (mail: Mail): Promise<void> => {
    for (let tries = 0; !closing.signal.aborted; tries += 1) {
      try {
        await limited(async () => (await transport()).sendMail({ from, ...mail }));
        return;
      } catch (error) {
        const pause = isTemporary(error) ? RETRY_AFTER_MS[tries] : undefined;
        log.error('mail_not_sent', {
          ...smtpDetails(error),
          tries: tries + 1,
          retryAfterMs: pause ?? null,
        });
        if (pause === undefined) return;
        await waiting.pause(pause, closing.signal).catch(() => {});
      }
    }
  };

  return {
    async deliver(mail) {
      if (held.size >= MAX_HELD || closing.signal.aborted) {
        log.error('mail_not_sent', {
          reason: 'too many emails are waiting to be sent',
          tries: 0,
          retryAfterMs: null,
        });
        return;
      }
      const delivery = deliver(mail).finally(() => held.delete(delivery));
      held.add(delivery);
    },
    async close(graceMs) {
      closing.abort();
      const over = new AbortController();
      await Promise.race([Promise.all(held), waiting.pause(graceMs, over.signal)]);
      over.abort();
    },
  };
}

function outboxMailer(folder: string, from: string): Mailer {
  const transport = once(async () =>
    (await nodemailer()).createTransport({ streamTransport: true, buffer: true, newline: 'unix' }),
  );
  return {
    async deliver(mail) {
      const { message } = await (await transport()).sendMail({ from, ...mail });
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const path = join(folder, `${Date.now()}-${randomUUID()}.eml`);
      await writeFile(`${path}.part`, message, { mode: 0o600 });
      return rename(`${path}.part`, path);
    },
    close: async () => {},
  };
}

/** Simultaneous connections to the server. */
const AT_ONCE = 8;
/** The most emails held in memory, so that a flood of registrations cannot exhaust it. */
const MAX_HELD = 1000;

/** The fields of an SMTP error that may be logged; its message may quote addresses. */
interface SmtpError {
  code?: unknown;
  responseCode?: unknown;
  command?: unknown;
}

const smtpDetails = (error: unknown) => {
  const { code = null, responseCode = null, command = null } = error as SmtpError;
  return { code, responseCode, command };
};

/**
 * Whether an error may pass. A refusal with a code of 500 or above is permanent (RFC 5321, 4.2.1), and so is a wrong
 * password.
 */
function isTemporary(error: unknown): boolean {
  const { code, responseCode } = error as SmtpError;
  if (code === 'EAUTH' || code === 'EENVELOPE') return isTemporaryCode(responseCode);
  return typeof responseCode !== 'number' || isTemporaryCode(responseCode);
}

const isTemporaryCode = (responseCode: unknown): boolean => Number(responseCode) < 500;

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

export interface Mail {
  to: string;
  subject: string;
  /** Plain text. */
  text: string;
}

export interface Mailer {
  /**
   * Accepts a mail. With an SMTP server it is sent later, with retries after temporary failures, because neither the
   * response nor its duration may reveal whether an address accepts mail.
   */
  deliver(mail: Mail): Promise<void>;
  /** Waits at most this long for emails in transmission; emails waiting for a retry are dropped. */
  close(graceMs: number): Promise<void>;
}
