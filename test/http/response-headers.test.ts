/** Headers of every response, and access from other origins. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { signUp } from '../support/servers/client.ts';
import { mountedApp } from '../support/servers/mounted.ts';
import { testServer } from '../support/servers/test-server.ts';

setDefaultTimeout(300_000);

const server = await testServer({ env: { TRUST_PROXY: 'on' } });
const ann = await signUp(server, 'ann@example.com');

const answers: [string, () => Promise<Response>, number][] = [
  ['the service document', () => fetch(server.url), 200],
  ['Markdown', () => fetch(`${server.url}/auth.md`), 200],
  ['a document that is known already', () => known(), 304],
  ['health', () => fetch(`${server.url}/health`), 200],
  ['an address that does not exist', () => fetch(`${server.url}/nothing`), 404],
  ['a refused registration', () => fetch(`${server.url}/agent/auth`, { method: 'POST' }), 400],
  ['a request without a key', () => fetch(`${server.url}/workflows/captioner/x`), 401],
  ['a run', () => ann.start({ audio: { key: 'a.mp3' } }), 202],
  ['an upload that is no MP3', () => ann.put('a.mp3', 'text'), 415],
  ['a preflight', () => fetch(`${server.url}/audio/a.mp3`, { method: 'OPTIONS' }), 204],
];

const known = async () => {
  const etag = (await fetch(`${server.url}/auth.md`)).headers.get('etag') ?? '';
  return fetch(`${server.url}/auth.md`, { headers: { 'if-none-match': etag } });
};

describe.each(answers)('%s', (_name, ask, status) => {
  test('can be read by any page, has nosniff, and cannot be framed', async () => {
    const { headers, ...response } = await ask().then((made) => ({
      status: made.status,
      headers: made.headers,
    }));
    expect(response.status).toBe(status);
    expect(headers.get('access-control-allow-origin')).toBe('*');
    expect(headers.has('access-control-allow-credentials')).toBe(false);
    expect(headers.get('access-control-expose-headers')).toContain('WWW-Authenticate');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(headers.has('referrer-policy')).toBe(true);
    expect(headers.has('strict-transport-security')).toBe(false);
  });
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

describe('strict transport security', () => {
  test('if the proxy in front uses https', async () => {
    const response = await fetch(server.url, { headers: { 'x-forwarded-proto': 'https' } });
    expect(response.headers.get('strict-transport-security')).toMatch(/^max-age=\d{8}/);
  });

  test('if the public address is https, but not because of an untrusted header', async () => {
    const secure = await mountedApp({ env: { BASE_URL: 'https://captions.example' } });
    expect((await secure.ask('/')).headers.has('strict-transport-security')).toBe(true);
    const plain = await mountedApp();
    const response = await plain.ask('/', { headers: { 'x-forwarded-proto': 'https' } });
    expect(response.headers.has('strict-transport-security')).toBe(false);
  });
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
