import { afterAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { callJson } from '../../server/remote/call.ts';
import { retryAfterMs } from '../../server/remote/call-error.ts';
import { noWaiting } from '../support/doubles/waiting.ts';

setDefaultTimeout(300_000);

let respond: (response: ServerResponse, at: number) => void;
let requests = 0;
const server = createServer((request, response) => {
  request.resume();
  respond(response, requests++);
});
await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
beforeEach(() => void (requests = 0));
afterAll(() => {
  server.close();
  server.closeAllConnections();
});

const call = (given: Partial<Parameters<typeof callJson>[0]> = {}) =>
  callJson({
    provider: 'openai',
    url,
    timeoutMs: 60_000,
    signal: new AbortController().signal,
    body: () => 'secret words',
    ...given,
  });

test('returns JSON', async () => {
  respond = (response) => response.end('{"a":[1]}');
  expect(await call()).toEqual({ a: [1] });
});

test('a response over 256 MiB is invalid', async () => {
  const chunk = Buffer.alloc(2 ** 24, 32);
  respond = (response) => {
    const answer = [...Array.from({ length: 17 }, () => chunk), '1'];
    // The caller disconnects before the end.
    pipeline(answer, response).catch(() => {});
  };
  expect(await call().catch(({ failure }) => failure)).toMatchObject({
    code: 'provider_bad_response',
    retryable: false,
  });
});

test('a redirect is not followed: the data goes only to the configured host', async () => {
  let elsewhere = 0;
  const other = createServer((_request, response) => {
    elsewhere += 1;
    response.end('{"a":1}');
  });
  await new Promise<void>((done) => other.listen(0, '127.0.0.1', done));
  const location = `http://127.0.0.1:${(other.address() as AddressInfo).port}/`;
  try {
    for (const status of [301, 302, 307, 308]) {
      respond = (response) => response.writeHead(status, { location }).end();
      await expect(call({ waiting: noWaiting() })).rejects.toMatchObject({
        failure: { code: expect.stringMatching(/^provider_/) },
      });
    }
    expect(elsewhere).toBe(0);
  } finally {
    other.close();
  }
});

test('a requested pause of more than twenty seconds is not waited for', async () => {
  for (const [seconds, asked, pauses] of [
    ['20', 4, [20_000, 20_000, 20_000]],
    ['21', 1, []],
  ] as const) {
    requests = 0;
    const waiting = noWaiting();
    respond = (response) => response.writeHead(503, { 'retry-after': seconds }).end('{}');
    await expect(call({ waiting })).rejects.toMatchObject({
      failure: { code: 'provider_unavailable' },
    });
    expect([requests, waiting.pauses]).toEqual([asked, [...pauses]]);
  }
});

describe('a time-out', () => {
  test('uses the given timer', async () => {
    const waiting = noWaiting();
    respond = () => waiting.runOut();
    const made = call({ timeoutMs: 7000, waiting });
    await expect(made).rejects.toMatchObject({ failure: { code: 'provider_timeout' } });
    expect(waiting.limits).toEqual([7000, 7000]);
    expect(waiting.pauses).toHaveLength(1);
  });

  test('applies before the response starts', async () => {
    const waiting = noWaiting();
    respond = () => waiting.runOut();
    expect(await call({ waiting }).catch(({ failure }) => failure)).toMatchObject({
      code: 'provider_timeout',
      retryable: true,
      message: 'OpenAI took too long to respond.',
    });
    expect(requests).toBe(2);
  });

  test('applies in the middle of the response', async () => {
    respond = (response) => void response.write('{"a":');
    await expect(call({ timeoutMs: 50 })).rejects.toMatchObject({
      failure: { code: 'provider_timeout' },
    });
  });

  test('applies to each attempt, not to all together', async () => {
    const waiting = noWaiting();
    respond = (response, at) => {
      if (at > 0) response.end('{}');
      else waiting.runOut();
    };
    expect(await call({ waiting })).toEqual({});
  });
});

test('an abort ends the call and its pauses, with its reason', async () => {
  const abort = (after: number) => {
    const controller = new AbortController();
    setTimeout(() => controller.abort(new Error('enough')), after);
    return controller.signal;
  };
  respond = () => {};
  await expect(call({ signal: abort(50) })).rejects.toThrow('enough');
  respond = (response) => response.writeHead(429, { 'retry-after': '15' }).end();
  await expect(call({ signal: abort(150) })).rejects.toThrow('enough');
});

test('a failure contains nothing that was sent or received', async () => {
  respond = (response) =>
    response.writeHead(400).end('{"error":{"message":"secret words","code":"secret words"}}');
  const failure = await call({ headers: { authorization: 'Bearer secret' } }).catch(
    (error: { failure: unknown }) => error.failure,
  );
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
