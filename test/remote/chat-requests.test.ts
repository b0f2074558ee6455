/** Whole requests to language models: addresses, headers and bodies of both interfaces. */
import { afterAll, expect, setDefaultTimeout, test } from 'bun:test';
import { chatCompletions } from '../../server/remote/chat.ts';
import { runModel, workersAiChat } from '../../server/remote/workers-ai.ts';
import { completion } from '../support/doubles/chat-double.ts';
import { startHttpDouble } from '../support/doubles/http-double.ts';
import { noWaiting } from '../support/doubles/waiting.ts';

type ChatRequest = Parameters<ReturnType<typeof chatCompletions>['chat']>[0];

setDefaultTimeout(60_000);

const double = await startHttpDouble(() => Response.json(completion('yes')));
afterAll(() => double.close());
const { signal } = new AbortController();
const waiting = noWaiting();
const account = { accountId: 'a b', apiToken: 'token', baseUrl: double.origin };
const compatible = { provider: 'openai', baseUrl: `${double.origin}/v1`, apiKey: 'key', waiting };

const messages = [{ role: 'user' as const, content: 'Is it?' }];
const schema = { name: 'verdict', schema: { type: 'object' } };
const ask = (given: Partial<ChatRequest>): ChatRequest => ({
  model: 'm',
  messages,
  timeoutMs: 1234,
  signal,
  ...given,
});

/** The last request. */
const sent = () => {
  const { url, header, body } = double.requests.at(-1)!;
  return {
    path: url.pathname + url.search,
    authorization: header('authorization'),
    type: header('content-type'),
    body: JSON.parse(body.toString()) as unknown,
  };
};

test.each<[string, Partial<ChatRequest>, object]>([
  ['plain', {}, { model: 'm' }],
  ['cold', { temperature: 0 }, { model: 'm', temperature: 0 }],
  [
    'with a schema',
    { schema },
    {
      model: 'm',
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'verdict', schema: { type: 'object' }, strict: true },
      },
    },
  ],
  ...['gpt-5', 'gpt-9.1-sol', 'openai/gpt-oss-120b', 'gpt-oss', 'o3', 'o1-mini'].map(
    (model): [string, Partial<ChatRequest>, object] => [
      `to ${model}`,
      { model },
      { model, reasoning_effort: 'low' },
    ],
  ),
  ...['gpt-4.1', 'my-gpt-5', 'ofcourse', 'other/gpt-5'].map(
    (model): [string, Partial<ChatRequest>, object] => [`to ${model}`, { model }, { model }],
  ),
])('a chat completion, %s', async (_name, given, expected) => {
  expect(await chatCompletions(compatible).chat(ask(given))).toEqual({
    text: 'yes',
    cut: false,
    tokens: expect.any(Number),
  });
  expect(sent()).toEqual({
    path: '/v1/chat/completions',
    authorization: 'Bearer key',
    type: 'application/json',
    body: { messages, ...expected },
  });
  expect(waiting.limits.at(-1)).toBe(1234);
});

test('a server of one’s own needs no key', async () => {
  await chatCompletions({ provider: 'edge', baseUrl: double.origin, waiting }).chat(ask({}));
  expect(sent()).toMatchObject({ path: '/chat/completions', authorization: null });
});

test('Workers AI: bytes are sent with their parameters, if there are any', async () => {
  double.behave(() => Response.json({ result: 'heard', success: true }));
  const call = { provider: 'edge', model: 'm', timeoutMs: 1, signal, waiting };
  for (const query of ['', 'language=en']) {
    const bytes = new TextEncoder().encode('"sound"');
    const input = { bytes, mediaType: 'audio/mpeg', query: new URLSearchParams(query) };
    expect(await runModel(account, { ...call, input })).toBe('heard');
    expect(sent()).toEqual({
      path: `/accounts/a%20b/ai/run/m${query && '?'}${query}`,
      authorization: 'Bearer token',
      type: 'audio/mpeg',
      body: 'sound',
    });
    expect(double.requests.at(-1)!.url.href.endsWith('?')).toBe(false);
  }
});

test.each([
  ['5007', 'model_unavailable', false],
  ['3042', 'model_unavailable', false],
  ['3040', 'provider_rate_limited', true],
  ['3036', 'provider_unauthorized', false],
  ['3030', 'provider_bad_response', false],
])('Workers AI: the error %s is %s', async (code, expected, retryable) => {
  const answer = `{"success":false,"errors":[{"message":"no","code":${code}}]}`;
  double.behave(() => new Response(answer, { status: 400 }));
  const call = { provider: 'edge', model: 'm', input: { json: {} }, timeoutMs: 1, signal, waiting };
  await expect(runModel(account, call)).rejects.toMatchObject({
    failure: { code: expected, retryable },
  });
});

test('Workers AI: the model is part of the address, and answers with a schema may be long', async () => {
  const chat = workersAiChat('edge', account, waiting);
  const answers: [unknown, string][] = [
    [{ response: 'yes', usage: { total_tokens: 7.4 } }, 'yes'],
    [{ response: { safe: true }, usage: {} }, '{"safe":true}'],
    [{ response: null }, ''],
    [completion('yes'), 'yes'],
  ];
  for (const [result, text] of answers) {
    double.behave(() => Response.json({ result, success: true }));
    const given = ask({ model: '@cf/meta/x', schema, temperature: 0.5 });
    expect((await chat.chat(given)).text).toBe(text);
  }
  expect(sent()).toEqual({
    path: '/accounts/a%20b/ai/run/@cf/meta/x',
    authorization: 'Bearer token',
    type: 'application/json',
    body: {
      messages,
      temperature: 0.5,
      response_format: { type: 'json_schema', json_schema: { type: 'object' } },
      max_tokens: 4096,
    },
  });
  expect(waiting.limits.at(-1)).toBe(1234);
});

test.each(
  '../x ../../../user/tokens @cf/../x @cf/./x a//b a/./b .. /a a/ a?b a#b'
    .split(' ')
    .concat('a b', ''),
)(
  '%j, which a payload may contain, is no model, and failures name the model that was asked for',
  async (model) => {
    const before = double.requests.length;
    const call = { provider: 'edge', model, input: { json: {} }, timeoutMs: 1, signal, waiting };
    await expect(runModel(account, call)).rejects.toMatchObject({
      failure: { code: 'model_unavailable', provider: 'edge', model },
    });
    expect(double.requests.length).toBe(before);
    double.behave(() => Response.json({ result: null, success: true }));
    await expect(runModel(account, { ...call, model: 'm' })).rejects.toMatchObject({
      failure: { code: 'provider_bad_response', provider: 'edge', model: 'm' },
    });
  },
);
