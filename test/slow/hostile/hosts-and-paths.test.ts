/** Hostile request targets: an invalid Host, absolute addresses, escapes, and paths with `..`. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { expectUnharmed } from './support/answers.ts';
import { expectNoFailure, head, rawTarget } from './support/raw.ts';

setDefaultTimeout(300_000);

const { server, key, raw } = await rawTarget();

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
    for (const way of WAYS) {
      for (const end of ['', '/events', '?a=%&b=%ff&%zz', '.mp3']) {
        const first = `${method} ${path}${way}${end} HTTP/1.1`;
        const answer = await fetchRaw(first);
        expectNoFailure(answer);
        expect([first, answer.text]).toEqual([
          first,
          expect.not.stringMatching(/root:x:|evil\.example/),
        ]);
        expect(answer.statuses).toHaveLength(1);
      }
    }
  });

  const fetchRaw = (first: string) =>
    raw(head(first, [key, 'Content-Length: 0', 'Connection: close']));
});

test('the service is unharmed', () => expectUnharmed(server));
