/** The messages of provider failures, and what does not count as a provider's failure. */
import { afterAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { callJson, type RemoteCall } from '../../server/remote/call.ts';
import { chatCompletions } from '../../server/remote/chat-completions.ts';
import { failureOf } from '../../server/remote/failures.ts';
import { callErrorOf, CallError, type CallErrorCode } from '../../server/remote/call-error.ts';
import { onProviderError, type ProviderError } from '../../server/remote/provider-errors.ts';
import { runModel } from '../../server/remote/workers-ai.ts';
import { noWaiting } from '../support/doubles/waiting.ts';
import { startHttpDouble } from '../support/doubles/http-double.ts';

setDefaultTimeout(300_000);

const double = await startHttpDouble(() => Response.json({ heard: true }));
afterAll(() => double.close());
beforeEach(() => {
  double.requests.length = 0;
  double.behave(null);
});

const call = (given: Partial<RemoteCall> = {}) =>
  callJson({
    provider: 'deepgram',
    url: double.origin,
    timeoutMs: 60_000,
    signal: new AbortController().signal,
    waiting: noWaiting(),
    ...given,
  });

test.each<[CallErrorCode, string, boolean]>([
  ['provider_unauthorized', 'Groq did not accept the credentials of this server.', false],
  ['model_unavailable', 'Groq does not have the model.', false],
  ['language_unsupported', 'Groq does not support the language with this model.', false],
  ['audio_unreadable', 'Groq could not read the recording.', false],
  ['provider_rate_limited', 'Groq is overloaded.', true],
  ['provider_unavailable', 'Groq could not be reached or failed.', true],
  ['provider_timeout', 'Groq took too long to respond.', true],
  ['provider_bad_response', 'Groq sent a response that cannot be read.', false],
])('%s is described in a sentence', (code, message, retryable) => {
  const { failure } = failureOf({ provider: 'groq', model: 'm' }, new CallError(code));
  expect(failure).toEqual({
    code,
    message,
    retryable,
    provider: 'groq',
    model: 'm',
    suggestions: [],
  });
});

test.each([
  ['assemblyai', 'AssemblyAI'],
  ['deepgram', 'Deepgram'],
  ['edge', 'The edge provider'],
  ['openai', 'OpenAI'],
  ['whisperbox', 'whisperbox'],
])('%s is called %s', (provider, name) => {
  const { failure } = failureOf({ provider }, new CallError('provider_rate_limited'));
  expect(failure.message).toBe(`${name} is overloaded.`);
});

test.each([
  [402, ''],
  [429, 'insufficient_quota'],
  [400, 'billing_not_active'],
  [403, 'billing_hard_limit_reached'],
])('status %p with %j means an account without credit', (status, code) => {
  const fault = callErrorOf(status, JSON.stringify({ error: { code } }));
  const { failure } = failureOf({ provider: 'openai' }, fault);
  expect(failure.message).toBe(
    'OpenAI has no credit or quota left for the account of this server.',
  );
  expect(failure.suggestions).toHaveLength(1);
});

test('only temporary failures say when to come back', () => {
  const told = (code: CallErrorCode) =>
    failureOf({ provider: 'openai' }, new CallError(code, { retryAfterMs: 30_000 })).failure
      .suggestions;
  expect(told('provider_rate_limited')).toEqual([{ label: 'Start the run again in 30 seconds' }]);
  expect(told('provider_unauthorized')).toEqual([]);
});

describe('a call that the run ends', () => {
  test('is not a failure of the provider, and is not repeated', async () => {
    const told: ProviderError[] = [];
    onProviderError((fault) => void told.push(fault));
    const controller = new AbortController();
    double.behave(() => {
      controller.abort(new Error('cancelled by its owner'));
      return { fault: 'hang' };
    });
    const made = call({ provider: 'innocent', signal: controller.signal });
    await expect(made).rejects.toThrow('cancelled by its owner');
    expect(told.filter(({ provider }) => provider === 'innocent')).toEqual([]);
    expect(double.requests).toHaveLength(1);
  });

  test('stops looking for an earlier result', async () => {
    const controller = new AbortController();
    double.behave(({ method }) => {
      if (method === 'GET') controller.abort(new Error('cancelled by its owner'));
      return { fault: 'drop' };
    });
    const effect = { url: double.origin, find: () => undefined };
    const made = call({ body: () => 'order', effect, signal: controller.signal });
    await expect(made).rejects.toThrow('cancelled by its owner');
    expect(double.requests.map(({ method }) => method)).toEqual(['POST', 'GET']);
  });
});

test('a connection that breaks before the response is tried four times, a time-out twice', async () => {
  double.behave(() => ({ fault: 'drop' }));
  await expect(call()).rejects.toMatchObject({ failure: { code: 'provider_unavailable' } });
  expect(double.requests).toHaveLength(4);

  const waiting = noWaiting();
  double.behave(() => {
    waiting.runOut();
    return { fault: 'hang' };
  });
  double.requests.length = 0;
  const late = await call({ waiting }).catch((error: unknown) => error);
  // The cause of the fault is kept for the log.
  expect(late).toMatchObject({
    failure: { code: 'provider_timeout' },
    cause: { cause: { name: 'TimeoutError' } },
  });
  expect(double.requests).toHaveLength(2);
});

test('a look-up of an earlier result sends no body, and a failed one finds nothing', async () => {
  double.behave(({ at }) =>
    at === 0 ? { fault: 'drop' } : at === 1 ? new Response('', { status: 500 }) : Response.json(7),
  );
  const effect = { url: `${double.origin}/orders`, find: () => 'found' };
  expect(await call({ body: () => 'order', effect })).toBe(7);
  expect(
    double.requests.map(({ method, url, body }) => [method, url.pathname, String(body)]),
  ).toEqual([
    ['POST', '/', 'order'],
    ['GET', '/orders', ''],
    ['POST', '/', 'order'],
  ]);
});

test('a recording is sent in chunks, and not read further once the call has ended', async () => {
  const controller = new AbortController();
  const closed = Promise.withResolvers<void>();
  async function* recording(): AsyncIterable<Uint8Array> {
    try {
      for (let part = 0; ; part += 1) {
        if (part === 3) controller.abort(new Error('enough'));
        yield new Uint8Array(65_536);
      }
    } finally {
      closed.resolve();
    }
  }
  const made = call({ body: recording, signal: controller.signal });
  await expect(made).rejects.toThrow('enough');
  await closed.promise;
});

test('a model server without a key gets none', async () => {
  double.behave(() => Response.json({ choices: [{ message: { content: 'yes' } }] }));
  const { chat } = chatCompletions({ provider: 'edge', baseUrl: double.origin });
  const asked = { model: 'm', messages: [], timeoutMs: 1000, signal: new AbortController().signal };
  expect(await chat(asked)).toEqual({ text: 'yes', tokens: 0, cut: false });
  const [request] = double.requests;
  expect(request!.header('authorization')).toBeNull();
  expect(request!.header('content-type')).toBe('application/json');
  expect(JSON.parse(String(request!.body))).toEqual({ model: 'm', messages: [] });
});

test.each([
  ['application/json', { json: { a: 1 } }, '', '{"a":1}'],
  [
    'audio/mpeg',
    {
      bytes: new TextEncoder().encode('mp3'),
      mediaType: 'audio/mpeg',
      query: new URLSearchParams({ language: 'en' }),
    },
    '?language=en',
    'mp3',
  ],
] as const)('Workers AI gets %s unchanged', async (type, input, search, body) => {
  double.behave(() => Response.json({ result: 'heard' }));
  const account = { baseUrl: double.origin, accountId: 'acc', apiToken: 'token' };
  const waiting = noWaiting();
  const signal = new AbortController().signal;
  const asked = { provider: 'edge', model: 'm', input, timeoutMs: 5000, signal, waiting };
  expect(await runModel(account, asked)).toBe('heard');
  const [request] = double.requests;
  expect(request!.header('content-type')).toBe(type);
  expect(request!.header('authorization')).toBe('Bearer token');
  expect(request!.url.search).toBe(search);
  expect(String(request!.body)).toBe(body);
  expect(waiting.limits).toEqual([5000]);
});
