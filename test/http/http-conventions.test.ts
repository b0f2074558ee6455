/** HTTP features beyond the contract: request ids, problem details, methods, limits, strict queries. */
import { describe, expect, test } from 'bun:test';
import { requestId } from '../../server/http/request.ts';
import { oneCompletedRun } from '../support/servers/one-completed-run.ts';
import type { Any } from '../support/servers/client.ts';
import { sample } from '../support/sample.ts';
import { mountedApp } from '../support/servers/mounted.ts';

const { app, ann, done, at, get } = await oneCompletedRun();

describe('queries', () => {
  test.each([
    ['/workflows/captioner?limit=0', 'limit'],
    ['/workflows/captioner?limit=1.5', 'limit'],
    ['/workflows/captioner?limit=5&limit=6', 'limit'],
    ['/workflows/captioner?state=nonsense', 'state'],
    ['/workflows/captioner?status=failed', 'status'],
    ['/workflows/captioner?cursor=x', 'cursor'],
    [`${at('')}?state=running`, 'state'],
    [at('/captions.srt?version=best'), 'version'],
    [at('/captions.srt?lang=de'), 'lang'],
    ['/openapi.json?version=2.0', 'version'],
    ['/openapi.json?v=3.1', 'v'],
  ])('%s is refused with the reason', async (path, name) => {
    const answer = await get(path);
    const { error } = await answer.json();
    expect([answer.status, error.code, error.details[0].path]).toEqual([
      422,
      'invalid_payload',
      name,
    ]);
    expect(error.message).toBe(`The query parameter ${name} ${error.details[0].message}.`);
  });

  test('a header that is refused is named as documents spell it', async () => {
    const headers = { 'content-type': 'application/json', 'idempotency-key': 'k'.repeat(256) };
    const body = JSON.stringify({ audio: { key: 'talk.mp3' } });
    const init = { method: 'POST', key: ann.key, headers, body };
    const { error } = await (await app.ask('/workflows/captioner', init)).json();
    expect([error.code, error.details[0].path]).toEqual(['invalid_payload', 'Idempotency-Key']);
  });

  test('a list can be limited to one state', async () => {
    const runs = async (state: string) =>
      (await (await get(`/workflows/captioner?state=${state}`)).json()).runs as Any[];
    expect((await runs('completed')).map(({ runId }) => runId)).toEqual([done.runId]);
    expect(await runs('failed')).toEqual([]);
  });
});

describe('every response has an id', () => {
  test.each(['/', '/health', '/nothing', '/workflows/captioner', '/docs'])('%s', async (path) => {
    const ids = [await app.ask(path), await app.ask(path)].map(
      ({ headers }) => headers.get('x-request-id') ?? '',
    );
    expect(ids[0]).toMatch(/^[\w-]{12}-[a-z0-9]+$/);
    expect(ids[0]).not.toBe(ids[1]);
    const own = await app.ask(path, { headers: { 'x-request-id': 'caller-1' } });
    expect(own.headers.get('x-request-id')).toBe('caller-1');
    const odd = await app.ask(path, { headers: { 'x-request-id': '"; drop' } });
    expect(odd.headers.get('x-request-id')).not.toContain('drop');
  });

  test('that of its sender only if it is fit for a log: 128 characters, and no other text', () => {
    const taken = (id: string): boolean =>
      requestId(new Request('http://host/', { headers: { 'x-request-id': id } })) === id;
    expect(['a'.repeat(128), 'Root=1-2/3@x:y+z.w', 'a'.repeat(129)].map(taken)).toEqual([
      true,
      true,
      false,
    ]);
    expect(['a b', '"a', 'a"', 'ä'].map(taken)).toEqual([false, false, false, false]);
  });

  test('and the log lines about it have that id', async () => {
    await app.ask('/workflows/captioner', { headers: { 'x-request-id': 'traced-7' } });
    const lines = app.log().filter(({ requestId }) => requestId === 'traced-7');
    expect(lines).toMatchObject([{ event: 'protected_request', outcome: 'missing_credential' }]);
  });
});

describe('problem details', () => {
  const problem = { accept: 'application/problem+json' };

  test('are sent to clients that name them', async () => {
    const answer = await get('/workflows/captioner?limit=0', problem);
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
    expect(await answer.json()).toEqual({
      type: 'about:blank',
      title: 'Unprocessable Entity',
      status: 422,
      detail: 'The query parameter limit must be >= 1.',
      code: 'invalid_payload',
      details: [{ path: 'limit', message: 'must be >= 1' }],
    });
    const refused = await app.ask('/audio/a.txt', {
      method: 'PUT',
      key: ann.key,
      headers: problem,
    });
    expect(await refused.json()).toMatchObject({
      status: 415,
      code: 'mp3_required',
      required: { extension: 'mp3' },
    });
    const wrong = await app.ask('/health', { method: 'POST', headers: problem });
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
    const missing = await app.ask('/nothing', { headers: problem });
    expect([missing.status, (await missing.json()).code]).toEqual([404, 'not_found']);
  });

  test.each([
    '*/*',
    'application/*',
    'application/json',
    'application/json, application/problem+json;q=0.5',
  ])('%s gets the error of the contract', async (accept) => {
    const answer = await get('/workflows/captioner?limit=0', { accept });
    expect((await answer.json()).error.code).toBe('invalid_payload');
  });
});

