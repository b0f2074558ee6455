/** Queued mails: the number sent at once and in total. */
import { expect, test } from 'bun:test';
import { createDelivery } from '../../server/identity/mail-delivery.ts';
import type { Mail } from '../../server/identity/mailer.ts';
import { createLog } from '../../server/log.ts';
import { noWaiting } from '../support/doubles/waiting.ts';
import { until } from '../support/servers/client.ts';

const mail = (to: string): Mail => ({ to, subject: 's', text: 't' });

/** A server that accepts nothing until the test lets it. */
function stalled() {
  const sent: string[] = [];
  let underWay = 0;
  let most = 0;
  let log = '';
  const open = Promise.withResolvers<void>();
  const delivery = createDelivery({
    async send({ to }) {
      most = Math.max(most, (underWay += 1));
      await open.promise;
      underWay -= 1;
      sent.push(to);
    },
    retryAfterMs: [],
    log: createLog('debug', (line) => void (log += line)),
  });
  return { delivery, sent, most: () => most, log: () => log, open: open.resolve };
}

test('a thousand mails are queued; the next is dropped, and later there is space again', async () => {
  const { delivery, sent, most, log, open } = stalled();
  for (let count = 1; count <= 1000; count += 1) await delivery.deliver(mail(`${count}@a.example`));
  expect(log()).toBe('');
  await delivery.deliver(mail('1001@a.example'));
  expect(JSON.parse(log())).toMatchObject({
    reason: 'too many emails are waiting to be sent',
    tries: 0,
    retryAfterMs: null,
  });
  expect(log()).not.toContain('1001@');
  await Promise.resolve();
  expect(most()).toBe(8);
  open();
  await until(async () => sent.length >= 1000);
  await new Promise(setImmediate);
  await delivery.deliver(mail('later@a.example'));
  await until(async () => sent.length > 1000);
  expect([sent.at(-1), sent.includes('1001@a.example'), most()]).toEqual([
    'later@a.example',
    false,
    8,
  ]);
  await delivery.close(1000);
});

test('once closed, it sends and holds nothing', async () => {
  const { delivery, sent, log, open } = stalled();
  open();
  await delivery.close(1000);
  await delivery.deliver(mail('late@a.example'));
  await new Promise(setImmediate);
  expect([sent, log().includes('mail_not_sent')]).toEqual([[], true]);
});

test('closing waits for mails in transmission, for a limited time', async () => {
  const { delivery, sent, open } = stalled();
  await delivery.deliver(mail('under-way@a.example'));
  await delivery.close(5);
  expect(sent).toEqual([]);
  let isClosed = false;
  const closed = delivery.close(60_000).then(() => (isClosed = true));
  await new Promise(setImmediate);
  expect(isClosed).toBe(false);
  open();
  await closed;
  expect(sent).toEqual(['under-way@a.example']);
});

test('closing does not wait once all mails are sent', async () => {
  const pauses: [number, AbortSignal | undefined][] = [];
  const waiting = {
    ...noWaiting(),
    pause: (ms: number, signal?: AbortSignal) => {
      pauses.push([ms, signal]);
      return new Promise<void>(() => {});
    },
  };
  const log = createLog('silent');
  const delivery = createDelivery({ send: async () => {}, retryAfterMs: [], log, waiting });
  await delivery.close(60_000);
  expect(pauses.map(([ms, signal]) => [ms, signal?.aborted])).toEqual([[60_000, true]]);
});

test.each([
  ['a wrong password', { code: 'EAUTH', responseCode: 535 }, false],
  ['a refused password without a number', { code: 'EAUTH' }, false],
  ['passwords that cannot be checked now', { code: 'EAUTH', responseCode: 454 }, true],
  ['an address that is put off', { code: 'EENVELOPE', responseCode: 450 }, true],
  ['an address that cannot be written', { code: 'EENVELOPE' }, false],
  ['no connection', { code: 'ECONNECTION' }, true],
  ['the least permanent refusal', { code: 'EMESSAGE', responseCode: 500 }, false],
  ['the greatest temporary refusal', { code: 'EMESSAGE', responseCode: 499 }, true],
])('%s: %p is retried: %p', async (_, refusal, isTriedAgain) => {
  let log = '';
  const waiting = noWaiting();
  const delivery = createDelivery({
    send: () => Promise.reject(Object.assign(new Error('no'), refusal)),
    retryAfterMs: [7, 8],
    log: createLog('debug', (line) => void (log += line)),
    waiting,
  });
  await delivery.deliver(mail('ann@a.example'));
  await until(async () => log.includes('"retryAfterMs":null'));
  const lines = log.trim().split('\n');
  const told = lines.map((line) => JSON.parse(line)).map((line) => [line.tries, line.retryAfterMs]);
  const tries = [
    [1, 7],
    [2, 8],
    [3, null],
  ];
  expect(told).toEqual(isTriedAgain ? tries : [[1, null]]);
  expect(waiting.pauses).toEqual(isTriedAgain ? [7, 8] : []);
});

test('a refusal is logged with its codes, not its text', async () => {
  let log = '';
  const delivery = createDelivery({
    async send() {
      throw Object.assign(new Error('550 ann@a.example is unknown'), {
        code: 'EENVELOPE',
        responseCode: 550,
        command: 'RCPT TO',
      });
    },
    retryAfterMs: [],
    log: createLog('debug', (line) => void (log += line)),
  });
  await delivery.deliver(mail('ann@a.example'));
  await until(async () => log !== '');
  expect(log).toContain('"code":"EENVELOPE"');
  expect(log).toContain('"responseCode":550');
  expect(log).toContain('"command":"RCPT TO"');
  expect(log).not.toContain('ann@');
});
