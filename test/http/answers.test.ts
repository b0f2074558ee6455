/** The wire: how answers are written. */
import * as fc from 'fast-check';
import { describe, expect, setDefaultTimeout, test, afterEach, beforeEach, jest } from 'bun:test';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ErrorResponse } from '../../server/contract/failure.ts';
import { validator } from '../../server/contract/schema.ts';
import { signUp, type Any } from '../support/servers/client.ts';
import { sample } from '../support/sample.ts';
import { logged } from '../support/servers/server-process.ts';
import { testServer } from '../support/servers/test-server.ts';
import { prefers, matchesEntityTag } from '../../server/http/negotiate.ts';
import { mountedApp } from '../support/servers/mounted.ts';
import { streamed } from '../../server/http/streamed.ts';
import { fileResponse } from '../../server/http/runs/file-response.ts';
import { heldText } from '../support/held-text.ts';
import { refusalOf } from '../support/refusal-of.ts';

setDefaultTimeout(300_000);

describe('error responses of unknown paths and methods: JSON for programs, a page for people', async () => {
  const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

  const server = await testServer();
  const ann = await signUp(server, 'ann@example.com');

  const ask = (path: string, accept = '*/*', method = 'GET') =>
    fetch(`${server.url}${path}`, { method, headers: { accept } });

  test.each([
    ['/nothing', 'GET', 404, 'not_found'],
    ['/nothing', 'POST', 404, 'not_found'],
    ['/workflows/captioner/run_1', 'GET', 401, 'missing_credential'],
    ['/workflows/captioner/run_1/captions.srt/more', 'GET', 404, 'not_found'],
    ['/%', 'GET', 404, 'not_found'],
  ])('for programs %s by %s is %i %s', async (path, method, status, code) => {
    const response = await ask(path, '*/*', method);
    const body = await response.json();
    expect([response.status, body.error.code]).toEqual([status, code]);
    expect(response.headers.get('content-type')).toContain('application/json');
    expect(validator(ErrorResponse).issues(body)).toEqual([]);
  });

  test.each([
    ['/', 'POST', 'GET, HEAD, OPTIONS'],
    ['/health', 'PUT', 'GET, HEAD, OPTIONS'],
    ['/agent/auth', 'GET', 'POST, OPTIONS'],
    ['/audio/talks/a.mp3', 'GET', 'PUT, DELETE, OPTIONS'],
    ['/workflows/captioner', 'PUT', 'POST, GET, HEAD, OPTIONS'],
    ['/workflows/captioner/run_1', 'POST', 'GET, DELETE, HEAD, OPTIONS'],
  ])('%s does not support %s, and lists what it supports', async (path, method, allow) => {
    const response = await ask(path, '*/*', method);
    expect([response.status, response.headers.get('allow')]).toEqual([405, allow]);
    expect((await response.json()).error.code).toBe('method_not_allowed');
  });

  test.each([
    ['/nothing', 404, 'Page not found'],
    ['/workflows/captioner/run_1', 401, 'A key is needed'],
    ['/agent/auth', 405, 'This address is not a page'],
  ])('for people %s is a page with status %i and links', async (path, status, title) => {
    const response = await ask(path, BROWSER);
    expect(response.status).toBe(status);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(response.headers.get('cache-control')).toBe('no-store');
    const html = await response.text();
    for (const part of [
      `>${title}</h1>`,
      `href="${server.url}/auth"`,
      '<meta name="robots" content="noindex">',
    ]) {
      expect(html).toContain(part);
    }
    expect(html).not.toContain('\uE000');
  });

  test.each([
    ['/nothing', 404],
    ['/health', 200],
    ['/workflows/captioner', 401],
    ['/agent/auth', 405],
  ])('HEAD %s: %i and no body', async (path, status) => {
    const response = await ask(path, '*/*', 'HEAD');
    expect([response.status, await response.text()]).toEqual([status, '']);
  });

  test('HEAD of an event stream ends immediately', async () => {
    const { runId } = await (await ann.start({ audio: { key: 'missing.mp3' } })).json();
    const response = await fetch(`${server.url}/workflows/captioner/${runId}/events`, {
      method: 'HEAD',
      headers: { authorization: `Bearer ${ann.key}` },
    });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toStartWith('text/event-stream');
  });

  test('an unexpected error is reported without its cause, and logged with its route', async () => {
    // The recordings folder is now a file, so nothing can be stored.
    await rm(join(server.dataDir, 'audio'), { recursive: true });
    await writeFile(join(server.dataDir, 'audio'), '');
    const response = await ann.put('secret-name.mp3', await readFile(sample));
    expect(response.status).toBe(500);
    expect(await response.json()).toEqual({
      error: { code: 'internal', message: 'Something went wrong on the server.' },
    });
    expect(await (await ask('/health')).json()).toEqual({ ok: false });
    const all = await logged(server, 'request_failed', 'health_check_failed');
    const lines = all
      .filter((line) => /request_failed|health_check_failed/.test(line))
      .map((line): Any => JSON.parse(line));
    expect(lines[0].route).toBe('PUT /audio/{key}');
    expect(lines[1].part).toBe('audioStore');
  });
});

