/** Mail over real SMTP: accepted, refused, stalled or dropped; and its text. */
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { createMailer, createWebhookMail, type Mail } from '../../server/identity/mail.ts';
import { createLog } from '../../server/base/log.ts';
import { realTime, type Waiting } from '../../server/base/concurrency.ts';
import { type SmtpFault, startSmtpDouble } from '../support/doubles/smtp-double.ts';
import { noWaiting } from '../support/doubles/waiting.ts';
import { until } from '../support/servers/client.ts';
import { removeFolder, temporaryFolder } from '../support/servers/server-process.ts';
import { sqliteDatabase } from '../support/servers/sqlite-database.ts';
import { organizationOfWorkspace, recordKey } from '../../server/identity/keys.ts';

setDefaultTimeout(300000);

const smtp = await startSmtpDouble();
afterAll(() => smtp.close());

function mailer(waiting: Waiting = noWaiting(), smtpUrl = smtp.url) {
  let log = '';
  const made = createMailer({
    smtpUrl,
    mailFrom: 'Captioner <captions@example.org>',
    dataDir: '/nowhere',
    log: createLog('debug', (line) => void (log += line)),
    waiting,
  });
  return { ...made, log: () => log };
}

const mail = (to: string): Mail => ({ to, subject: 'Your code', text: 'It is\n482915\n' });

const taken = (to: string) => smtp.messages.filter((message) => message.to === to);

test('an internationalised address gets its mail', async () => {
  const { deliver, close } = mailer();
  await deliver(mail('jürgen@xn--mnchen-3ya.example'));
  await until(async () => taken('jürgen@münchen.example').length > 0);
  const [message] = taken('jürgen@münchen.example');
  expect(message?.text).toContain('From: Captioner <captions@example.org>');
  expect(message?.text).toContain('Subject: Your code');
  expect(message?.text).toEndWith('\r\n482915');
  await close(1000);
});

describe('a mail server that', () => {
  test.each<[string, SmtpFault]>([
    ['is busy at the greeting', { step: 'greeting', does: '421 later' }],
    ['drops the connection at once', { step: 'greeting', does: 'drop' }],
    ['defers the address (greylisting)', { step: 'rcpt', does: '450 4.2.0 try again' }],
    ['drops the connection at the address', { step: 'rcpt', does: 'drop' }],
    ['drops the connection after the message', { step: 'message', does: 'drop' }],
    ['has no room', { step: 'message', does: '452 4.3.1 no space' }],
    ['cannot check the password now', { step: 'auth', does: '454 4.7.0 later' }],
    ['refuses for now, with the last such number', { step: 'message', does: '499 later' }],
  ])('%s is retried', async (name, fault) => {
    const to = `${name.replaceAll(/[^a-z]+/g, '-')}@example.com`;
    const { deliver, close, log } = mailer();
    smtp.fail(fault);
    await deliver(mail(to));
    await until(async () => taken(to).length > 0);
    expect(log()).toContain('mail_not_sent');
    expect(taken(to)).toHaveLength(1);
    await close(1000);
  });

  test.each<[string, SmtpFault]>([
    ['does not know the address', { step: 'rcpt', does: '550 5.1.1 no such user' }],
    ['refuses the sender', { step: 'mail', does: '553 5.7.1 not you' }],
    ['refuses the message', { step: 'message', does: '554 5.7.1 spam' }],
    ['refuses the password', { step: 'auth', does: '535 5.7.8 wrong' }],
    ['refuses for good, with the first such number', { step: 'message', does: '500 no' }],
  ])('%s is not retried', async (name, fault) => {
    const to = `${name.replaceAll(' ', '-')}@example.com`;
    const before = smtp.connections();
    const { deliver, close, log } = mailer();
    smtp.fail(fault);
    await deliver(mail(to));
    await until(async () => log().includes('mail_not_sent'));
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect([smtp.connections() - before, taken(to)]).toEqual([1, []]);
    await close(1000);
  });

  test('never accepts is abandoned after the last try, before the code has expired', async () => {
    const before = smtp.connections();
    const waiting = noWaiting();
    const { deliver, close, log } = mailer(waiting);
    smtp.fail({ step: 'rcpt', does: '451 later' }, 5);
    await deliver(mail('never@example.com'));
    await until(async () => log().split('mail_not_sent').length === 6);
    expect(smtp.connections() - before).toBe(5);
    expect(waiting.pauses).toEqual([5000, 30_000, 120_000, 300_000]);
    expect(log().trim().split('\n').at(-1)).toContain('"retryAfterMs":null');
    await close(1000);
  });

  test('stalls does not delay anybody, nor the shutdown', async () => {
    const before = smtp.connections();
    const { deliver, close } = mailer();
    smtp.fail({ step: 'greeting', does: 'stall' });
    await deliver(mail('stalled@example.com'));
    await until(async () => smtp.connections() > before);
    await close(50);
    expect(taken('stalled@example.com')).toEqual([]);
  });
});

