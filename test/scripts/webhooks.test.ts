/** `captioner webhooks`: the request of each command, and the lines that it prints. */
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { CommandFailure, UsageError } from '../../scripts/command-line.ts';
import { requestsTo } from '../../scripts/server-requests.ts';
import { WEBHOOK_EVENTS } from '../../server/contract/webhooks.ts';
import { webhookAction } from '../../scripts/webhook-actions.ts';
import { startHttpDouble } from '../support/doubles/http-double.ts';
import { noWaiting } from '../support/doubles/waiting.ts';
import { listening } from './support.ts';

const server = await startHttpDouble(() => new Response(''));
const said = listening();
afterAll(() => server.close());
beforeEach(() => void (server.requests.length = 0));
afterEach(() => server.behave(null));

const act = (...words: string[]) =>
  webhookAction(words)(requestsTo(new URL(server.origin), 'secret-key', noWaiting()));
const answered = (answer: unknown) => server.behave(() => Response.json(answer));
const asked = () => server.requests.map(({ method, url }) => `${method} ${url.pathname}`);

const webhook = {
  id: 'hook_1',
  url: 'https://hooks.example/a',
  events: ['run.completed', 'run.failed'],
  enabled: true,
  failingSince: null,
};
const delivery = {
  id: 'msg_1',
  state: 'failed',
  event: 'run.completed',
  runId: 'run_1',
  attempts: 3,
  createdAt: '2026-11-26T10:00:00Z',
  lastStatus: 503,
  lastError: null,
};

test.each([
  [[], 'Choose a command: list, add, remove, enable, deliveries, redeliver.'],
  [['toString'], 'Choose a command: '],
  [['list', 'all'], 'list takes 0 arguments.'],
  [['remove'], 'remove takes 1 argument.'],
  [['enable', 'a', 'b'], 'enable takes 1 argument.'],
  [['redeliver', 'a'], 'redeliver takes 2 arguments.'],
  [['add', 'url', ...'abcdefghijk'], `add takes 1 to ${WEBHOOK_EVENTS.length + 1} arguments.`],
])('incorrect usage: %j: %s', (words, says) => {
  expect(() => webhookAction(words)).toThrow(UsageError);
  expect(() => webhookAction(words)).toThrow(says);
});

describe('a new webhook', () => {
  const made = { ...webhook, secret: 'whsec_secret' };

  test.each([
    [['run.completed', 'run.failed'], { url: webhook.url, events: webhook.events }],
    [[], { url: webhook.url }],
  ])('for the events %j prints only its secret', async (events, sent) => {
    answered(made);
    expect(await act('add', webhook.url, ...events)).toEqual({
      answer: made,
      lines: ['whsec_secret'],
    });
    expect(asked()).toEqual(['POST /webhooks']);
    expect(server.requests[0]?.header('content-type')).toBe('application/json');
    expect(JSON.parse(String(server.requests[0]?.body))).toEqual(sent);
    expect(said()).toContain('Webhook hook_1. ');
    expect(said()).not.toContain('whsec_');
  });

  test('that is refused says which of its words is wrong', async () => {
    const details = [{ path: 'events.0', message: 'must be one of run.completed' }];
    const error = { code: 'invalid_payload', message: 'The payload is invalid.', details };
    server.behave(() => Response.json({ error }, { status: 422 }));
    await expect(act('add', webhook.url, 'run.over')).rejects.toThrow(
      'The payload is invalid.\n- events.0 must be one of run.completed',
    );
  });

  test('is requested once, even if the server is busy', async () => {
    server.behave(() => new Response('', { status: 503 }));
    await expect(act('add', webhook.url)).rejects.toThrow(CommandFailure);
    expect(asked()).toEqual(['POST /webhooks']);
  });
});

test('a delivery has its last error or status, if there was an attempt', async () => {
  const deliveries = [
    delivery,
    { ...delivery, lastError: 'timed out' },
    { ...delivery, state: 'pending', attempts: 0, lastStatus: null },
  ];
  answered({ deliveries });
  const start = (state: string) => `msg_1\t${state}\trun.completed\trun_1\t2026-11-26T10:00:00Z`;
  expect(await act('deliveries', 'hook_1')).toEqual({
    answer: { deliveries },
    lines: [
      `${start('failed')}\t3 attempts\t503`,
      `${start('failed')}\t3 attempts\ttimed out`,
      `${start('pending')}\t0 attempts\t`,
    ],
  });
  answered(delivery);
  expect((await act('redeliver', 'hook_1', 'msg_1')).lines).toEqual([
    `${start('failed')}\t3 attempts\t503`,
  ]);
  expect(asked()).toEqual([
    'GET /webhooks/hook_1/deliveries',
    'POST /webhooks/hook_1/deliveries/msg_1/redeliver',
  ]);
});
