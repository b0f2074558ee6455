/**
 * The body of a response, the pauses between attempts, and the details of failures, over real HTTP.
 */
import { afterAll, beforeEach, expect, setDefaultTimeout, test } from 'bun:test';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { callJson, type RemoteCall } from '../../server/remote/call.ts';
import { unexpectedAnswer } from '../../server/remote/failures.ts';
import { onProviderError, type ProviderError } from '../../server/remote/provider-errors.ts';
import { noWaiting, type NoWaiting } from '../support/doubles/waiting.ts';

setDefaultTimeout(300_000);

let respond: (response: ServerResponse) => void;
let requests = 0;
const server = createServer((request, response) => {
  requests += 1;
  request.on('error', () => {}).resume();
  respond(response);
});
await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
let waiting: NoWaiting;
beforeEach(() => {
  requests = 0;
  waiting = noWaiting();
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
});

const call = (given: Partial<RemoteCall> = {}) =>
  callJson({
    provider: 'deepgram',
    url,
    timeoutMs: 60_000,
    signal: new AbortController().signal,
    waiting,
    ...given,
  });

test('characters divided between two chunks of a response are kept', async () => {
  const bytes = Buffer.from(JSON.stringify({ text: '認証 é 🎙' }));
  respond = (response) => {
    let at = 0;
    const next = (): void => {
      if (at === bytes.length) response.end();
      else response.write(bytes.subarray(at, (at += 1)), () => setImmediate(next));
    };
    next();
  };
  expect(await call()).toEqual({ text: '認証 é 🎙' });
});

test('the pause requested by a service is observed; our own pauses grow', async () => {
  respond = (response) => response.writeHead(429, { 'retry-after': '20' }).end();
  await expect(call()).rejects.toMatchObject({ failure: { retryable: true } });
  expect(waiting.pauses).toEqual([20_000, 20_000, 20_000]);

  waiting = noWaiting();
  respond = (response) => response.writeHead(429, { 'retry-after': '20.001' }).end();
  await expect(call()).rejects.toMatchObject({
    failure: { suggestions: [{ label: 'Start the run again in 21 seconds' }] },
  });
  expect(waiting.pauses).toEqual([]);

  waiting = noWaiting();
  respond = (response) => response.writeHead(503).end();
  await expect(call()).rejects.toMatchObject({ failure: { code: 'provider_unavailable' } });
  for (const [at, pause] of waiting.pauses.entries()) {
    expect(pause).toBeGreaterThanOrEqual(150 * 3 ** at);
    expect(pause).toBeLessThanOrEqual(450 * 3 ** at);
  }
});

test('a truncated response is tried twice, since each attempt may cost money', async () => {
  respond = (response) => {
    response.writeHead(200, { 'content-length': 100 });
    response.write('{"half":', () => response.destroy());
  };
  await expect(call()).rejects.toMatchObject({ failure: { code: 'provider_bad_response' } });
  expect(requests).toBe(2);
});

test('each failed attempt is reported, with its provider', async () => {
  const told: ProviderError[] = [];
  onProviderError((fault) => void told.push(fault));
  respond = (response) => response.writeHead(504).end();
  await expect(call({ provider: 'a-provider' })).rejects.toMatchObject({
    failure: { code: 'provider_timeout', retryable: true },
  });
  const fault = { provider: 'a-provider', code: 'provider_timeout' };
  expect(told.filter(({ provider }) => provider === 'a-provider')).toEqual([fault, fault]);
});

test.each(['Token the-key-123', 'the-key-123'])(
  'the credential %j is not in a response shown by a failure',
  async (authorization) => {
    const answer = { sent: `${authorization} ${authorization}`, again: 'the-key-123' };
    respond = (response) => response.writeHead(400).end(JSON.stringify(answer));
    const error = await call({ headers: { authorization }, reveal: true }).catch(
      (failed: unknown) => failed,
    );
    const shown = JSON.stringify((error as { failure: unknown }).failure);
    expect(shown).toContain('[redacted]');
    expect(shown).not.toContain('the-key-123');
    expect(shown).not.toContain('Token');
  },
);

test('an unexpected response is shown on request, even if it cannot be serialised', () => {
  const callee = { provider: 'deepgram', reveal: true };
  expect(unexpectedAnswer(callee, { a: 1 }).failure.debug).toEqual({ raw: { a: 1 } });
  expect(unexpectedAnswer({ provider: 'deepgram' }, { a: 1 }).failure.debug).toBeUndefined();
  const circular: { self?: unknown } = {};
  circular.self = circular;
  expect(unexpectedAnswer(callee, circular).failure.code).toBe('provider_bad_response');
});
