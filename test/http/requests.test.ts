/** The wire: how requests are read. */
import { describe, expect, test } from 'bun:test';
import { clientAddress, requestId, publicAddress } from '../../server/http/request.ts';
import { mountedApp } from '../support/servers/mounted.ts';
import { oneCompletedRun } from '../support/servers/one-completed-run.ts';
import { sample } from '../support/sample.ts';
import { told } from '../support/servers/client.ts';
import { problemOf } from '../../server/http/route-table.ts';
import { toProblem, Problem } from '../../server/http/problems.ts';
import { createLog } from '../../server/base/log.ts';
import { StorageUnavailable } from '../../server/storage/outage.ts';
import { refusalOf, statusAndCode } from '../support/refusal-of.ts';
import { saveReview } from '../../server/http/reviews/review-requests.ts';

describe('routes match only their exact path, so that a proxy that filters by path cannot be bypassed', async () => {
  const app = await mountedApp({ env: { METRICS_TOKEN: 'operators-only-0123456789' } });
  const { key } = await app.signUp('ann@example.com');

  /** All routes that answer GET, with the response to a valid key at the exact path. */
  const ROUTES = `
    / /auth /auth.md /guide /limits /privacy /docs /app /health /metrics /llms.txt /robots.txt
    /sitemap.xml /openapi.json /terminology/packs /skills/captioner/SKILL.md /workflows/captioner
    /.well-known/api-catalog /.well-known/oauth-protected-resource
    /.well-known/oauth-authorization-server /.well-known/mcp/server-card.json
    /.well-known/agent-skills/index.json
  `
    .trim()
    .split(/\s+/);

  /** Other spellings of the same path. */
  const OTHERWISE: ((path: string) => string)[] = [
    (path) => `${path}/`,
    (path) => `/${path}`,
    (path) => `${path}//`,
    (path) => `/.${path}`,
    (path) => `/x/..${path}`,
    (path) => `/audio/..${path}`,
    (path) => `/%2e${path}`,
    (path) => `${path}/.`,
    (path) => `${path}%2f`,
    (path) => `${path}%00`,
    (path) => `${path};x`,
    (path) => `${path}.`,
    (path) => `/%${path.charCodeAt(1).toString(16)}${path.slice(2)}`,
    (path) => `/x\\..${path}`,
  ];

  /** Requests whose path is not resolved in advance, as Deno passes them on. */
  const unresolved = (path: string): Request => {
    const request = new Request('http://localhost:3000/', {
      headers: { authorization: `Bearer ${key}` },
    });
    Object.defineProperty(request, 'url', { value: `http://localhost:3000${path}` });
    return request;
  };

  test.each(ROUTES)('%s matches only its exact path', async (path) => {
    expect([200, 401]).toContain((await app.ask(path, { key })).status);
    for (const write of OTHERWISE) {
      const other = path === '/' ? write('/health') : write(path);
      if (other === '//') continue;
      const answer = await app.answer(unresolved(other));
      expect([other, [400, 404, 405].includes(answer.status)]).toEqual([other, true]);
      await answer.body?.cancel();
    }
  });
});

