/** An account without credit is reported as such immediately: waiting does not help. */
import { afterAll, beforeEach, expect, setDefaultTimeout, test } from 'bun:test';
import { chatCompletions } from '../../server/remote/chat-completions.ts';
import { startChatDouble } from '../support/doubles/chat-double.ts';
import { OPENAI_KEY } from '../support/doubles/provider-keys.ts';

setDefaultTimeout(300_000);

const double = await startChatDouble();
afterAll(() => double.close());
beforeEach(() => void (double.requests.length = 0));

const ask = (model = 'gpt-6.1-sol', apiKey = OPENAI_KEY) =>
  chatCompletions({ provider: 'openai', baseUrl: double.url, apiKey })
    .chat({
      model,
      messages: [{ role: 'user', content: '{}' }],
      timeoutMs: 30_000,
      signal: new AbortController().signal,
    })
    .catch((error: { failure: unknown }) => error.failure);

test('insufficient_quota (429) is final and has a suggestion', async () => {
  const error = {
    message:
      'You exceeded your current quota, please check your plan and billing details. For more information on this error, read the docs: https://platform.openai.com/docs/guides/error-codes/api-errors.',
    type: 'insufficient_quota',
    param: null,
    code: 'insufficient_quota',
  };
  const headers = { 'retry-after': '1' };
  double.behave(() => Response.json({ error }, { status: 429, headers }));
  expect(await ask()).toEqual({
    code: 'provider_unauthorized',
    message: 'OpenAI has no credit or quota left for the account of this server.',
    retryable: false,
    provider: 'openai',
    model: 'gpt-6.1-sol',
    suggestions: [
      {
        label: 'Add credit to the OpenAI account of this server, or raise its limit',
        description: expect.stringContaining('operator'),
      },
    ],
    debug: { status: 429, detail: 'insufficient_quota' },
  });
  expect(double.requests).toHaveLength(1);
});

test('rate_limit_exceeded (429 too) is waited for', async () => {
  const error = { type: 'requests', code: 'rate_limit_exceeded', message: 'Rate limit reached' };
  const headers = { 'retry-after-ms': '1' };
  double.behave(({ at }) => (at === 0 ? Response.json({ error }, { status: 429, headers }) : 'ok'));
  expect(await ask()).toMatchObject({ text: 'ok' });
  expect(double.requests).toHaveLength(2);
});

test.each(['gpt-5-mini', 'gpt-5.1', 'gpt-4o-mini'])(
  'the model %s, which is retired or unknown, is model_unavailable',
  async (model) => {
    expect(await ask(model)).toMatchObject({ code: 'model_unavailable', model, retryable: false });
  },
);

test('a wrong key is not reported as missing credit', async () => {
  expect(await ask('gpt-6.1-sol', 'sk-other')).toMatchObject({
    code: 'provider_unauthorized',
    message: 'OpenAI did not accept the credentials of this server.',
    suggestions: [],
  });
});
