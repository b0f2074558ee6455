/** Calls of other services: time limits, retries, limits on answers, failures and their messages. */
import {
  afterAll,
  afterEach,
  beforeEach,
  describe,
  expect,
  type Mock,
  setDefaultTimeout,
  spyOn,
  test,
} from 'bun:test';
import { realTime } from '../../server/base/concurrency.ts';
import { CallError, retryAfterMs } from '../../server/remote/call-error.ts';
import { failureOf } from '../../server/remote/call-failure.ts';
import { callJson, type RemoteCall, onProviderError } from '../../server/remote/call.ts';
import { runModel } from '../../server/remote/workers-ai.ts';
import { StorageUnavailable } from '../../server/storage/outage.ts';
import { startHttpDouble } from '../support/doubles/http-double.ts';
import { noWaiting, type NoWaiting } from '../support/doubles/waiting.ts';

type ProviderError = Parameters<Parameters<typeof onProviderError>[0]>[0];

setDefaultTimeout(300000);

const double = await startHttpDouble(() => Response.json({ heard: true }));
afterAll(() => double.close());
beforeEach(() => {
  double.requests.length = 0;
  double.behave(null);
});
const call = (given: Partial<RemoteCall> = {}) =>
  callJson({
    provider: 'openai',
    url: double.origin,
    timeoutMs: 60_000,
    signal: new AbortController().signal,
    waiting: noWaiting(),
    ...given,
  });

test.each([301, 302, 307, 308])(
  'a redirect (%d) is not followed: the data goes only to the configured host',
  async (status) => {
    const other = await startHttpDouble(() => Response.json({ a: 1 }));
    double.behave(() => new Response(null, { status, headers: { location: other.origin } }));
    await expect(call({ body: () => 'words' })).rejects.toMatchObject({
      failure: { code: expect.stringMatching(/^provider_/) },
    });
    expect(other.requests).toEqual([]);
    await other.close();
  },
);

test.each([
  ['20', 4, [20_000, 20_000, 20_000]],
  ['21', 1, []],
])('a requested pause of %s s is waited for if it is no longer than 20', async (...row) => {
  const [seconds, asked, pauses] = row;
  const waiting = noWaiting();
  double.behave(() => new Response('{}', { status: 503, headers: { 'retry-after': seconds } }));
  await expect(call({ waiting })).rejects.toMatchObject({
    failure: { code: 'provider_unavailable' },
  });
  expect([double.requests.length, waiting.pauses]).toEqual([asked, pauses]);
});

test('a time-out applies to each attempt, not to all together', async () => {
  const waiting = noWaiting();
  double.behave(({ at }) => {
    if (at > 0) return Response.json({});
    waiting.runOut();
    return { fault: 'hang' };
  });
  expect(await call({ waiting })).toEqual({});
});

test('an abort ends the call and its pauses, with its reason', async () => {
  const abort = (after: number) => {
    const controller = new AbortController();
    setTimeout(() => controller.abort(new Error('enough')), after);
    return controller.signal;
  };
  const waiting = realTime;
  double.behave(() => ({ fault: 'hang' }));
  await expect(call({ waiting, signal: abort(50) })).rejects.toThrow('enough');
  double.behave(() => new Response(null, { status: 429, headers: { 'retry-after': '15' } }));
  await expect(call({ waiting, signal: abort(150) })).rejects.toThrow('enough');
});

test('a failure contains nothing that was sent or received', async () => {
  const error = { message: 'secret words', code: 'secret words' };
  double.behave(() => Response.json({ error }, { status: 400 }));
  const sent = { headers: { authorization: 'Bearer secret' }, body: () => 'secret words' };
  const failure = await call(sent).catch((error: { failure: unknown }) => error.failure);
  expect(failure).toEqual({
    code: 'provider_bad_response',
    message: 'OpenAI sent a response that cannot be read.',
    retryable: false,
    provider: 'openai',
    suggestions: [],
    debug: { status: 400 },
  });
});

