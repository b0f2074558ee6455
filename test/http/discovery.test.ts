/** The discovery routes over HTTP: responses, negotiation, caching and compression. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { get as httpGet } from 'node:http';
import { Elysia } from 'elysia';
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import { TermPackList } from '../../server/contract/terminology.ts';
import { validator } from '../../server/contract/schema.ts';
import { browserAppRoutes } from '../../server/http/documents/browser-app.ts';
import { createDocuments } from '../../server/http/documents/documents.ts';
import { healthOf, healthRoute } from '../../server/http/health.ts';
import { createLog } from '../../server/log.ts';
import { lifetimes, packs, paths } from '../support/documents.ts';

setDefaultTimeout(300_000);

const baseUrl = 'https://captions.example';
let database: () => Promise<void> = async () => {};
let server: Bun.Server<undefined>;
let url = '';

beforeAll(() => {
  const documents = createDocuments({ baseUrl, packs, paths, ...lifetimes });
  const others = new Elysia()
    .use(browserAppRoutes({ packs, providers: [], sendsMail: true }))
    .use(
      healthRoute(
        healthOf({ database: () => database(), audioStore: async () => {} }, createLog('silent')),
      ),
    );
  server = Bun.serve({
    port: 0,
    fetch: (request) => documents.answer(request) ?? others.handle(request),
  });
  url = `http://localhost:${server.port}`;
});
afterAll(() => server.stop(true));

const PATHS: [string, string][] = [
  ['/', 'text/html; charset=utf-8'],
  ['/auth', 'text/html; charset=utf-8'],
  ['/auth.md', 'text/markdown; charset=utf-8'],
  ['/skills/captioner/SKILL.md', 'text/markdown; charset=utf-8'],
  ['/guide', 'text/html; charset=utf-8'],
  ['/guide.md', 'text/markdown; charset=utf-8'],
  ['/limits', 'text/html; charset=utf-8'],
  ['/privacy', 'text/html; charset=utf-8'],
  ['/page.js', 'text/javascript; charset=utf-8'],
  ['/llms.txt', 'text/plain; charset=utf-8'],
  ['/robots.txt', 'text/plain; charset=utf-8'],
  ['/sitemap.xml', 'application/xml; charset=utf-8'],
  ['/favicon.svg', 'image/svg+xml'],
  ['/favicon.ico', 'image/svg+xml'],
  ['/openapi.json', 'application/vnd.oai.openapi+json; version=3.2.0'],
  ['/terminology/packs', 'application/json'],
  [
    '/.well-known/api-catalog',
    'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"',
  ],
  ['/.well-known/oauth-protected-resource', 'application/json'],
  ['/.well-known/oauth-authorization-server', 'application/json'],
  ['/.well-known/mcp/server-card.json', 'application/json'],
  ['/.well-known/agent-skills/index.json', 'application/json'],
];

/** A GET with its body as sent, because fetch would decode it. */
function raw(path: string, headers: Record<string, string>) {
  return new Promise<{ encoding: string | undefined; etag: string | undefined; body: Buffer }>(
    (resolve, reject) => {
      httpGet(`${url}${path}`, { headers }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () =>
          resolve({
            encoding: response.headers['content-encoding'],
            etag: response.headers.etag,
            body: Buffer.concat(chunks),
          }),
        );
      }).on('error', reject);
    },
  );
}

describe.each(PATHS)('%s', (path, type) => {
  test('GET responds, cacheable for five minutes', async () => {
    const response = await fetch(`${url}${path}`);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe(type);
    expect(response.headers.get('cache-control')).toBe('public, max-age=300');
    expect(response.headers.get('vary')).toContain('Accept-Encoding');
    expect((await response.text()).length).toBeGreaterThan(50);
  });

  test('HEAD responds with the same headers and no body', async () => {
    const plain = { 'accept-encoding': 'identity' };
    const get = await fetch(`${url}${path}`, { headers: plain });
    const head = await fetch(`${url}${path}`, { method: 'HEAD', headers: plain });
    const names = ['content-type', 'etag', 'vary', 'cache-control', 'link', 'x-markdown-tokens'];
    for (const name of names) expect(head.headers.get(name)).toBe(get.headers.get(name));
    expect(head.headers.get('content-length')).toBe(String((await get.bytes()).byteLength));
    expect(await head.text()).toBe('');
  });

  test('a cached version is not sent again', async () => {
    const first = await fetch(`${url}${path}`);
    const etag = first.headers.get('etag') ?? '';
    const again = await fetch(`${url}${path}`, { headers: { 'if-none-match': `"x", ${etag}` } });
    expect([again.status, again.headers.get('etag')]).toEqual([304, etag]);
    expect(again.headers.get('content-type')).toBeNull();
    const other = await fetch(`${url}${path}`, { headers: { 'if-none-match': '"x"' } });
    expect(other.status).toBe(200);
  });

  test('every content coding has the same bytes, with its own tag', async () => {
    const plain = await raw(path, {});
    expect(plain.encoding).toBeUndefined();
    const tags = new Set([plain.etag]);
    for (const [coding, accepted, decode] of [
      ['gzip', 'gzip', gunzipSync],
      ['zstd', 'gzip, zstd', zstdDecompressSync],
      ['br', 'gzip, deflate, br, zstd', brotliDecompressSync],
    ] as const) {
      const coded = await raw(path, { 'accept-encoding': accepted });
      const decoded = coded.encoding ? decode(coded.body) : coded.body;
      expect(decoded.equals(plain.body)).toBe(true);
      if (plain.body.length > 1000) expect(coded.encoding).toBe(coding);
      expect(tags.has(coded.etag)).toBe(coded.encoding === undefined);
      tags.add(coded.etag);
    }
  });

  test('unavailable codings are never refused', async () => {
    const response = await fetch(`${url}${path}`, { headers: { accept: 'image/png' } });
    expect(response.status).toBe(200);
  });
});

