/** Configured and submitted values never become markup or headers. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { dial, untilClosed } from '../../support/servers/dial.ts';
import { startServerProcess } from '../../support/servers/server-process.ts';
import { testServer } from '../../support/servers/test-server.ts';

setDefaultTimeout(300_000);

/** Must not become an HTML element; `onerror` alone may appear in text. */
const IMG = '"><img src=x onerror=hacked()>';
const PAGES = ['/', '/guide', '/auth', '/limits', '/privacy', '/docs', '/app'];

/** Model names are free text, and the only configured text that pages show. */
const server = await testServer({
  env: {
    EDGE_LLM_URL: 'http://127.0.0.1:9/v1',
    EDGE_LLM_MODEL: `\`${IMG}|</script><script>hacked()</script>[x](javascript:hacked())\r\n\r\n# No`,
    EDGE_SPEECH_URL: 'http://127.0.0.1:9/v1',
    EDGE_SPEECH_MODEL: `'${IMG}{{base_url}}<!--`,
    EDGE_MODERATION_URL: 'http://127.0.0.1:9/v1',
    EDGE_MODERATION_MODEL: 'a\u2028b\u202ec"onload="hacked()',
    TRUST_PROXY: 'on',
  },
});

describe('the configuration', () => {
  test.each(PAGES)('%s shows the names of models as text', async (path) => {
    const html = await (
      await fetch(server.url + path, { headers: { accept: 'text/html' } })
    ).text();
    expect(html).not.toMatch(/<img src=x|<script>hacked|="hacked|href="javascript:|<h1>No/i);
    expect(html).not.toContain("<!--'");
    if (path === '/') expect(html).toContain('&lt;img src=x onerror=hacked()&gt;');
  });

  test('is refused with a single log line', async () => {
    const env = { BASE_URL: 'http://ann:secret@captions.example' };
    const error = await startServerProcess({ env }).then(
      () => null,
      ({ message }: Error) => message,
    );
    expect(error).toContain('BASE_URL must not contain a user name or password');
    expect(error).not.toMatch(/secret|    at /);
  });
});

/** The whole response to a request made of exactly these bytes. */
const raw = (lines: readonly string[]): Promise<string> => {
  const connection = dial(server.url);
  connection.socket.write([...lines, 'Connection: close', '', ''].join('\r\n'));
  return untilClosed(connection, 90_000);
};

describe("a client's description of itself is not repeated", () => {
  const EVIL = [
    `Host: evil.example"><script>`,
    `Referer: http://evil.example/"><script>`,
    // A valid host would be used: behind a proxy it is the address that the client used.
    `X-Forwarded-Host: evil.example"><script>`,
    `X-Forwarded-Proto: "><script>`,
    `X-Forwarded-For: "><script>`,
    `X-Original-URL: /evil.example`,
    `Forwarded: host="evil.example";proto="<script>"`,
    `Origin: http://evil.example`,
    `User-Agent: evil.example<script>`,
    `Accept-Language: evil.example`,
  ];
  const PATHS = [
    ...PAGES,
    '/nothing/<script>evil.example',
    '/nothing/%3Cscript%3Eevil.example',
    '/nothing/%0d%0aSet-Cookie:%20evil.example',
    '/guide?evil.example=<script>',
    '/app/evil.example<script>',
    '//evil.example/..',
    '/audio/evil.example<script>.mp3',
    '/audio/%0d%0aevil.example.mp3',
    '/uploads/evil.example<script>',
    '/workflows/captioner/evil.example<script>',
    '/workflows/captioner?limit=evil.example<script>',
    '/openapi.json',
    '/.well-known/oauth-protected-resource',
  ];
  test.each(PATHS)('GET %s', async (path) => {
    for (const accept of [
      'text/html',
      'text/markdown',
      'application/json',
      '"><script>evil.example',
    ]) {
      const answer = await raw([`GET ${path} HTTP/1.1`, ...EVIL, `Accept: ${accept}`]);
      expect(answer).toStartWith('HTTP/1.1 ');
      expect(answer).not.toMatch(/^HTTP\/1.1 5/);
      expect(answer).not.toMatch(/evil\.example/i);
      const [head = ''] = answer.split('\r\n\r\n', 1);
      // No response redirects or sets a cookie.
      expect(head).not.toMatch(/^(location|set-cookie|refresh):/im);
      expect(head).not.toMatch(/[<"]script/);
    }
  });

  test('a refusal quotes field names as JSON, which no browser takes for a page', async () => {
    const response = await fetch(`${server.url}/agent/auth`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'text/html' },
      body: '{"<script>":',
    });
    expect(response.status).toBe(400);
    expect(response.headers.get('content-type')).toStartWith('application/json');
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(await response.text()).not.toContain('<script>');
  });
});