describe('the base URL in documents, challenges and links: the address the client used, or BASE_URL', async () => {
  const local = await mountedApp();
  const proxied = await mountedApp({ env: { TRUST_PROXY: 'on' } });
  const named = await mountedApp({
    env: { BASE_URL: 'https://captions.example', TRUST_PROXY: 'on' },
  });

  const PATHS = `
    / /auth.md /llms.txt /robots.txt /sitemap.xml /openapi.json /.well-known/api-catalog
    /.well-known/oauth-protected-resource /.well-known/oauth-authorization-server
    /.well-known/mcp/server-card.json /.well-known/agent-skills/index.json
    /skills/captioner/SKILL.md
  `
    .trim()
    .split(/\s+/);
  const FORWARDED = {
    host: 'inner.invalid:3000',
    'x-forwarded-host': 'evil.example, talks.example',
    'x-forwarded-proto': 'http, https',
  };

  test.each(PATHS)(
    '%s names the address that the client or the nearest proxy used, or BASE_URL',
    async (path) => {
      const expectNamed = async (
        app: typeof local,
        headers: Record<string, string>,
        name: string,
        others: RegExp,
      ) => {
        const response = await app.ask(path, { headers });
        expect(response.status).toBe(200);
        const text = (await response.text()) + (response.headers.get('link') ?? '');
        expect(text).toContain(name);
        expect(text).not.toMatch(others);
      };
      const direct = { host: '127.0.0.1:3000', 'x-forwarded-host': 'evil.example' };
      await expectNamed(local, direct, 'http://127.0.0.1:3000', /evil\.example/);
      const inner = /evil\.example|inner\.invalid|localhost/;
      await expectNamed(proxied, FORWARDED, 'https://talks.example', inner);
      const outer = /evil\.example|inner\.invalid|talks\.example/;
      await expectNamed(named, FORWARDED, 'https://captions.example', outer);
    },
  );

  describe('caches', () => {
    test('see in Vary what a document depends on', async () => {
      const vary = async (app: typeof local, headers = {}) =>
        (await app.ask('/', { headers })).headers.get('vary');
      expect(await vary(local)).toBe('Accept, Accept-Language, Accept-Encoding, Host');
      expect(await vary(proxied)).toBe(
        'Accept, Accept-Language, Accept-Encoding, Host, X-Forwarded-Host, X-Forwarded-Proto',
      );
      expect(await vary(named)).toBe('Accept, Accept-Language, Accept-Encoding');
    });

    test('never store one address under the tag of another', async () => {
      const tag = async (host: string) =>
        (await local.ask('/openapi.json', { headers: { host } })).headers.get('etag') ?? '';
      const ours = await tag('a.example');
      expect(await tag('b.example')).not.toBe(ours);
      const headers = { host: 'b.example', 'if-none-match': ours };
      const again = await local.ask('/openapi.json', { headers });
      expect(again.status).toBe(200);
    });
  });

  test('a flood of hosts creates few renderings; the rest get the standard address', async () => {
    const app = await mountedApp();
    const named: string[] = [];
    for (let each = 0; each < 40; each += 1) {
      const response = await app.ask('/robots.txt', { headers: { host: `h${each}.example` } });
      named.push(/Sitemap: (.*)\/sitemap/.exec(await response.text())?.[1] ?? '');
    }
    expect(named.filter((address) => address !== 'http://localhost:3000')).toHaveLength(12);
    expect(named[0]).toBe('http://h0.example');
    expect(named.at(-1)).toBe('http://localhost:3000');
    const kept = await app.ask('/robots.txt', { headers: { host: 'h3.example' } });
    expect(await kept.text()).toContain('http://h3.example/');
  });

  describe('a Host', () => {
    const address = publicAddress({ baseUrl: 'http://localhost:3000', baseUrlIsSet: false });
    const of = (host: string) => address.of({ headers: new Headers({ host }) } as Request);

    test.each([
      ['Captions.Example', 'http://captions.example'],
      ['captions.example:80', 'http://captions.example'],
      ['captions.example:8080', 'http://captions.example:8080'],
      ['[::1]:3000', 'http://[::1]:3000'],
      ['captions.example.', 'http://captions.example.'],
      [`${'a'.repeat(63)}.example`, `http://${'a'.repeat(63)}.example`],
      ['web', 'http://web'],
    ])('%s is %s', (host, expected) => expect(of(host)).toBe(expected));

    test.each([
      '',
      'a b',
      'a"b',
      "a'b",
      '<script>',
      'a/b',
      'a\\b',
      'user@evil.example',
      'evil.example:0x50',
      'evil.example:70000',
      'evil.example:-1',
      'evil..example',
      `${'a'.repeat(64)}.example`,
      'a.'.repeat(200),
      '[::1',
      '[evil]',
      'a,b',
      '%65vil.example',
      'evil.example#',
    ])('%j is ignored', (host) => expect(of(host)).toBe('http://localhost:3000'));
  });

  test('the scheme is the one that the nearest proxy names, in any case, for each request', () => {
    const { of } = publicAddress({ baseUrl: '', baseUrlIsSet: false, trustProxy: true });
    const at = (scheme: string) =>
      of(new Request('http://x', { headers: { host: 'a.example', 'x-forwarded-proto': scheme } }));
    const asked = ['http', 'https', 'HTTPS', 'http'];
    expect(asked.map(at)).toEqual(asked.map((scheme) => `${scheme.toLowerCase()}://a.example`));
  });

  test('behind a proxy, the name that the proxy received is our own', () => {
    const proxy = publicAddress({ baseUrl: '', baseUrlIsSet: false, trustProxy: true });
    const request = new Request('http://x', { headers: { host: 'a.example' } });
    expect(proxy.isOwnOrigin(request, 'http://a.example')).toBe(true);
    expect(proxy.isOwnOrigin(request, 'http://b.example')).toBe(false);
  });
});