describe('OPTIONS', () => {
  const options = (path: string, headers = {}) => app.ask(path, { method: 'OPTIONS', headers });

  test('lists the methods of an address', async () => {
    const allow = async (path: string) => (await options(path)).headers.get('allow');
    expect(await allow('/workflows/captioner/x')).toBe('GET, DELETE, HEAD, OPTIONS');
    expect(await allow('/audio/talks/a.mp3')).toContain('PUT');
    expect(await allow('/')).toBe('GET, HEAD, OPTIONS');
    expect(await allow(at('/captions.srt'))).toBe('GET, HEAD, OPTIONS');
    expect((await options('/nothing')).status).toBe(404);
    // Otherwise a page could not read the 404 of the request itself.
    const preflight = await options('/nothing', { 'access-control-request-method': 'PUT' });
    expect([preflight.status, preflight.headers.get('allow')]).toEqual([204, null]);
  });

  test('allows pages to send traces, ranges and ids, and to read the response headers', async () => {
    const preflight = await options('/workflows/captioner', {
      origin: 'https://page.example',
      'access-control-request-method': 'POST',
    });
    const may = preflight.headers.get('access-control-allow-headers') ?? '';
    for (const name of ['traceparent', 'tracestate', 'X-Request-Id', 'Range', 'If-Range']) {
      expect(may).toContain(name);
    }
    const shown = preflight.headers.get('access-control-expose-headers') ?? '';
    for (const name of ['Location', 'Retry-After', 'X-Request-Id', 'Content-Disposition']) {
      expect(shown).toContain(name);
    }
  });
});

test('an error is a page only where somebody follows a link', async () => {
  const typeOf = async (method: string) => {
    const answer = await app.ask('/nothing', { method, headers: { accept: 'text/html' } });
    return [answer.status, answer.headers.get('content-type')?.split(';')[0]];
  };
  expect(await typeOf('GET')).toEqual([404, 'text/html']);
  expect(await typeOf('POST')).toEqual([404, 'application/json']);
});

test('HEAD of an export does not write it to learn its length', async () => {
  const head = await app.ask('/workspace/export', { method: 'HEAD', key: ann.key });
  expect([head.status, head.headers.get('content-length')]).toEqual([200, null]);
});

describe('limits', () => {
  test('are in headers before they are reached', async () => {
    const registered = await app.ask('/agent/auth', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        type: 'identity_assertion',
        assertion_type: 'verified_email',
        assertion: 'cleo@example.org',
        requested_credential_type: 'api_key',
      }),
    });
    // Ann has registered from the same address before.
    expect(registered.headers.get('ratelimit-policy')).toBe(
      '"registrations-per-client";q=30;w=3600',
    );
    expect(registered.headers.get('ratelimit')).toMatch(
      /^"registrations-per-client";r=28;t=(3600|35\d\d)$/,
    );
    const stored = await app.ask('/audio/a.mp3', {
      method: 'PUT',
      key: ann.key,
      headers: { 'content-type': 'audio/mpeg' },
      body: await Bun.file(sample).bytes(),
    });
    expect([stored.status, stored.headers.get('ratelimit-policy')]).toEqual([
      200,
      '"uploads";q=16;qu="concurrent-requests"',
    ]);
    expect(stored.headers.get('ratelimit')).toBe('"uploads";r=16');
  });
});

describe('for operators', () => {
  test('requests are counted by method, route and status, with their duration', async () => {
    await get(at(''));
    await app.ask('/nothing/at/all');
    await app.ask('/', { method: 'PROPFIND' });
    const { headers } = await app.ask('/');
    await app.ask('/', { headers: { 'if-none-match': headers.get('etag') ?? '' } });
    const text = await app.services.metrics.expose();
    expect(text).toContain(
      'captioner_http_requests_total{method="GET",route="/workflows/captioner/{runId}",status="200"}',
    );
    expect(text).toContain(
      'captioner_http_requests_total{method="GET",route="(none)",status="404"}',
    );
    expect(text).toContain('captioner_http_requests_total{method="OTHER"');
    expect(text).toContain('captioner_http_requests_total{method="GET",route="/",status="200"}');
    expect(text).toContain('captioner_http_requests_total{method="GET",route="/",status="304"} 1');
    expect(text).toContain(
      'captioner_http_request_seconds_count{method="GET",route="/workflows/captioner/{runId}"}',
    );
    expect(text).not.toContain(done.runId);
    expect(text).not.toContain('/nothing');
  });

  test('readiness is separate from health', async () => {
    const ready = await app.ask('/ready');
    expect([ready.status, await ready.json()]).toEqual([200, { ready: true }]);
    const failing = async () => Promise.reject(new Error('down'));
    const stopped = await mountedApp({ parts: { health: { running: failing } } });
    const answer = await stopped.ask('/ready');
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5']);
    const health = await stopped.ask('/health');
    expect([health.status, await health.json()]).toEqual([200, { ok: false }]);
  });
});
