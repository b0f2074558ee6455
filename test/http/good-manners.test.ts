/** What HTTP clients expect beyond the contract: where a run is and when to look again, tags, parts, compression, ids, problem details. */
import { describe, expect, test } from 'bun:test';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { fileAnswer } from '../../server/http/file-answer.ts';
import { secondsToNextLook } from '../../server/http/run-pace.ts';
import { completedRun, spoken } from '../support/servers/completed-run.ts';
import type { Any } from '../support/servers/client.ts';
import { sample } from '../support/sample.ts';
import { mountedApp } from '../support/servers/mounted.ts';

const app = await mountedApp();
const ann = await app.signUp('ann@example.com');
const words = spoken('We signed in with AuthKit and then we uploaded the talk. '.repeat(20));
const done = await completedRun(app.services.database, ann.organizationId, words);
const at = (path: string) => `/workflows/captioner/${done.runId}${path}`;
const get = (path: string, headers: Record<string, string> = {}) =>
  app.ask(path, { key: ann.key, headers });
const start = async (): Promise<Response> =>
  app.ask('/workflows/captioner', {
    method: 'POST',
    key: ann.key,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ audio: { key: 'talk.mp3' } }),
  });

describe('a run', () => {
  test('that was accepted says where it is and when to look; so does each look until it ends', async () => {
    const accepted = await start();
    const { runId } = await accepted.json();
    expect(accepted.headers.get('location')).toBe(
      `http://localhost:3000/workflows/captioner/${runId}`,
    );
    expect(accepted.headers.get('retry-after')).toBe('2');
    const look = await get(`/workflows/captioner/${runId}`);
    expect(look.headers.get('retry-after')).toBe('2');
    const early = await get(`/workflows/captioner/${runId}/captions.srt`);
    expect([early.status, early.headers.get('retry-after')]).toEqual([409, '2']);
    const same = { 'if-none-match': look.headers.get('etag') ?? '' };
    const unchanged = await get(`/workflows/captioner/${runId}`, same);
    expect([unchanged.status, unchanged.headers.get('retry-after')]).toEqual([304, '2']);
    const cancelled = await app.ask(`/workflows/captioner/${runId}`, {
      method: 'DELETE',
      key: ann.key,
    });
    expect(cancelled.headers.get('location')).toEndWith(`/workflows/captioner/${runId}`);
    const ended = await get(`/workflows/captioner/${runId}`, same);
    expect([ended.status, ended.headers.has('retry-after')]).toEqual([200, false]);
  });

  test('that has ended has a tag, and goes out compressed to those who like that', async () => {
    const plain = await get(at(''));
    const etag = plain.headers.get('etag') ?? '';
    expect(plain.headers.get('content-encoding')).toBeNull();
    expect(plain.headers.get('cache-control')).toBe('no-store');
    const text = await plain.text();
    const coded = await get(at(''), { 'accept-encoding': 'br, gzip' });
    expect(coded.headers.get('content-encoding')).toBe('gzip');
    expect(coded.headers.get('vary')).toContain('Accept-Encoding');
    expect(coded.headers.get('etag')).not.toBe(etag);
    const bytes = new Uint8Array(await coded.arrayBuffer());
    expect(bytes.byteLength).toBeLessThan(text.length / 3);
    expect(gunzipSync(bytes).toString('utf8')).toBe(text);
    expect((await get(at(''), { 'if-none-match': etag })).status).toBe(304);
    const codedTag = coded.headers.get('etag') ?? '';
    const headers = { 'if-none-match': codedTag, 'accept-encoding': 'gzip' };
    expect((await get(at(''), headers)).status).toBe(304);
    expect((await get(at(''), { 'if-none-match': '"other"' })).status).toBe(200);
  });

  test.each([
    [null, 0, 2],
    [0, 0.5, 3],
    [0, 0.99, 1],
    [0, 0.001, 30],
  ])('started %p at %p: look again after %p s', (startedAt, progress, seconds) => {
    const run = { startedAt, progress, finishedAt: null };
    expect(secondsToNextLook(run, 10_000)).toBe(seconds);
  });
});