// Content negotiation: the representation that a request gets.
const BROWSER =
  'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8';

describe('Markdown or HTML', () => {
  test.each([
    ['TEXT/Markdown'],
    ['text/markdown;charset=utf-8;q=0.3'],
    ['text/markdown;q=0.001'],
    ['text/markdown, */*'],
    ['text/html, text/markdown'],
    ['text/html;q=0.8,text/markdown;q=0.9'],
    ['text/markdown; q=0.5 , text/html ; Q=0.5'],
    ['text/markdown, text/html;q=0'],
    ['text/markdown;title="a, b;q=0";q=1, text/html;q=0.9'],
    ['text/markdown;seq=0'],
    ['"text/html,x", text/markdown;q=0.5'],
    ['text/markdown;title="x\\", text/html;q=1, y";q=0.5'],
    ['text/markdown;q=0.5, text/*;q=0.4, */*'],
    ['text/html;q=0.9, text/markdown;q=0.1, text/markdown'],
  ])('%s: Markdown', (accept) => expect(prefers.markdown(accept)).toBe(true));

  test.each([
    [null],
    [''],
    ['text/html;q=0.5;v="\\",text/markdown;w=\\""'],
    ['*/*'],
    [BROWSER],
    ['text/markdown;q=0'],
    ['text/markdown;q =0'],
    ['text/markdown;q=0.4, text/html;q=0.5'],
    ['text/markdown;q=0.9, */*'],
    ['text/markdown;q=0.9, text/*'],
    ['text/markdown-x'],
    ['text/markdown;q=high'],
    ['text/markdown;q=1.5'],
    ['text/markdown;q=0.1234'],
    ['text/markdown;q=1.0000'],
    [',,;q=1'],
  ])('%s: HTML', (accept) => expect(prefers.markdown(accept)).toBe(false));

  test('Markdown is selected exactly if its quality is above 0 and at least that of HTML', () => {
    const quality = fc.integer({ min: 0, max: 1000 }).map((thousandths) => thousandths / 1000);
    fc.assert(
      fc.property(quality, quality, fc.boolean(), (markdown, html, swap) => {
        const parts = [`text/markdown;q=${markdown}`, `text/html;q=${html}`];
        if (swap) parts.reverse();
        expect(prefers.markdown(parts.join(', '))).toBe(markdown > 0 && markdown >= html);
      }),
    );
  });
});

describe('content codings', () => {
  test.each([
    [null, 'identity'],
    ['gzip', 'gzip'],
    ['x-gzip', 'gzip'],
    ['gzip, deflate, br, zstd', 'br'],
    ['BR', 'br'],
    ['*', 'br'],
    ['br;q=0, *', 'zstd'],
    ['zstd;q=0.5, gzip', 'gzip'],
    ['br;q=0, zstd;q=0, *', 'gzip'],
    ['gzip;q=0, br;q=0', 'identity'],
    ['*;q=0', 'identity'],
    ['identity, gzip;q=0.5', 'identity'],
    ['x-gzip;q=0, *;q=0.5', 'br'],
    ['gzip;q=0, x-gzip', 'identity'],
    ['x-gzip;q=0.4, zstd;q=0.3, identity;q=0.4', 'gzip'],
    ['*;q=0.5, identity;q=0.6', 'identity'],
    ['br;q=0.2, br;q=0.9, gzip;q=0.5', 'br'],
  ] as const)('%s: %s', (accept, encoding) => expect(prefers.coding(accept)).toBe(encoding));
});

