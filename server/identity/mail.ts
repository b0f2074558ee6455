/** The mail with the code: through an SMTP server, or as a file where none is configured. */
import { randomUUID } from 'node:crypto';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTransport } from 'nodemailer';

export interface Mail {
  to: string;
  subject: string;
  /** Plain text. */
  text: string;
}

export interface Mailer {
  /** Whether sending waits on another machine: then nobody should wait for it. */
  readonly remote: boolean;
  send(mail: Mail): Promise<void>;
}

export interface MailerOptions {
  smtpUrl: string | null;
  mailFrom: string;
  dataDir: string;
}

/** A mailer for SMTP_URL, otherwise one that writes `.eml` files to DATA_DIR/outbox. */
export const createMailer = ({ smtpUrl, mailFrom, dataDir }: MailerOptions): Mailer =>
  smtpUrl ? smtpMailer(smtpUrl, mailFrom) : outboxMailer(join(dataDir, 'outbox'), mailFrom);

/** An SMTP server that stalls is given up after these, in milliseconds. */
const TIMEOUTS = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 20_000 };

function smtpMailer(url: string, from: string): Mailer {
  const transport = createTransport({ url, ...TIMEOUTS });
  return {
    remote: true,
    async send(mail) {
      await transport.sendMail({ from, ...mail });
    },
  };
}

function outboxMailer(folder: string, from: string): Mailer {
  const transport = createTransport({ streamTransport: true, buffer: true, newline: 'unix' });
  return {
    remote: false,
    async send(mail) {
      const { message } = await transport.sendMail({ from, ...mail });
      await mkdir(folder, { recursive: true });
      const path = join(folder, `${Date.now()}-${randomUUID()}.eml`);
      await writeFile(`${path}.part`, message as Buffer, { mode: 0o600 });
      await rename(`${path}.part`, path);
    },
  };
}

/** The mail of a registration: who asks for what, the code, how long it holds. No links. */
export function codeMail(request: {
  email: string;
  code: string;
  scopes: readonly string[];
  clientAddress: string;
  userAgent: string;
  minutes: number;
}): Mail {
  const { email, code, scopes, clientAddress, minutes } = request;
  const agent = request.userAgent.replace(/[^\x20-\x7e]/g, '').slice(0, 100);
  return {
    to: email,
    subject: 'Your Captioner code',
    text: [
      'A program asks for a Captioner key in your name.',
      'If you started it, give it this code:',
      '',
      code,
      '',
      `It holds for ${minutes} minutes and works once.`,
      '',
      `Asked from: ${clientAddress}${agent ? ` (${agent})` : ''}`,
      'The key may:',
      ...scopes.map((scope) => `- ${scope}`),
      '',
      'If you did not ask for it, do nothing: without the code there is no key.',
      '',
    ].join('\n'),
  };
}
