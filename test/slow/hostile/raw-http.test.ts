/** Malformed HTTP: false lengths, requests within requests, confusing headers and targets. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import pLimit from 'p-limit';
import { ended } from '../../support/servers/client.ts';
import { expectUnharmed } from './support/answers.ts';
import { expectNoFailure, head, rawTarget } from './support/raw.ts';

setDefaultTimeout(300000);

const { server, ann, key, raw } = await rawTarget();
const POST = 'POST /workflows/captioner HTTP/1.1';
const BODY = '{"audio":{"key":"none.mp3"}}';
const CHUNKED = 'Transfer-Encoding: chunked';
const chunk = `${BODY.length.toString(16)}\r\n${BODY}\r\n`;
/** A second request that exists only if one of two lengths is believed. */
const HIDDEN = 'DELETE /nothing/hidden HTTP/1.1\r\nHost: x\r\n\r\n';

test('a handwritten request gets a response', async () => {
  const answer = await raw(head(POST, [key, `Content-Length: ${BODY.length}`]) + BODY);
  expect(answer.statuses).toEqual([202]);
});

describe('framing: refused, never read in two ways', () => {
  test.each([
    ['both lengths', [`Content-Length: ${BODY.length}`, CHUNKED], chunk],
    ['both, the other way round', [CHUNKED, 'Content-Length: 4'], chunk],
    ['two lengths', [`Content-Length: ${BODY.length}`, 'Content-Length: 5'], BODY],
    ['a list of lengths', [`Content-Length: ${BODY.length}, ${BODY.length}`], BODY],
    ['a length below zero', ['Content-Length: -1'], BODY],
    ['a length with a sign', [`Content-Length: +${BODY.length}`], BODY],
    ['a length in hexadecimal', ['Content-Length: 0x1c'], BODY],
    ['a length beyond numbers', [`Content-Length: ${'9'.repeat(40)}`], BODY],
    ['a coding there is not', ['Transfer-Encoding: xchunked'], chunk],
    ['two codings', [CHUNKED, 'Transfer-Encoding: identity'], chunk],
    ['a coding behind a tab', ['Transfer-Encoding:\tchunked, gzip'], chunk],
    ['a chunk of garbage', [CHUNKED], `zz\r\n${BODY}\r\n`],
    ['a chunk below zero', [CHUNKED], `-1\r\n${BODY}\r\n`],
    ['a chunk beyond numbers', [CHUNKED], `${'f'.repeat(20)}\r\n${BODY}\r\n`],
  ])('%s', async (_name, lines, body) => {
    const answer = await raw(head(POST, [key, ...lines]) + body + HIDDEN);
    expect(answer.statuses).toEqual([400]);
    expectNoFailure(answer);
  });

  test('a body shorter than its length ends with the connection, without effect', async () => {
    const before = (await (await ann.get('/workflows/captioner')).json()).runs.length;
    expectNoFailure(await raw(head(POST, [key, 'Content-Length: 1000']) + BODY));
    expectNoFailure(await raw(head(POST, [key, CHUNKED]) + chunk));
    const after = (await (await ann.get('/workflows/captioner')).json()).runs.length;
    expect(after).toBe(before);
  });

  test('a body longer than its length is cut, and the rest is not a request', async () => {
    const answer = await raw(head(POST, [key, 'Content-Length: 5']) + BODY);
    expectNoFailure(answer);
    expect(new Set(answer.statuses)).toEqual(new Set([400]));
  });
});

describe('headers', () => {
  const many = Array.from({ length: 1000 }, (_, at) => `X-${at}: v`);
  test.each([
    ['a line of 100 KB', [`X-Long: ${'a'.repeat(100_000)}`], 431],
    ['a thousand lines', many, 431],
    ['NUL in a value', ['X: a\0b'], 400],
    ['CR in a value', ['X: a\rX-Injected: 1'], 400],
    ['LF in a value', ['X: a\nX-Injected: 1'], 400],
    ['a folded line', ['X: a\r\n X-Injected: 1'], 400],
    ['a space before the colon', ['X : a'], 400],
    ['a line without a colon', ['nothing'], 400],
    ['a name of controls', ['X\x01: a'], 400],
  ])('%s is refused', async (_name, lines, status) => {
    const answer = await raw(head('GET /health HTTP/1.1', lines));
    expect(answer.statuses).toEqual([status]);
    expectNoFailure(answer);
  });

  test.each([
    ['', 'GET /health'],
    ['', 'GET / HTTP/9.9'],
    ['', 'PRI * HTTP/2.0'],
    ['', 'FOO / HTTP/1.1'],
    ['', 'get / HTTP/1.1'],
    ['', `GET /${'a'.repeat(50_000)} HTTP/1.1`],
    ['', 'GET /a b HTTP/1.1'],
    ['', 'OPTIONS * HTTP/1.1'],
    ['', 'CONNECT evil.example:443 HTTP/1.1'],
    ['', 'TRACE / HTTP/1.1'],
    ['', 'GET ftp://evil.example/ HTTP/1.1'],
  ])('%s%s: no failure', async (_, first) => {
    const answer = await raw(head(first, ['X-Injected: 1', 'Connection: close']));
    expectNoFailure(answer);
    expect(answer.statuses).not.toContain(200);
  });

  test('random bytes', async () => {
    const bytes = Array.from({ length: 2000 }, (_, at) => String.fromCharCode((at * 7) % 256));
    for (const text of [
      bytes.join(''),
      '\x16\x03\x01\x00\xc8\x01',
      '\r\n\r\n\r\n',
      '\0'.repeat(9000),
    ]) {
      expectNoFailure(await raw(text));
    }
    expectNoFailure(await raw('GET / HTTP/1.1\nHost: x\n\n'));
  });
});