describe('a page or JSON for an error', () => {
  test.each([
    [BROWSER, true],
    [`${BROWSER},application/signed-exchange;v=b3;q=0.7`, true],
    ['TEXT/HTML;q=0.2', true],
    [null, false],
    ['application/json', false],
    ['application/json;q=0.5, text/html', true],
    ['text/markdown, text/html', false],
    ['text/html;q=0, */*', false],
  ])('%j: %p', (accept, page) => expect(prefers.page(accept)).toBe(page));
});

describe('entity tags', () => {
  test.each([
    ['"a"', true],
    ['W/"a"', true],
    ['"b", W/"a"', true],
    ['*', true],
    ['"b"', false],
    ['a', false],
    ['a, "a', false],
    [' * ', true],
    ['"*"', false],
    ['"A"', false],
    [null, false],
  ])('%s', (header, matches) => {
    expect(matchesEntityTag(header, '"a"')).toBe(matches);
    expect(matchesEntityTag(header, 'W/"a"')).toBe(matches);
  });
});

// Headers of every response, and access from other origins.
const server = await testServer({ env: { TRUST_PROXY: 'on' } });
const ann = await signUp(server, 'ann@example.com');

const known = async () => {
  const etag = (await fetch(`${server.url}/auth.md`)).headers.get('etag') ?? '';
  return fetch(`${server.url}/auth.md`, { headers: { 'if-none-match': etag } });
};