test.each([
  [{ err_code: 'INVALID_AUTH', err_msg: 'Invalid credentials.' }, 'Invalid credentials.'],
  [{ error: 'Authentication error, API token missing' }, 'Authentication error, API token missing'],
  [
    { error: { message: 'Incorrect API key provided: sk-ab3*****z9Q.\nFind yours at x.example.' } },
    'Incorrect API key provided: … at …',
  ],
  [{ error: { message: 'The key top5secret0key is invalid.' } }, 'The key … is invalid.'],
  [{ errors: [{ message: 'No account for welcome to the talk' }] }, 'No account for … to the …'],
  [{ error: { message: 'no '.repeat(5000) } }, `${'no '.repeat(66)}no`],
  [{ error: { code: 5 } }, undefined],
  ['<html>a page</html>', undefined],
])(
  'the log of the operator learns what a service said, without anything that was sent: %#',
  async (answer, said) => {
    const body = typeof answer === 'string' ? answer : JSON.stringify(answer);
    double.behave(() => new Response(body, { status: 401 }));
    const headers = { authorization: 'Bearer top5secret0key' };
    const failed = await call({ headers }).catch((error: unknown) => error);
    expect(failed).toMatchObject({ failure: { code: 'provider_unauthorized' }, said });
    expect(JSON.stringify((failed as { failure: unknown }).failure)).not.toContain('said');
  },
);

test.each([
  [{ 'retry-after': '2' }, 2000],
  [{ 'retry-after': '0.5' }, 500],
  [{ 'retry-after': 'Thu, 01 Jan 1970 00:00:10 GMT' }, 10_000 - 4000],
  [{ 'retry-after': 'Thu, 01 Jan 1970 00:00:01 GMT' }, 0],
  [{ 'retry-after': 'soon' }, undefined],
  [{ 'retry-after': '-1' }, undefined],
  [{ 'retry-after-ms': '250', 'retry-after': '9' }, 250],
  [{}, undefined],
])('Retry-After %j is %p ms', (headers, expected) => {
  expect(retryAfterMs(new Headers(headers as Record<string, string>), 4000)).toBe(
    expected as never,
  );
});

describe('calls of other services', () => {
  let fetched: Mock<typeof fetch>;
  let waiting: NoWaiting;
  beforeEach(() => {
    fetched = spyOn(globalThis, 'fetch');
    waiting = noWaiting();
  });
  afterEach(() => fetched.mockRestore());

  const call = (given: Partial<RemoteCall> = {}) =>
    callJson({
      provider: 'deepgram',
      url: 'https://service.example/v1',
      timeoutMs: 60_000,
      signal: new AbortController().signal,
      waiting,
      ...given,
    });
  const answering = (answer: () => unknown) =>
    fetched.mockImplementation((async () => answer()) as unknown as typeof fetch);

  /** The only chunk of a body, which says that it has so many bytes. */
  class Chunk extends Uint8Array {
    said = 0;
    override get byteLength(): number {
      return this.said;
    }
  }
  const saying = (bytes: number) => {
    const chunk = new Chunk(Buffer.from('{}'));
    chunk.said = bytes;
    return { ok: true, status: 200, headers: new Headers(), body: [chunk] };
  };

  test('an answer has at most 256 MiB', async () => {
    answering(() => saying(2 ** 28));
    expect(await call()).toEqual({});
    answering(() => saying(2 ** 28 + 1));
    await expect(call()).rejects.toMatchObject({ failure: { code: 'provider_bad_response' } });
  });

  test('a body that is no longer wanted is closed before its connection is', async () => {
    answering(() => saying(2));
    const closing = Promise.withResolvers<IteratorResult<Uint8Array>>();
    const body = () => ({
      [Symbol.asyncIterator]: () => ({
        next: async () => ({ done: false as const, value: new Uint8Array(1) }),
        return: () => closing.promise,
      }),
    });
    await call({ body });
    const stream = fetched.mock.lastCall?.[1]?.body as ReadableStream;
    let isCancelled = false;
    const cancelled = stream.cancel().then(() => (isCancelled = true));
    await new Promise(setImmediate);
    expect(isCancelled).toBe(false);
    closing.resolve({ done: true, value: undefined });
    expect(await cancelled).toBe(true);
  });
});

test('a truncated response is tried twice, since each attempt may cost money', async () => {
  double.behave(() => ({ fault: 'reset' }));
  await expect(call()).rejects.toMatchObject({ failure: { code: 'provider_bad_response' } });
  expect(double.requests).toHaveLength(2);
});

test.each(['Token the-key-123', 'the-key-123'])(
  'the credential %j is not in a response shown by a failure',
  async (authorization) => {
    const answer = { sent: `${authorization} ${authorization}`, again: 'the-key-123' };
    double.behave(() => Response.json(answer, { status: 400 }));
    const error = await call({ headers: { authorization }, reveal: true }).catch(
      (failed: unknown) => failed,
    );
    const shown = JSON.stringify((error as { failure: unknown }).failure);
    expect(shown).toContain('[redacted]');
    expect(shown).not.toContain('the-key-123');
    expect(shown).not.toContain('Token');
  },
);