describe('captions as a file', () => {
  test('have a name, a tag and may be fetched in parts', async () => {
    const whole = await get(at('/captions.srt'));
    const text = await whole.text();
    expect(whole.headers.get('content-disposition')).toBe(
      `attachment; filename="talk.srt"; filename*=UTF-8''talk.srt`,
    );
    expect(whole.headers.get('accept-ranges')).toBe('bytes');
    const etag = whole.headers.get('etag') ?? '';
    expect((await get(at('/captions.srt'), { 'if-none-match': etag })).status).toBe(304);
    const part = await get(at('/captions.srt'), { range: 'bytes=3-9', 'accept-encoding': 'gzip' });
    expect([part.status, await part.text()]).toEqual([206, text.slice(3, 10)]);
    expect(part.headers.get('content-range')).toBe(`bytes 3-9/${text.length}`);
    const stale = await get(at('/captions.srt'), { range: 'bytes=3-9', 'if-range': '"old"' });
    expect(stale.status).toBe(200);
    const beyond = await get(at('/captions.srt'), { range: `bytes=${text.length}-` });
    expect([beyond.status, beyond.headers.get('content-range')]).toEqual([
      416,
      `bytes */${text.length}`,
    ]);
    expect((await beyond.json()).error.code).toBe('range_not_satisfiable');
    const head = await app.ask(at('/captions.srt'), {
      method: 'HEAD',
      key: ann.key,
      headers: { range: 'bytes=0-1' },
    });
    expect([head.status, head.headers.get('content-length')]).toEqual([200, String(text.length)]);
  });

  test('any part that is asked for is that part of the whole, and never more', () => {
    const text = 'WEBVTT\n\n00:00:00.000 --> 00:00:02.000\nWelcome.\n';
    const file = { text, type: 'text/vtt', name: 'a.vtt' };
    fc.assert(
      fc.property(fc.nat(60), fc.option(fc.nat(60)), (first, last) => {
        const headers = { range: `bytes=${first}-${last ?? ''}` };
        const ask = () => fileAnswer(new Request('http://a.example', { headers }), file);
        if (last !== null && last < first) return expect(ask().status).toBe(200);
        if (first >= text.length) return expect(ask).toThrow(`${text.length} bytes`);
        const { status, headers: told } = ask();
        const end = Math.min(last ?? text.length - 1, text.length - 1);
        return expect([status, told.get('content-range')]).toEqual([
          206,
          `bytes ${first}-${end}/${text.length}`,
        ]);
      }),
      { numRuns: 100 },
    );
  });

  test.each([
    ['Rede "Ä" 100%.mp3', `filename="Rede ___ 100_.srt"`, 'Rede%20%22%C3%84%22%20100%25.srt'],
    ["it's (1).mp3", `filename="it's (1).srt"`, 'it%27s%20%281%29.srt'],
  ])('are named after %s', (name, ascii, whole) => {
    const answer = fileAnswer(new Request('http://a.example'), {
      text: 'x',
      type: 'text/plain',
      name: name.replace('.mp3', '.srt'),
    });
    const told = answer.headers.get('content-disposition') ?? '';
    expect(told).toContain(ascii);
    expect(told).toContain(`filename*=UTF-8''${whole}`);
  });

  test('a format that there is not is named as such', async () => {
    const answer = await get(at('/captions.docx'));
    const { error } = await answer.json();
    expect([answer.status, error.code]).toEqual([404, 'unknown_format']);
    expect(error.message).toContain('srt, vtt');
  });
});

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
  ])('%s is refused, and told why', async (path, name) => {
    const answer = await get(path);
    const { error } = await answer.json();
    expect([answer.status, error.code, error.details[0].path]).toEqual([
      422,
      'invalid_payload',
      name,
    ]);
  });

  test('a list may be of one state', async () => {
    const runs = async (state: string) =>
      (await (await get(`/workflows/captioner?state=${state}`)).json()).runs as Any[];
    expect((await runs('completed')).map(({ runId }) => runId)).toEqual([done.runId]);
    expect(await runs('failed')).toEqual([]);
    expect((await runs('cancelled')).length).toBe(1);
  });
});

describe('every answer has an id', () => {
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

  test('and the log lines about it have that id', async () => {
    await app.ask('/workflows/captioner', { headers: { 'x-request-id': 'traced-7' } });
    const lines = app.log().filter(({ requestId }) => requestId === 'traced-7');
    expect(lines).toMatchObject([{ event: 'protected_request', outcome: 'missing_credential' }]);
  });
});

describe('problem details', () => {
  const problem = { accept: 'application/problem+json' };

  test('for those who name them', async () => {
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

  test('tells the methods of an address', async () => {
    const allow = async (path: string) => (await options(path)).headers.get('allow');
    expect(await allow('/workflows/captioner/x')).toBe('GET, DELETE, HEAD, OPTIONS');
    expect(await allow('/audio/talks/a.mp3')).toContain('PUT');
    expect(await allow('/')).toBe('GET, HEAD, OPTIONS');
    expect(await allow(at('/captions.srt'))).toBe('GET, HEAD, OPTIONS');
    expect((await options('/nothing')).status).toBe(404);
  });

  test('lets pages send a trace, a part and an id, and read what answers tell', async () => {
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

describe('limits', () => {
  test('are told before they are reached', async () => {
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
    // Ann has registered from the same client before.
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

describe('what operators see', () => {
  test('requests by method, route and status, and how long they took', async () => {
    await get(at(''));
    await app.ask('/nothing/at/all');
    await app.ask('/', { method: 'PROPFIND' });
    const text = await app.services.metrics.expose();
    expect(text).toContain(
      'captioner_http_requests_total{method="GET",route="/workflows/captioner/{runId}",status="200"}',
    );
    expect(text).toContain(
      'captioner_http_requests_total{method="GET",route="(none)",status="404"}',
    );
    expect(text).toContain('captioner_http_requests_total{method="OTHER"');
    expect(text).toContain('captioner_http_requests_total{method="GET",route="/",status="200"}');
    expect(text).toContain(
      'captioner_http_request_seconds_count{method="GET",route="/workflows/captioner/{runId}"}',
    );
    expect(text).not.toContain(done.runId);
    expect(text).not.toContain('/nothing');
  });

  test('readiness, apart from health', async () => {
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