test.each<[string, () => Promise<Response>, number]>([
  ['the service document', () => fetch(server.url), 200],
  ['Markdown', () => fetch(`${server.url}/auth.md`), 200],
  ['a document that is known already', known, 304],
  ['health', () => fetch(`${server.url}/health`), 200],
  ['an address that does not exist', () => fetch(`${server.url}/nothing`), 404],
  ['a refused registration', () => fetch(`${server.url}/agent/auth`, { method: 'POST' }), 400],
  ['a request without a key', () => fetch(`${server.url}/workflows/captioner/x`), 401],
  ['a run', () => ann.start({ audio: { key: 'a.mp3' } }), 202],
  ['an upload that is no MP3', () => ann.put('a.mp3', 'text'), 415],
  ['a preflight', () => fetch(`${server.url}/audio/a.mp3`, { method: 'OPTIONS' }), 204],
])('%s can be read by any page, has nosniff, and cannot be framed', async (_, ask, expected) => {
  const { headers, status } = await ask();
  expect(status).toBe(expected);
  expect(headers.get('access-control-allow-origin')).toBe('*');
  expect(headers.has('access-control-allow-credentials')).toBe(false);
  expect(headers.get('access-control-expose-headers')).toContain('WWW-Authenticate');
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
  expect(headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(headers.has('referrer-policy')).toBe(true);
  expect(headers.has('strict-transport-security')).toBe(false);
});

test('a preflight allows what the API accepts', async () => {
  const response = await fetch(`${server.url}/audio/talks/a.mp3`, {
    method: 'OPTIONS',
    headers: {
      origin: 'https://agent.example',
      'access-control-request-method': 'PUT',
      'access-control-request-headers': 'authorization,content-type',
    },
  });
  const list = (name: string) => (response.headers.get(name) ?? '').toLowerCase().split(', ');
  expect(list('access-control-allow-methods')).toEqual(
    expect.arrayContaining(['put', 'post', 'delete']),
  );
  expect(list('access-control-allow-headers')).toEqual(
    expect.arrayContaining(['authorization', 'content-type', 'idempotency-key']),
  );
});

test('transport security is strict if the proxy or the public address uses https, not because of an untrusted header', async () => {
  const headers = { 'x-forwarded-proto': 'https' };
  const behind = await fetch(server.url, { headers });
  expect(behind.headers.get('strict-transport-security')).toMatch(/^max-age=\d{8}/);
  const secure = await mountedApp({ env: { BASE_URL: 'https://captions.example' } });
  expect((await secure.ask('/')).headers.has('strict-transport-security')).toBe(true);
  const plain = await (await mountedApp()).ask('/', { headers });
  expect(plain.headers.has('strict-transport-security')).toBe(false);
});

test('private and secret responses are never cached', async () => {
  const { runId } = await (await ann.start({ audio: { key: 'a.mp3' } })).json();
  for (const response of [
    await ann.get(`/workflows/captioner/${runId}`),
    await ann.get('/workflows/captioner/none'),
    await fetch(`${server.url}/workflows/captioner`, { method: 'POST' }),
    await fetch(`${server.url}/agent/auth/claim/complete`, { method: 'POST', body: '{}' }),
    await ann.start({ audio: { key: 'a.mp3' } }),
  ]) {
    expect(response.headers.get('cache-control')).toBe('no-store');
  }
});

// A file made for one request: its tag, its name, its ranges, and the release of its bytes.
const TEXT = 'ten bytes!';

/** The response to a request for the file, and how often its bytes have been released. */
function asked(headers: Record<string, string> = {}, file: { type?: string; name?: string } = {}) {
  let releases = 0;
  const held = heldText(new TextEncoder().encode(TEXT), () => void (releases += 1));
  const request = new Request('http://localhost/file', { headers });
  const answer = () => fileResponse(request, held, { type: 'text/vtt', name: 'a.vtt', ...file });
  return { answer, releases: () => releases };
}

test('the bytes are released once they are sent, and at once if nothing is to be sent', async () => {
  const whole = asked();
  expect(await whole.answer().text()).toBe(TEXT);
  const etag = asked().answer().headers.get('etag') ?? '';
  const had = asked({ 'if-none-match': etag });
  expect(had.answer().status).toBe(304);
  const beyond = asked({ range: 'bytes=10-' });
  expect(await refusalOf(Promise.try(beyond.answer))).toEqual([416, 'range_not_satisfiable']);
  for (const { releases } of [whole, had, beyond]) expect(releases()).toBe(1);
});

test('any range is that part of the whole', () => {
  fc.assert(
    fc.property(fc.nat(12), fc.option(fc.nat(12)), (first, last) => {
      const { answer } = asked({ range: `bytes=${first}-${last ?? ''}` });
      if (last !== null && last < first) return expect(answer().status).toBe(200);
      if (first >= TEXT.length) return expect(answer).toThrow('10 bytes');
      const { status, headers } = answer();
      const range = `bytes ${first}-${Math.min(last ?? 9, 9)}/10`;
      return expect([status, headers.get('content-range')]).toEqual([206, range]);
    }),
  );
});

test.each([
  ['bytes=-4', 'tes!', 'bytes 6-9/10'],
  ['bytes=-400', TEXT, 'bytes 0-9/10'],
  ['bytes=4-400', 'bytes!', 'bytes 4-9/10'],
])('the range %s is %j', async (range, text, place) => {
  const answer = asked({ range }).answer();
  const { status, headers } = answer;
  expect([status, headers.get('content-range')]).toEqual([206, place]);
  expect(headers.get('content-length')).toBe(String(text.length));
  expect(await answer.text()).toBe(text);
});

test('a range is sent if it is of the version that the client has, and several ranges never are', async () => {
  const etag = asked().answer().headers.get('etag') ?? '';
  const textOf = (headers: Record<string, string>) => asked(headers).answer().text();
  expect(await textOf({ range: 'bytes=0-2', 'if-range': etag })).toBe('ten');
  expect(await textOf({ range: 'bytes=0-2', 'if-range': '"other"' })).toBe(TEXT);
  expect(await textOf({ range: 'bytes=0-2,4-8' })).toBe(TEXT);
});

test.each([
  ['Rede "Ä" 100%.vtt', 'Rede ___ 100_.vtt', 'Rede%20%22%C3%84%22%20100%25.vtt'],
  ["it's (1).vtt", "it's (1).vtt", 'it%27s%20%281%29.vtt'],
  ['half \ud83d "a"*.vtt', 'half _ _a_*.vtt', 'half%20%EF%BF%BD%20%22a%22%2A.vtt'],
])('%j can be saved under its name', (name, ascii, whole) => {
  expect(asked({}, { name }).answer().headers.get('content-disposition')).toBe(
    `attachment; filename="${ascii}"; filename*=UTF-8''${whole}`,
  );
});

// Long responses: sent only as fast as the client reads, with each result in memory once.
const MEGABYTE = 2 ** 20;

describe('a response', () => {
  test('is sent completely and in order', async () => {
    const bytes = Uint8Array.from({ length: 300_000 }, (_, at) => at % 251);
    const response = streamed({ type: 'text/plain', size: 300_002 }, async ({ write }) => {
      await write('é');
      await write(bytes);
    });
    expect(response.headers.get('content-length')).toBe('300002');
    const read = new Uint8Array(await response.arrayBuffer());
    expect(Buffer.compare(read, Buffer.concat([Buffer.from('é'), bytes]))).toBe(0);
  });

  test('that no client reads is paused, and times out', async () => {
    let written = 0;
    const over = Promise.withResolvers<unknown>();
    const response = streamed({ type: 'text/plain', stalledMs: 20 }, async ({ write }) => {
      try {
        for (let i = 0; i < 100; i += 1) {
          await write(new Uint8Array(MEGABYTE));
          written += 1;
        }
      } catch (error) {
        over.resolve(error);
        throw error;
      }
    });
    expect(String(await over.promise)).toContain('does not read');
    expect(written).toBe(0);
    await expect(response.arrayBuffer()).rejects.toThrow();
  });

  test('is not produced further once its client disconnects', async () => {
    const over = Promise.withResolvers<boolean>();
    const response = streamed({ type: 'text/plain' }, async ({ write, signal }) => {
      await write(new Uint8Array(MEGABYTE)).catch(() => {});
      over.resolve(signal.aborted);
    });
    await response.body?.cancel();
    expect(await over.promise).toBe(true);
  });
});

describe('unless another time is given,', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  /** Advances the clock by some milliseconds, and runs what then does not wait for it. */
  const pass = async (ms: number): Promise<void> => {
    jest.advanceTimersByTime(ms);
    for (let at = 0; at < 50; at += 1) await Promise.resolve();
  };

  test.each([
    ['64 KiB in 9 s', 9000, 7],
    ['64 KiB in 7 s', 7000, Number.POSITIVE_INFINITY],
    ['a byte now and then', 29_000, 2],
  ])('a client that reads %s may do so for %d ms, %d times', async (_name, ms, times) => {
    const outcomes: unknown[] = [];
    const response = streamed({ type: 'text/plain' }, async ({ write }) => {
      outcomes.push(await write(new Uint8Array(2 * MEGABYTE)).then(() => 'written', String));
    });
    const reader = response.body!.getReader();
    await pass(0);
    let reads = 0;
    for (; outcomes.length === 0; reads += 1) {
      await pass(ms);
      await reader.read().catch(() => {});
      await pass(0);
    }
    const [outcome] = outcomes;
    if (times === Number.POSITIVE_INFINITY) expect(outcome).toBe('written');
    else expect([outcome, reads]).toEqual([expect.stringContaining('too slowly'), times]);
  });

  test('a response that takes longer than it may is aborted, however fast its client reads', async () => {
    let outcome: unknown = 'waiting';
    const response = streamed({ type: 'text/plain', longestMs: 60_000 }, async ({ write }) => {
      try {
        for (;;) await write(new Uint8Array(MEGABYTE));
      } catch (error) {
        outcome = String(error);
        throw error;
      }
    });
    const reader = response.body!.getReader();
    for (let at = 0; at < 119; at += 1) {
      await pass(500);
      await reader.read();
    }
    expect(outcome).toBe('waiting');
    await pass(500);
    await expect(reader.read()).rejects.toThrow('takes too long');
    expect(outcome).toContain('takes too long');
  });
});