test.each([
  ['without an address', '', smtp.url],
  ['by a server that wants a password', 'ann@example.com', smtp.url.replace(':smtp-password', '')],
])('a mail %s is not retried, although no number says so', async (_, to, url) => {
  const { deliver, close, log } = mailer(noWaiting(), url);
  await deliver(mail(to));
  await until(async () => log().includes('mail_not_sent'));
  expect(JSON.parse(log().split('\n')[0]!)).toMatchObject({
    responseCode: null,
    retryAfterMs: null,
  });
  await close(1000);
});

test('failures are logged without the code, the address or the password', async () => {
  const { deliver, close, log } = mailer();
  smtp.fail({ step: 'rcpt', does: '550 5.1.1 <hidden@example.com> no such user' });
  await deliver(mail('hidden@example.com'));
  await until(async () => log().includes('mail_not_sent'));
  expect(log()).toContain('"responseCode":550');
  for (const secret of ['482915', 'hidden', 'smtp-password']) expect(log()).not.toContain(secret);
  await close(1000);
});

test('a mail waiting for a retry is dropped at shutdown', async () => {
  const { deliver, close, log } = mailer(realTime);
  smtp.fail({ step: 'rcpt', does: '450 later' });
  await deliver(mail('waiting@example.com'));
  await until(async () => log().includes('mail_not_sent'));
  await close(5000);
  await deliver(mail('waiting@example.com'));
  expect(taken('waiting@example.com')).toEqual([]);
});

test('without a mail server, mails are complete files readable only by their owner, in a new folder', async () => {
  const dataDir = await temporaryFolder();
  const { deliver } = createMailer({
    smtpUrl: null,
    mailFrom: 'Captioner <captions@example.org>',
    dataDir: join(dataDir, 'not', 'there'),
    log: createLog('silent'),
  });
  const folder = join(dataDir, 'not', 'there', 'outbox');
  const long = 'A long line of a long mail.\n'.repeat(40_000);
  for (const to of ['ann@example.com', 'bea@example.com']) {
    await deliver({ to, subject: 'Long', text: long });
    const names = readdirSync(folder);
    expect(names.map((name) => name.split('.').at(-1))).toEqual(names.map(() => 'eml'));
    const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
    const text = texts.find((each) => each.includes(`To: ${to}`)) ?? '';
    expect(text).toStartWith('From: Captioner <captions@example.org>\n');
    expect(text.slice(text.indexOf('\n\n') + 2) === long).toBe(true);
    for (const name of names) expect((await stat(join(folder, name))).mode & 0o077).toBe(0);
  }
  expect((await stat(folder)).mode & 0o077).toBe(0);
  await removeFolder(dataDir);
});

test('a thousand mails are queued, eight are sent at once, the next is dropped; closing waits for them, but not long', async () => {
  const { ready } = smtp;
  const greeted = Promise.withResolvers<void>();
  smtp.ready = greeted.promise;
  const before = smtp.connections();
  const { deliver, close, log } = mailer(realTime);
  for (let count = 1; count <= 1000; count += 1) await deliver(mail(`${count}@full.example`));
  await until(async () => smtp.connections() - before >= 8);
  expect(log()).toBe('');
  await deliver(mail('1001@full.example'));
  expect(JSON.parse(log())).toMatchObject({
    reason: 'too many emails are waiting to be sent',
    tries: 0,
    retryAfterMs: null,
  });
  expect(log()).not.toContain('1001@');
  await close(5);
  const closed = close(60_000);
  expect([smtp.connections() - before, taken('1@full.example')]).toEqual([8, []]);
  greeted.resolve();
  smtp.ready = ready;
  await closed;
  expect(taken('1@full.example')).toHaveLength(1);
  expect(taken('1001@full.example')).toEqual([]);
});

test('the owner of the key of a disabled webhook is told its host; an unknown owner is not', async () => {
  const { database } = await sqliteDatabase();
  for (const name of ['ann', 'ben']) {
    const workspace = { kind: 'personal', externalId: `personal:${name}` } as const;
    const organizationId = await organizationOfWorkspace(database, workspace, 1);
    const key = { id: `key_${name}`, hash: name, obfuscated: '…', name: 'Captioner key' };
    const owner = { organizationId, ownerEmail: `${name}@example.com`, scopes: [] };
    await recordKey(database, { ...key, ...owner }, 1);
  }
  const mails: Mail[] = [];
  const mailer = { deliver: async (mail: Mail) => void mails.push(mail), close: async () => {} };
  const send = createWebhookMail({ database, mailer });
  for (const keyId of ['key_ann', 'key_ben', 'key_at_workos']) {
    await send({ url: 'https://hooks.example/secret?token=1', keyId });
  }
  expect(mails.map(({ to }) => to)).toEqual(['ann@example.com', 'ben@example.com']);
  for (const { subject, text } of mails) {
    expect(subject).toBe('Captioner has disabled a webhook');
    expect(text).toContain('Your webhook at hooks.example has not accepted a delivery');
    expect(text).not.toMatch(/secret|token/);
  }
});
