/** Sends mail through an SMTP server, or writes it to a file if none is configured. */
import { randomUUID } from 'node:crypto';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Log } from '../log.ts';
import { once } from '../once.ts';
import { createDelivery } from './mail-delivery.ts';
import type { Waiting } from '../waiting.ts';
import type { Mailer } from './mailer.ts';

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
export const TIMEOUTS = {
  dnsTimeout: 10_000,
  connectionTimeout: 10_000,
  greetingTimeout: 10_000,
  socketTimeout: 20_000,
};

/** The library, loaded with the first mail. */
const nodemailer = () => import('nodemailer');

function smtpMailer(url: string, options: MailerOptions): Mailer {
  const { mailFrom: from, log, waiting } = options;
  const transport = once(async () => (await nodemailer()).createTransport({ url, ...TIMEOUTS }));
  return createDelivery({
    send: async (mail) => void (await (await transport()).sendMail({ from, ...mail })),
    retryAfterMs: RETRY_AFTER_MS,
    log,
    waiting,
  });
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