describe('the error for each response, the number of attempts, and requests to Workers AI', () => {
  const errorOf = (code: string) => JSON.stringify({ error: { code } });

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
  ] as const)(
    'status %p with %j is %s, after %p attempts',
    async (status, body, code, attempts) => {
      double.behave(() => new Response(body, { status }));
      const waiting = noWaiting();
      await expect(call({ waiting })).rejects.toMatchObject({ failure: { code }, isFinal: true });
      expect(double.requests).toHaveLength(attempts);
      expect(waiting.limits).toEqual(Array.from({ length: attempts }, () => 60_000));
    },
  );

  test.each([['audio_unreadable'], ['language_unsupported']] as const)(
    'a refusal that the provider explains as %s is not repeated',
    async (code) => {
      double.behave(() => new Response('', { status: 500 }));
      const refused = call({ readRefusal: () => code });
      await expect(refused).rejects.toMatchObject({ failure: { code } });
      expect(double.requests).toHaveLength(1);
    },
  );

  test('Workers AI is called only at the address of the account; a missing result is not a response', async () => {
    const account = { baseUrl: double.origin, accountId: 'a/b', apiToken: 'token' };
    const { signal } = new AbortController();
    const asked = { provider: 'edge', input: { json: {} }, timeoutMs: 60_000, signal };
    const ask = (model: string) => runModel(account, { ...asked, model, waiting: noWaiting() });
    double.behave(() => Response.json({ success: true, result: { a: 1 } }));
    expect(await ask('@cf/some/model.v1')).toEqual({ a: 1 });
    expect(double.requests[0]!.url.pathname).toBe('/accounts/a%2Fb/ai/run/@cf/some/model.v1');
    double.behave(() => Response.json({ success: true, result: null }));
    await expect(ask('m')).rejects.toMatchObject({ failure: { code: 'provider_bad_response' } });
  });

  test('a call that the run ends is not a failure of the provider, and is not repeated', async () => {
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

  test('a connection that breaks before the response is tried four times, a time-out twice', async () => {
    // Without a connection that is open from before.
    const double = await startHttpDouble(() => ({ fault: 'drop' }));
    const url = double.origin;
    await expect(call({ url })).rejects.toMatchObject({
      failure: { code: 'provider_unavailable' },
    });
    expect(double.requests).toHaveLength(4);

    const waiting = noWaiting();
    double.behave(() => {
      waiting.runOut();
      return { fault: 'hang' };
    });
    double.requests.length = 0;
    const late = await call({ url, waiting }).catch((error: unknown) => error);
    // The cause of the fault is kept for the log.
    expect(late).toMatchObject({
      failure: { code: 'provider_timeout' },
      cause: { cause: { name: 'TimeoutError' } },
    });
    expect(double.requests).toHaveLength(2);
    await double.close();
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

  test('an outage of the store during an upload is the service’s own error, and nothing is sent again', async () => {
    const away = new StorageUnavailable('the store is away');
    const waiting = noWaiting();
    let opened = 0;
    async function* recording(): AsyncIterable<Uint8Array> {
      opened += 1;
      yield new Uint8Array(1000);
      throw away;
    }
    const sent = call({ body: recording, waiting });
    expect(await sent.catch((error: unknown) => error)).toBe(away);
    expect(opened).toBe(1);
    expect(waiting.pauses).toEqual([]);
    expect(double.requests).toEqual([]);
  });

  test.each([0, 1, 11, 12, 30])(
    'a key %p characters before the cut of a long response is not shown in part',
    (before) => {
      const key = 'k3y-of-a-server-0123456789';
      const answer = `${'x'.repeat(64 * 1024 - before)}${key} and more`;
      const fault = new CallError('provider_bad_response', { status: 400, answer });
      const callee = { provider: 'deepgram', reveal: true };
      const { failure } = failureOf(callee, fault, { authorization: `Token ${key}` });
      const raw = String(failure.debug?.['raw']);
      expect(raw).not.toContain('k3y');
      expect(raw.length).toBeLessThanOrEqual(64 * 1024);
      expect(raw).toStartWith('xxx');
    },
  );
});