describe('hostile request targets', () => {
  describe('the Host header has no effect and is not repeated', () => {
    test('a request by HTTP/1.0 without Host gets its response', async () => {
      const answer = await raw('GET /health HTTP/1.0\r\n\r\n');
      expect(answer.text).toContain('{"ok":true}');
      expect((await raw('GET /nothing HTTP/1.0\r\n\r\n')).statuses).toEqual([404]);
      const body = `POST /agent/auth HTTP/1.0\r\nContent-Length: 2\r\n\r\n{}`;
      expect((await raw(body)).text).toContain('unsupported_identity_type');
      for (const method of ['GET', 'HEAD', 'TRACE', 'CONNECT', 'OPTIONS', 'DELETE']) {
        const answer = await raw(`${method} /health HTTP/1.0\r\nContent-Length: 5\r\n\r\nhello`);
        expectNoFailure(answer);
        expect([method, answer.statuses]).toEqual([method, [expect.any(Number)]]);
      }
    });

    test.each([
      ['two', 'captions.example\r\nHost: evil.example'],
      ['two equal', 'captions.example\r\nHost: captions.example'],
      ['a list', 'evil.example, b'],
    ])('%s Host headers are refused', async (_name, host) => {
      for (const path of ['/health', '/', '/workflows/captioner']) {
        const answer = await raw(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\n${key}\r\n\r\n`);
        expect(answer.statuses).toEqual([400]);
      }
    });

    test('an absolute address in the request line changes nothing either', async () => {
      for (const scheme of ['http', 'https']) {
        const answer = await raw(
          head(`GET ${scheme}://evil.example/ HTTP/1.1`, ['Connection: close']),
        );
        expect(answer.statuses).toEqual([200]);
        expect(answer.text).not.toContain('evil.example');
      }
    });
  });

  describe('addresses', () => {
    const WAYS = [
      '%',
      '%zz',
      '%ff',
      '%c0%ae%c0%ae',
      '..',
      '../..',
      '..%2f..%2f..%2fetc%2fpasswd',
      '%2e%2e%2f%2e%2e%2fetc%2fpasswd',
      '%252e%252e%252fetc%252fpasswd',
      '..%5c..%5cx',
      '..\\..\\x',
      '%00',
      'x%00.mp3',
      '/etc/passwd',
      '//evil.example/x',
      ';x',
      '\xff\xfe',
      '%0d%0aX-Injected:%201',
      '.',
      '*',
      ':file',
    ];
    const routes = [
      'GET /app/',
      'GET /docs/',
      'GET /',
      'GET //',
      'GET /skills/captioner/',
      'PUT /audio/',
      'PUT /uploads/',
      'GET /workflows/captioner/',
      'DELETE /workflows/captioner/',
      'GET /.well-known/',
      'POST /mcp/',
    ];

    test.each(routes.map((route) => [route]))('%s…: nothing of the machine', async (route) => {
      const [method = '', path = ''] = route.split(' ');
      const ends = ['', '/events', '?a=%&b=%ff&%zz', '.mp3'];
      const targets = WAYS.flatMap((way) => ends.map((end) => `${method} ${path}${way}${end}`));
      const answers = await Promise.all(
        targets.map((target) => few(() => fetchRaw(`${target} HTTP/1.1`))),
      );
      for (const [at, answer] of answers.entries()) {
        expectNoFailure(answer);
        expect([targets[at], answer.text]).toEqual([
          targets[at],
          expect.not.stringMatching(/root:x:|evil\.example/),
        ]);
        expect(answer.statuses).toHaveLength(1);
      }
    });

    const few = pLimit(4);
    const fetchRaw = (first: string) =>
      raw(head(first, [key, 'Content-Length: 0', 'Connection: close']));
  });
});

test('the service is unharmed', async () => {
  const { runId } = await (await ann.start(JSON.parse(BODY))).json();
  expect((await ended(ann, runId)).state).toBe('failed');
  await expectUnharmed(server);
});