describe('the service document', () => {
  const ask = (accept: string) => fetch(`${url}/`, { headers: { accept } });

  test('is a page by default and Markdown on request; only Markdown has a token count', async () => {
    const page = await ask('*/*');
    expect(page.headers.get('content-type')).toStartWith('text/html');
    expect(page.headers.has('x-markdown-tokens')).toBe(false);
    const markdown = await ask('text/markdown');
    expect(markdown.headers.get('content-type')).toStartWith('text/markdown');
    const tokens = Number(markdown.headers.get('x-markdown-tokens'));
    const text = await markdown.text();
    expect(tokens).toBeGreaterThan(text.length / 8);
    expect(tokens).toBeLessThan(text.length / 2);
    expect(text).toStartWith('# Captioner\n');
    for (const response of [page, markdown]) {
      expect(response.headers.get('vary')).toBe('Accept, Accept-Encoding');
    }
    expect(page.headers.get('etag')).not.toBe(markdown.headers.get('etag'));
  });

  test('links to every other document, and each link works', async () => {
    const link = (await ask('*/*')).headers.get('link') ?? '';
    const relations = ['api-catalog', 'service-desc', 'service-doc', 'describedby'];
    for (const relation of relations) expect(link).toContain(`rel="${relation}"`);
    const targets = [...link.matchAll(/<([^>]+)>/g)].map(([, target = '']) => target);
    for (const path of ['/auth.md', '/openapi.json', '/.well-known/mcp/server-card.json']) {
      expect(targets).toContain(`${baseUrl}${path}`);
    }
    for (const target of targets) {
      expect(target).toStartWith(`${baseUrl}/`);
      expect((await fetch(target.replace(baseUrl, url))).status).toBe(200);
    }
  });

  test('every address in it works', async () => {
    const text = await (await ask('text/markdown')).text();
    const targets = [...text.matchAll(/\]\((https:\/\/captions\.example[^)]*)\)/g)];
    expect(targets.length).toBeGreaterThan(8);
    for (const [, target = ''] of targets) {
      expect((await fetch(target.replace(baseUrl, url))).status).toBe(200);
    }
  });

  test('contains limits, packs, media and the address of the interface description', async () => {
    const text = await (await ask('text/markdown')).text();
    for (const { id } of packs.packs) expect(text).toContain(`\`${id}\``);
    for (const part of ['104857600', '100 MiB', 'ffmpeg -i', '/openapi.json', 'wait=result']) {
      expect(text).toContain(part);
    }
    expect(text).not.toContain('{{');
  });

  test('its page has landmarks, a language and no inline script, and a policy that allows its style', async () => {
    const page = await ask('text/html');
    const html = await page.text();
    for (const part of ['<html lang="en">', '<main id="content">', '<header', '<footer', '<nav']) {
      expect(html).toContain(part);
    }
    expect(html.match(/<h1[ >]/g)).toHaveLength(1);
    expect(html).not.toMatch(/<script(?![^>]* src="[^"]+"><)|\son\w+=|\sstyle=/i);
    const style = /<style>(.*?)<\/style>/s.exec(html)?.[1] ?? '';
    const hash = new Bun.CryptoHasher('sha256').update(style).digest('base64');
    expect(page.headers.get('content-security-policy')).toContain(`style-src 'sha256-${hash}'`);
    const ids = new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id));
    const anchors = [...html.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id);
    expect(anchors.length).toBeGreaterThan(5);
    for (const anchor of anchors) expect(ids).toContain(anchor);
  });
});

describe('robots, sitemap, packs, health', () => {
  test('robots.txt has its signals within a group and names the sitemap', async () => {
    const text = await (await fetch(`${url}/robots.txt`)).text();
    expect(text).toMatch(
      /^User-agent: \*\nContent-Signal: search=yes, ai-input=yes, ai-train=no\n/,
    );
    expect(text).toContain(`Sitemap: ${baseUrl}/sitemap.xml`);
  });

  test('the sitemap lists working addresses with the day of their last change', async () => {
    const xml = await (await fetch(`${url}/sitemap.xml`)).text();
    const places = [...xml.matchAll(/<loc>([^<]+)<\/loc><lastmod>\d{4}-\d\d-\d\d<\/lastmod>/g)];
    expect(places.length).toBe(xml.match(/<url>/g)?.length ?? 0);
    expect(places.length).toBeGreaterThan(3);
    for (const [, place = ''] of places) {
      expect((await fetch(place.replace(baseUrl, url))).status).toBe(200);
    }
  });

  test('the packs are those of the contract', async () => {
    const list: unknown = await (await fetch(`${url}/terminology/packs`)).json();
    expect(validator(TermPackList).issues(list)).toEqual([]);
    expect(list).toEqual(packs);
  });

  test('health is true only if the check succeeds', async () => {
    const ask = async () => {
      const response = await fetch(`${url}/health`);
      return [response.status, await response.json()];
    };
    expect(await ask()).toEqual([200, { ok: true }]);
    database = async () => {
      throw new Error('the database is gone');
    };
    expect(await ask()).toEqual([200, { ok: false }]);
    database = async () => {};
    expect(await ask()).toEqual([200, { ok: true }]);
  });
});
