/** The error for each response, the number of attempts, and requests to Workers AI. */
import { afterAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { callJson } from '../../server/remote/call.ts';
import { chatCompletions, readCompletion } from '../../server/remote/chat-completions.ts';
import { callErrorOf, retryAfterMs, CallError } from '../../server/remote/call-error.ts';
import { runModel, workersAiChat } from '../../server/remote/workers-ai.ts';
import { startHttpDouble } from '../support/doubles/http-double.ts';
import { noWaiting } from '../support/doubles/waiting.ts';

setDefaultTimeout(300_000);

const double = await startHttpDouble(() => Response.json({}));
afterAll(() => double.close());
beforeEach(() => void (double.requests.length = 0));

const signal = new AbortController().signal;
const errorOf = (code: string) => JSON.stringify({ error: { code } });

test('an error has its cause, if there is one', () => {
  const cause = new Error('the connection broke');
  expect(new CallError('provider_unavailable', { cause }).cause).toBe(cause);
  expect('cause' in new CallError('provider_unavailable')).toBe(false);
});

test.each([
  [401, '', 'provider_unauthorized', 1],
  [402, '', 'provider_unauthorized', 1],
  [403, '', 'provider_unauthorized', 1],
  [429, errorOf('insufficient_quota'), 'provider_unauthorized', 1],
  [429, errorOf('billing_hard_limit_reached'), 'provider_unauthorized', 1],
  [400, errorOf('billing_not_active'), 'provider_unauthorized', 1],
  [404, errorOf('model_not_found'), 'model_unavailable', 1],
  [400, errorOf('model_decommissioned'), 'model_unavailable', 1],
  [400, JSON.stringify({ error: { type: 'model_not_found' } }), 'model_unavailable', 1],
  [400, JSON.stringify({ code: 'model_unavailable' }), 'model_unavailable', 1],
  [400, errorOf('MODEL_NOT_FOUND'), 'model_unavailable', 1],
  [400, '', 'provider_bad_response', 1],
  [422, errorOf('invalid_request'), 'provider_bad_response', 1],
  [200, 'no JSON', 'provider_bad_response', 2],
  [408, '', 'provider_timeout', 2],
  [504, '', 'provider_timeout', 2],
  [429, '', 'provider_rate_limited', 4],
  [500, '', 'provider_unavailable', 4],
  [503, '', 'provider_unavailable', 4],
] as const)('status %p with %j is %s, after %p attempts', async (status, body, code, attempts) => {
  double.behave(() => new Response(body, { status }));
  const waiting = noWaiting();
  const call = callJson({
    provider: 'openai',
    url: double.origin,
    timeoutMs: 60_000,
    signal,
    waiting,
  });
  await expect(call).rejects.toMatchObject({ failure: { code }, isFinal: true });
  expect(double.requests).toHaveLength(attempts);
  expect(waiting.limits).toEqual(Array.from({ length: attempts }, () => 60_000));
});

test.each([['audio_unreadable'], ['language_unsupported']] as const)(
  'a refusal that the provider explains as %s is not repeated',
  async (code) => {
    double.behave(() => new Response('', { status: 500 }));
    const readRefusal = () => code;
    const call = callJson({
      provider: 'deepgram',
      url: double.origin,
      timeoutMs: 60_000,
      signal,
      readRefusal,
      waiting: noWaiting(),
    });
    await expect(call).rejects.toMatchObject({ failure: { code } });
    expect(double.requests).toHaveLength(1);
  },
);

test('only a single word of a response is accepted as its code, since sentences may repeat keys', () => {
  expect(callErrorOf(400, errorOf('bad key sk-123')).detail).toBeUndefined();
  expect(callErrorOf(400, errorOf('a'.repeat(65))).detail).toBeUndefined();
  expect(callErrorOf(400, errorOf('a'.repeat(64))).detail).toHaveLength(64);
  expect(callErrorOf(402, '').isOutOfCredit).toBe(true);
  expect(callErrorOf(401, '').isOutOfCredit).toBe(false);
  expect(new CallError('provider_bad_response').isRefusal).toBe(false);
});

test('the pause requested by a service, in each of its forms', () => {
  const now = Date.parse('2026-11-22T10:00:00Z');
  const read = (headers: Record<string, string>) => retryAfterMs(new Headers(headers), now);
  expect(read({ 'retry-after': '1.5' })).toBe(1500);
  expect(read({ 'retry-after': '9', 'retry-after-ms': '250.5' })).toBe(250.5);
  expect(read({ 'retry-after': 'Sun, 22 Nov 2026 10:00:05 GMT' })).toBe(5000);
  expect(read({ 'retry-after': 'Sun, 22 Nov 2026 09:59:00 GMT' })).toBe(0);
  expect(read({ 'retry-after': 'Sunday, 22-Nov-26 10:00:07 GMT' })).toBe(7000);
  expect(read({ 'retry-after': 'soon' })).toBeUndefined();
});

describe('Workers AI', () => {
  const account = { baseUrl: double.origin, accountId: 'a/b', apiToken: 'token' };
  const ask = (model: string) =>
    runModel(account, {
      provider: 'edge',
      model,
      input: { json: {} },
      timeoutMs: 60_000,
      signal,
      waiting: noWaiting(),
    });

  test.each([
    ['5007', 400, 'model_unavailable', 1],
    ['3042', 404, 'model_unavailable', 1],
    ['3036', 429, 'provider_unauthorized', 1],
    ['3040', 429, 'provider_rate_limited', 4],
  ] as const)(
    'the error %s with status %p is %s, after %p attempts',
    async (code, status, fault, attempts) => {
      const errors = `{"success":false,"errors":[{"code":${code},"message":"it failed"}]}`;
      double.behave(() => new Response(errors, { status }));
      await expect(ask('@cf/some/model')).rejects.toMatchObject({ failure: { code: fault } });
      expect(double.requests).toHaveLength(attempts);
    },
  );

  test('an error code is looked for in the first 4 KiB of a response', async () => {
    const at = async (place: number) => {
      double.behave(() => new Response(`${' '.repeat(place)}{"code": 5007}`, { status: 400 }));
      return ask('@cf/some/model').catch((error) => error.failure.code);
    };
    expect([await at(4083), await at(4084)]).toEqual([
      'model_unavailable',
      'provider_bad_response',
    ]);
  });

  test.each([
    '../../../user/tokens',
    '@cf/../x',
    '@cf/./x',
    'a?b',
    'a#b',
    'a b',
    '/a',
    'a//b',
    '..',
  ])('the model name %j, which a payload may contain, is sent to no address', async (model) => {
    await expect(ask(model)).rejects.toMatchObject({ failure: { code: 'model_unavailable' } });
    expect(double.requests).toEqual([]);
  });

  test('is called only at the address of the account; a missing result is not a response', async () => {
    double.behave(() => Response.json({ success: true, result: { a: 1 } }));
    expect(await ask('@cf/some/model.v1')).toEqual({ a: 1 });
    expect(double.requests[0]!.url.pathname).toBe('/accounts/a%2Fb/ai/run/@cf/some/model.v1');
    double.behave(() => Response.json({ success: true, result: null }));
    await expect(ask('m')).rejects.toMatchObject({ failure: { code: 'provider_bad_response' } });
  });

  test('a chat sends its schema and temperature, and an empty response is a refusal', async () => {
    double.behave(() =>
      Response.json({ result: { response: null, usage: { total_tokens: 7.4 } } }),
    );
    const chat = workersAiChat('edge', account, noWaiting());
    const schema = { name: 'n', schema: { type: 'object' } };
    const messages = [{ role: 'user' as const, content: 'q' }];
    const asked = { model: 'm', messages, schema, temperature: 0, timeoutMs: 1000, signal };
    expect(await chat.chat(asked)).toEqual({ text: '', tokens: 7, cut: false });
    expect(JSON.parse(String(double.requests[0]!.body))).toEqual({
      messages,
      temperature: 0,
      response_format: { type: 'json_schema', json_schema: { type: 'object' } },
      max_tokens: 4096,
    });
  });
});

test('a truncated completion is reported as such, with its tokens', () => {
  const answer = (finish_reason: string, total_tokens: number) => ({
    choices: [{ message: { content: 'text' }, finish_reason }],
    usage: { total_tokens },
  });
  expect(readCompletion(answer('length', 12))).toEqual({ text: 'text', tokens: 12, cut: true });
  expect(readCompletion(answer('stop', -5))).toEqual({ text: 'text', tokens: 0, cut: false });
});

test.each([
  ['gpt-6.1-sol', 'low'],
  ['openai/gpt-oss-120b', 'low'],
  ['o4-mini', 'low'],
  ['llama-4', undefined],
])(
  '%s gets reasoning effort %p, temperature 0, the key and a strict schema',
  async (model, effort) => {
    double.behave(() => Response.json({ choices: [{ message: { content: '{}' } }] }));
    const { chat } = chatCompletions({
      provider: 'openai',
      baseUrl: double.origin,
      apiKey: 'the-key',
    });
    const schema = { name: 'n', schema: { type: 'object' } };
    await chat({ model, messages: [], schema, temperature: 0, timeoutMs: 60_000, signal });
    const [request] = double.requests;
    expect(request!.header('authorization')).toBe('Bearer the-key');
    const body = JSON.parse(String(request!.body));
    expect(body).toMatchObject({ model, temperature: 0 });
    expect(body.response_format.json_schema.strict).toBe(true);
    expect(body.reasoning_effort).toBe(effort);
  },
);