const request = (forwarded?: string) =>
  new Request('http://x/', { headers: forwarded ? { 'x-forwarded-for': forwarded } : {} });

describe('behind a proxy', () => {
  const address = clientAddress(() => '10.0.0.1', true);
  test.each([
    ['198.51.100.7', '198.51.100.7'],
    ['203.0.113.9, 198.51.100.7', '198.51.100.7'],
    ['192.0.2.1, 203.0.113.9, 198.51.100.7', '198.51.100.7'],
    ['198.51.100.7:4711', '198.51.100.7'],
    ['2001:db8::7', '2001:db8::7'],
    ['[2001:db8::7]:4711', '2001:db8::7'],
    ['[2001:db8::7]', '2001:db8::7'],
    ['unknown', '10.0.0.1'],
    ['198.51.100.7, <script>', '10.0.0.1'],
    ['', '10.0.0.1'],
  ])('%j is %s', (forwarded, expected) => expect(address(request(forwarded))).toBe(expected));
});

// HTTP features beyond the contract: request ids, problem details, methods, limits, strict queries.
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
});

test('every response has an id, that of its sender if it is fit for a log', async () => {
  for (const path of ['/', '/health', '/nothing', '/workflows/captioner', '/docs']) {
    const idOf = async (headers = {}) =>
      (await app.ask(path, { headers })).headers.get('x-request-id') ?? '';
    const first = await idOf();
    expect(first).toMatch(/^[\w-]{12}-[a-z0-9]+$/);
    expect(await idOf()).not.toBe(first);
    expect(await idOf({ 'x-request-id': 'caller-1' })).toBe('caller-1');
    expect(await idOf({ 'x-request-id': '"; drop' })).not.toContain('drop');
  }
  const taken = (id: string): boolean =>
    requestId(new Request('http://host/', { headers: { 'x-request-id': id } })) === id;
  expect(['a'.repeat(128), 'Root=1-2/3@x:y+z.w'].filter(taken)).toHaveLength(2);
  expect(['a'.repeat(129), 'a b', '"a', 'a"', 'ä'].filter(taken)).toEqual([]);
});

