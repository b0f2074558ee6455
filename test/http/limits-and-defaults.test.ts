/** Limits, defaults and numbers that other tests do not check, found by mutation testing. */
import { expect, test } from 'bun:test';
import { asProblem, remainingHeaders } from '../../server/http/identity/identity-problem.ts';
import { IdentityError } from '../../server/identity/provider.ts';
import { tooManyAttempts } from '../../server/identity/claims.ts';
import type { Any } from '../support/servers/client.ts';
import { callTool, mountedApp } from '../support/servers/mounted.ts';

const app = await mountedApp();
const ann = await app.signUp('ann@example.com');

test('a successful tool call has isError false', async () => {
  expect((await callTool(app, ann, 'list_runs', {})).isError).toBe(false);
});

/** A payload of exactly this many bytes, padded with white space. */
const payloadOf = (bytes: number): string => {
  const text = JSON.stringify({ audio: { key: 'a.mp3' } });
  return `${text}${' '.repeat(bytes - text.length)}`;
};

test.each([
  [2 ** 20, 202],
  [2 ** 20 + 1, 413],
])('a payload of %p bytes: %p', async (bytes, status) => {
  const answer = await app.ask('/workflows/captioner', {
    method: 'POST',
    key: ann.key,
    headers: { 'content-type': 'application/json' },
    body: payloadOf(bytes),
  });
  expect(answer.status).toBe(status);
});

test('a reached limit has its quota and its window in seconds', async () => {
  const headers = async (error: IdentityError): Promise<unknown> => {
    try {
      return await asProblem(async () => {
        throw error;
      });
    } catch (problem) {
      return (problem as Any).options.headers;
    }
  };
  expect(await headers(tooManyAttempts())).toMatchObject({
    'ratelimit-policy': '"claim-attempts";q=5;w=600',
    ratelimit: expect.stringMatching(/^"claim-attempts";r=0;t=\d+$/),
  });
  const limit = { name: 'registrations', quota: 3, windowSeconds: 3600 };
  expect(await headers(new IdentityError(429, 'rate_limited', 'Wait.', { limit }))).toEqual({
    'ratelimit-policy': '"registrations";q=3;w=3600',
    ratelimit: '"registrations";r=0;t=3600',
  });
  // It may be over sooner than a whole window.
  const sooner = new IdentityError(429, 'rate_limited', 'Wait.', { limit, retryAfter: 90 });
  expect(await headers(sooner)).toMatchObject({
    'retry-after': '90',
    ratelimit: '"registrations";r=0;t=90',
  });
});

test('a limit that is not reached has what is left of it, and when it is whole again', () => {
  const limit = { name: 'registrations', quota: 3, windowSeconds: 3600 };
  expect(remainingHeaders({ ...limit, remaining: 2, resetSeconds: 70 })).toEqual({
    'ratelimit-policy': '"registrations";q=3;w=3600',
    ratelimit: '"registrations";r=2;t=70',
  });
});

test('a claim of a registration that another request is claiming gets Retry-After', async () => {
  const held = new IdentityError(503, 'idp_claim_in_progress', 'This claim is in progress.', {
    retryAfter: 1,
  });
  const mounted = await mountedApp({
    parts: { identity: { complete: () => Promise.reject(held) } as never },
  });
  const answer = await mounted.ask('/agent/auth/claim/complete', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ claim_token: 'clm_1', otp: '123456' }),
  });
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1']);
});

test('progress of a tool call has its token, the fraction and the total', async () => {
  const answer = await app.ask('/mcp', {
    method: 'POST',
    key: ann.key,
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: {
        name: 'caption_audio',
        arguments: { audio: { key: 'nothing.mp3' } },
        _meta: { progressToken: 'p-1' },
      },
    }),
  });
  const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  while (!text.includes('notifications/progress')) {
    const next = await reader.read();
    if (next.done) break;
    text += next.value;
  }
  await reader.cancel();
  const line = text.split('\n').find((one) => one.includes('notifications/progress')) ?? '';
  const { params } = JSON.parse(line.replace(/^data: /, ''));
  expect(params).toMatchObject({ progressToken: 'p-1', total: 1 });
  expect(params.progress).toBeGreaterThanOrEqual(0);
  expect(params.progress).toBeLessThan(1);
});

test.each([
  [{ transcription: { provider: 'nobody' } }, 'transcription.provider'],
  [{ audit: { provider: 'nobody' } }, 'audit.provider'],
])('a run with %j is refused', async (given, path) => {
  const answer = await app.ask('/workflows/captioner', {
    method: 'POST',
    key: ann.key,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ audio: { key: 'a.mp3' }, ...given }),
  });
  const { error } = await answer.json();
  expect(answer.status).toBe(422);
  expect(error.details.map((issue: Any) => issue.path)).toEqual([path]);
});

test('a refusal by the identity provider that may be repeated at once says so', async () => {
  const refusal = new IdentityError(503, 'idp_busy', 'Busy.', { retryAfter: 0 });
  await expect(asProblem(() => Promise.reject(refusal))).rejects.toMatchObject({
    options: { headers: { 'retry-after': '0' } },
  });
});
