/** The base URL in documents, challenges and links: the address the client used, or BASE_URL. */
import { describe, expect, test } from 'bun:test';
import { createDocuments } from '../../server/http/documents/documents.ts';
import { publicAddress } from '../../server/http/public-address.ts';
import { lifetimes, packs, paths } from '../support/documents.ts';
import { mountedApp } from '../support/servers/mounted.ts';

const local = await mountedApp();
const proxied = await mountedApp({ env: { TRUST_PROXY: 'on' } });
const named = await mountedApp({
  env: { BASE_URL: 'https://captions.example', TRUST_PROXY: 'on' },
});

const PATHS = [
  '/',
  '/auth.md',
  '/llms.txt',
  '/robots.txt',
  '/sitemap.xml',
  '/openapi.json',
  '/.well-known/api-catalog',
  '/.well-known/oauth-protected-resource',
  '/.well-known/oauth-authorization-server',
  '/.well-known/mcp/server-card.json',
  '/.well-known/agent-skills/index.json',
  '/skills/captioner/SKILL.md',
];
const FORWARDED = {
  host: 'inner.invalid:3000',
  'x-forwarded-host': 'evil.example, talks.example',
  'x-forwarded-proto': 'http, https',
};

describe.each(PATHS.map((path) => [path]))('%s', (path) => {
  const text = async (app: typeof local, headers: Record<string, string>) => {
    const response = await app.ask(path, { headers });
    expect(response.status).toBe(200);
    return (await response.text()) + (response.headers.get('link') ?? '');
  };

  test('uses the Host of the request', async () => {
    const told = await text(local, { host: '192.168.1.7:3000' });
    expect(told).toContain('http://192.168.1.7:3000');
    expect(told).not.toContain('localhost');
    expect(await text(local, {})).toContain('http://localhost:3000');
  });

  test('ignores X-Forwarded-Host without TRUST_PROXY', async () => {
    const told = await text(local, { host: '127.0.0.1:3000', 'x-forwarded-host': 'evil.example' });
    expect(told).toContain('http://127.0.0.1:3000');
    expect(told).not.toContain('evil.example');
  });

  test('behind a proxy uses the address that the nearest proxy received', async () => {
    const told = await text(proxied, FORWARDED);
    expect(told).toContain('https://talks.example');
    expect(told).not.toMatch(/evil\.example|inner\.invalid|localhost/);
  });

  test('uses BASE_URL if it is set, whatever the headers say', async () => {
    const told = await text(named, FORWARDED);
    expect(told).toContain('https://captions.example');
    expect(told).not.toMatch(/evil\.example|inner\.invalid|talks\.example/);
  });
});

describe('caches', () => {
  test('see in Vary what a document depends on', async () => {
    const vary = async (app: typeof local, headers = {}) =>
      (await app.ask('/', { headers })).headers.get('vary');
    expect(await vary(local)).toBe('Accept, Accept-Encoding, Host');
    expect(await vary(proxied)).toBe(
      'Accept, Accept-Encoding, Host, X-Forwarded-Host, X-Forwarded-Proto',
    );
    expect(await vary(named)).toBe('Accept, Accept-Encoding');
  });

  test('never store one address under the tag of another', async () => {
    const tag = async (host: string) =>
      (await local.ask('/openapi.json', { headers: { host } })).headers.get('etag') ?? '';
    const ours = await tag('a.example');
    expect(await tag('b.example')).not.toBe(ours);
    const again = await local.ask('/openapi.json', {
      headers: { host: 'b.example', 'if-none-match': ours },
    });
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

test('a host beyond the renderings of a minute gets its own a minute later', () => {
  const baseUrl = 'http://localhost:3000';
  const address = publicAddress({ baseUrl, baseUrlIsSet: false });
  let time = 0;
  const now = () => time;
  const documents = createDocuments({ ...lifetimes, packs, paths, baseUrl, address, now });
  const isOwn = (host: string) => {
    const headers = { host };
    const request = new Request('http://localhost/robots.txt', { headers });
    return documents.sources(request).get('/auth.md')!.markdown.includes(`http://${host}/`);
  };
  const hosts = Array.from({ length: 13 }, (_, at) => `h${at}.example`);
  const early = hosts.map(isOwn);
  expect(early.filter(Boolean)).toHaveLength(12);
  time = 59_999;
  expect(isOwn(hosts[12]!)).toBe(false);
  time = 60_000;
  expect(isOwn(hosts[12]!)).toBe(true);
});

describe('addresses outside of documents', () => {
  const headers = { host: '192.168.1.7:3000', 'content-type': 'application/json' };

  test('the challenge has the metadata at that address', async () => {
    const refused = await local.ask('/workflows/captioner', { headers });
    expect(refused.headers.get('www-authenticate')).toBe(
      'Bearer resource_metadata="http://192.168.1.7:3000/.well-known/oauth-protected-resource"',
    );
  });

  test('a registration has the claim address there', async () => {
    const body = JSON.stringify({
      type: 'identity_assertion',
      assertion_type: 'verified_email',
      assertion: 'ann@example.com',
      requested_credential_type: 'api_key',
    });
    const started = await local.ask('/agent/auth', { method: 'POST', headers, body });
    expect((await started.json()).claim_complete_url).toBe(
      'http://192.168.1.7:3000/agent/auth/claim/complete',
    );
  });

  test('an error page links to it, and loads its files from where it is', async () => {
    const page = await local.ask('/nothing', { headers: { ...headers, accept: 'text/html' } });
    expect(page.status).toBe(404);
    const html = await page.text();
    expect(html).toContain('href="http://192.168.1.7:3000/guide"');
    expect(html.match(/(?:src|rel="icon"[^>]*href)="[^"]*"/g)?.join()).not.toContain('://');
  });
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
  expect(['http', 'https', 'HTTPS', 'http'].map(at)).toEqual([
    'http://a.example',
    'https://a.example',
    'https://a.example',
    'http://a.example',
  ]);
});

test('behind a proxy, the name that the proxy received is our own', () => {
  const proxy = publicAddress({ baseUrl: '', baseUrlIsSet: false, trustProxy: true });
  const request = new Request('http://x', { headers: { host: 'a.example' } });
  expect(proxy.isOwnOrigin(request, 'http://a.example')).toBe(true);
  expect(proxy.isOwnOrigin(request, 'http://b.example')).toBe(false);
});