test('problem details are sent to clients that name them', async () => {
  const headers = { accept: 'application/problem+json' };
  const answer = await get('/workflows/captioner?limit=0', headers);
  expect(answer.headers.get('content-type')).toBe('application/problem+json');
  expect(await answer.json()).toEqual({
    type: 'about:blank',
    title: 'Unprocessable Entity',
    status: 422,
    detail: 'The query parameter limit must be >= 1.',
    code: 'invalid_payload',
    details: [{ path: 'limit', message: 'must be >= 1' }],
  });
  const refused = await app.ask('/audio/a.txt', { method: 'PUT', key: ann.key, headers });
  const required = { extension: 'mp3' };
  expect(await refused.json()).toMatchObject({ status: 415, code: 'mp3_required', required });
  const wrong = await app.ask('/health', { method: 'POST', headers });
  expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
  expect(await told(app.ask('/nothing', { headers }))).toBe('404 not_found');
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

test('limits are in headers before they are reached', async () => {
  const json = {
    type: 'identity_assertion',
    assertion_type: 'verified_email',
    assertion: 'cleo@example.org',
    requested_credential_type: 'api_key',
  };
  const registered = (await app.ask('/agent/auth', { json })).headers;
  // Ann has registered from the same address before.
  const name = '"registrations-per-client"';
  expect(registered.get('ratelimit-policy')).toBe(`${name};q=30;w=3600`);
  expect(registered.get('ratelimit')).toMatch(new RegExp(`^${name};r=28;t=(3600|35\\d\\d)$`));
  const body = await Bun.file(sample).bytes();
  const stored = await app.ask('/audio/a.mp3', { method: 'PUT', key: ann.key, body });
  expect(stored.status).toBe(200);
  expect(stored.headers.get('ratelimit-policy')).toBe('"uploads";q=16;qu="concurrent-requests"');
  expect(stored.headers.get('ratelimit')).toBe('"uploads";r=16');
});

describe('for operators', () => {
  test('requests are counted by method, route and status, with their duration', async () => {
    await get(at(''));
    await app.ask('/nothing/at/all');
    await app.ask('/', { method: 'PROPFIND' });
    const { headers } = await app.ask('/');
    await app.ask('/', { headers: { 'if-none-match': headers.get('etag') ?? '' } });
    const text = await app.services.metrics.expose();
    for (const line of [
      'requests_total{method="GET",route="/workflows/captioner/{runId}",status="200"}',
      'requests_total{method="GET",route="(none)",status="404"}',
      'requests_total{method="OTHER"',
      'requests_total{method="GET",route="/",status="200"}',
      'requests_total{method="GET",route="/",status="304"} 1',
      'request_seconds_count{method="GET",route="/workflows/captioner/{runId}"}',
    ]) {
      expect(text).toContain(`captioner_http_${line}`);
    }
    expect(text).not.toContain(done.runId);
    expect(text).not.toContain('/nothing');
  });

  test('readiness is separate from health', async () => {
    const ready = await app.ask('/ready');
    expect([ready.status, await ready.json()]).toEqual([200, { ready: true }]);
    const failing = async () => Promise.reject(new Error('down'));
    const parts = { health: { running: failing }, readiness: { running: failing } };
    const stopped = await mountedApp({ parts });
    const answer = await stopped.ask('/ready');
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5']);
    const health = await stopped.ask('/health');
    expect([health.status, await health.json()]).toEqual([200, { ok: false }]);
  });
});

// Single parts of the HTTP layer: registration bodies, webhooks, ranges and headers.
describe('a review', () => {
  const save = (outcome: object, state = 'completed') =>
    refusalOf(
      saveReview(
        { stored: { saveReview: async () => outcome } } as never,
        { id: 'r', state } as never,
        {} as never,
        null,
      ),
    );

  test('of a run that was erased in the meantime is refused as such', async () => {
    expect(await save({ outcome: 'no-run' })).toEqual([404, 'run_not_found']);
    expect(await save({ outcome: 'stale', tag: 'a' })).toEqual([428, 'precondition_required']);
    expect(await save({ outcome: 'stale', tag: null })).toEqual([412, 'precondition_failed']);
    expect(await save({ outcome: 'saved' }, 'failed')).toEqual([409, 'captions_not_ready']);
  });
});

describe('an error', () => {
  const lines: string[] = [];
  const log = createLog('debug', (line) => lines.push(line));

  test('of an unavailable database is 503, any other is 500', () => {
    const away = new StorageUnavailable('away', { cause: null });
    expect(statusAndCode(toProblem(away, 'GET /x', log))).toEqual([503, 'unavailable']);
    expect(statusAndCode(toProblem(new Error('bug'), 'GET /x', log))).toEqual([500, 'internal']);
  });

  test('of a client that disconnected is not a failure of the service; any other is', () => {
    const gone = new DOMException('gone', 'AbortError');
    const problem = (error: Error, signal: AbortSignal) => {
      const request = { method: 'POST', signal } as Request;
      const failed = { error, code: 'UNKNOWN', request, route: '/x' };
      return statusAndCode(problemOf(failed, Problem.notFound, log));
    };
    lines.length = 0;
    expect(problem(gone, AbortSignal.abort())).toEqual([400, 'incomplete_request']);
    expect(lines.join('')).not.toContain('request_failed');
    expect(problem(gone, new AbortController().signal)).toEqual([500, 'internal']);
    expect(problem(new Error('bug'), AbortSignal.abort())).toEqual([500, 'internal']);
  });
});
