/** The documents of the service. */
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { get as httpGet } from 'node:http';
import { Elysia } from 'elysia';
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Glob } from 'bun';
import { createHash } from 'node:crypto';
import { load } from 'js-yaml';
import * as discovery from '../../server/contract/discovery.ts';
import { validator } from '../../server/contract/schema.ts';
import { browserAppRoutes } from '../../server/http/documents/browser-app.ts';
import { createDocuments } from '../../server/http/documents/routes.ts';
import { Problem } from '../../server/http/problems.ts';
import { healthOf, healthRoute } from '../../server/http/health.ts';
import { createLog } from '../../server/base/log.ts';
import { lifetimes, packs, paths, documentsOf } from '../support/documents.ts';
import { markdownToHtml, readSource } from '../../server/http/documents/html.ts';
import { placeholderValues } from '../../server/http/documents/values.ts';
import { textsIn } from '../../server/texts/languages.ts';
import { CaptionerPayload } from '../../server/contract/payload.ts';
import { AgentAuthRequest, SCOPES } from '../../server/contract/registration.ts';
import type { Any } from '../support/servers/client.ts';

setDefaultTimeout(300_000);

// The discovery routes over HTTP: responses, negotiation, caching and compression.
const baseUrl = 'https://captions.example';
let database: () => Promise<void> = async () => {};
let server: Bun.Server<undefined>;
let url = '';

beforeAll(() => {
  const documents = createDocuments({ ...lifetimes, baseUrl, packs, paths });
  const others = new Elysia()
    .use(browserAppRoutes({ packs, providers: [], sendsMail: true, singleSignOn: null }))
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
const raw = (path: string, headers: Record<string, string>) =>
  new Promise<{ encoding: string | undefined; etag: string | undefined; body: Buffer }>(
    (resolve) => {
      httpGet(`${url}${path}`, { headers }, async (response) => {
        const { 'content-encoding': encoding, etag } = response.headers;
        resolve({ encoding, etag, body: Buffer.concat(await response.toArray()) });
      });
    },
  );

test.each(PATHS)(
  '%s is cacheable for five minutes, the same in each coding, with its own tag',
  async (path, type) => {
    const response = await fetch(`${url}${path}`);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe(type);
    expect(response.headers.get('cache-control')).toBe('public, max-age=300');
    expect(response.headers.get('vary')).toContain('Accept-Encoding');
    expect((await response.text()).length).toBeGreaterThan(50);
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
  },
);

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
      expect(response.headers.get('vary')).toBe('Accept, Accept-Language, Accept-Encoding');
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

  test('its page has landmarks, a language and no inline script, and a policy that allows its style', async () => {
    const page = await ask('text/html');
    const html = await page.text();
    const parts = [
      '<html lang="en" dir="ltr">',
      '<main id="content">',
      '<header',
      '<footer',
      '<nav',
    ];
    for (const part of parts) expect(html).toContain(part);
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

test('robots.txt has its signals within a group and names the sitemap', async () => {
  const text = await (await fetch(`${url}/robots.txt`)).text();
  const signals = 'Content-Signal: search=yes, ai-input=yes, ai-train=no\n';
  expect(text).toStartWith(`User-agent: *\n${signals}`);
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

describe('rendering documents from Markdown: placeholders and escaping', () => {
  const contentFolder = fileURLToPath(new URL('../../content', import.meta.url));

  test('placeholders are replaced everywhere, even by values that look like replacement patterns', () => {
    const text =
      '---\ntitle: "{{place}}"\ndescription: B\nupdated: 2026-11-20\n---\nat {{ place }} and {{place}}';
    const source = readSource('a.md', text, { place: '$&$1' });
    expect(source).toMatchObject({ markdown: 'at $&$1 and $&$1', title: '$&$1' });
    expect(source.updated).toBe('2026-11-20');
  });

  test.each([
    ['A', 'there is no front matter'],
    ['---\ntitle: A\ndescription: B\n---\nB', 'front matter needs title (or name) and updated'],
    ['---\ntitle: [A]\ndescription: B\nupdated: 2026-11-20\n---\nB', 'front matter: title'],
    ['---\ntitle: A\n---\n{{place}}', 'unknown placeholder {{place}}'],
  ])('%p is no document: %s', (text, says) => {
    expect(() => readSource('a.md', text, {})).toThrow(`a.md: ${says}`);
  });

  test('every value is used, and every placeholder has a value', async () => {
    const used = new Set<string>();
    const files = await Array.fromAsync(new Glob('*.md').scan(contentFolder));
    const documents = files.map(async (file) => Bun.file(join(contentFolder, file)).text());
    for (const text of [textsIn('en').guide, ...(await Promise.all(documents))]) {
      for (const [, name = ''] of text.matchAll(/\{\{(\w+)\}\}/g)) used.add(name);
    }
    const values = placeholderValues('https://captions.example', packs, [], lifetimes);
    // The parts of the reference are filled in later.
    const others = ['operations', 'events', 'types'];
    expect(new Set([...Object.keys(values), ...others])).toEqual(used);
  });

  describe('HTML', () => {
    test.each([
      ['https://a.example/', true],
      ['http://a.example/', true],
      ['mailto:a@b.example', true],
      ['/auth.md', true],
      ['#media', true],
      ['javascript:alert(1)', false],
      ['JaVaScript:alert(1)', false],
      ['java\nscript:alert(1)', false],
      [' javascript:alert(1)', false],
      ['data:text/html,x', false],
      ['vbscript:x', false],
      ['file:///etc/passwd', false],
    ])('%j may be linked: %p', (href, safe) =>
      expect(markdownToHtml(`[text](<${href}>)`).body.includes(' href="')).toBe(safe),
    );

    test('no text creates an element that documents do not have', () => {
      const allowed =
        /^(p|em|strong|del|code|pre|a|h[1-6]|ul|ol|li|blockquote|hr|br|input|div|table|thead|tbody|tr|th|td)$/;
      const piece = fc.constantFrom(
        ...'<>"\'[]()`\n|-#*!',
        'a',
        'javascript:',
        '&lt;',
        'script',
        ' onload=',
      );
      fc.assert(
        fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
          const { body } = markdownToHtml(pieces.join(''));
          for (const [, tag = '', attributes = ''] of body.matchAll(
            /<\/?([a-zA-Z][^\s/>]*)([^>]*)>/g,
          )) {
            expect(tag).toMatch(allowed);
            expect(attributes.replaceAll(/="[^"]*"/g, '')).not.toMatch(/\son/);
          }
        }),
      );
    });
  });
});

describe('the service accepts the requests that its documents describe', () => {
  const baseUrl = 'https://captions.example';
  const ask = documentsOf({ baseUrl });

  const markdown = async (path: string): Promise<string> =>
    ask(path, { headers: { accept: 'text/markdown' } }).text();

  /**
   * The JSON bodies of the curl commands in a document, with an email address for the placeholder.
   */
  const bodies = (text: string): object[] =>
    [...text.matchAll(/-d '(\{.*?\})'/gs)].map(
      ([, body = '']) => JSON.parse(body.replaceAll('<email>', 'ann@example.com')) as object,
    );

  test.each([
    ['/', 2, 0],
    ['/auth.md', 0, 1],
    ['/skills/captioner/SKILL.md', 1, 1],
  ])('%s: %i payloads, %i registrations, all valid', async (path, payloads, registrations) => {
    const sent = bodies(await markdown(path));
    const runs = sent.filter((body) => 'audio' in body);
    const starts = sent.filter((body) => 'assertion' in body);
    expect([runs.length, starts.length]).toEqual([payloads, registrations]);
    for (const body of runs) expect(validator(CaptionerPayload).issues(body)).toEqual([]);
    for (const body of starts) expect(validator(AgentAuthRequest).issues(body)).toEqual([]);
  });

  test.each(
    '/ /auth.md /guide.md /limits.md /privacy.md /skills/captioner/SKILL.md /llms.txt'.split(' '),
  )('%s sends keys only to this host, and has no placeholder left', async (path) => {
    const text = await markdown(path);
    // Every other document that it links is described, so that generated clients know it too.
    const { paths } = await ask('/openapi.json').json();
    for (const [, linked = ''] of text.matchAll(
      /\]\(https?:\/\/[^/)]+(\/[^)#?]*\.(?:md|json|txt))/g,
    )) {
      expect(Object.keys(paths)).toContain(linked);
    }
    expect(text).not.toMatch(/\{\{|undefined|\[object/);
    for (const [address] of text.matchAll(/https?:\/\/[^\s'")`>]+/g)) {
      expect(address).toStartWith(baseUrl);
    }
  });
});

describe('the well-known documents: complete, exact and consistent', async () => {
  const baseUrl = 'https://captions.example.com';
  const site = (options: object = {}) => documentsOf({ baseUrl, ...options });
  const ask = site();
  const json = async (path: string, from = ask): Promise<Any> => from(path).json();

  const resource = await json('/.well-known/oauth-protected-resource');
  const authorization = await json('/.well-known/oauth-authorization-server');

  describe('protected resource and authorization server', () => {
    test('match the contract and name exactly one host', () => {
      expect(validator(discovery.ProtectedResourceMetadata).issues(resource)).toEqual([]);
      expect(validator(discovery.AuthorizationServerMetadata).issues(authorization)).toEqual([]);
      expect(resource.resource).toBe(baseUrl);
      expect(resource.authorization_servers).toEqual([baseUrl]);
      expect(authorization.issuer).toBe(baseUrl);
      expect(resource.bearer_methods_supported).toEqual(['header']);
      expect(resource.scopes_supported).toEqual([...SCOPES]);
      expect(authorization.agent_auth).toEqual(resource.agent_auth);
    });

    test('the MCP server is a separate resource, and every named endpoint exists', async () => {
      const mcp = await json('/.well-known/oauth-protected-resource/mcp');
      expect(mcp).toEqual({ ...resource, resource: `${baseUrl}/mcp` });
      const named = Object.keys(paths());
      for (const [name, value] of Object.entries(authorization)) {
        if (name.endsWith('_endpoint')) expect(named).toContain(String(value).replace(baseUrl, ''));
      }
      expect(authorization).not.toHaveProperty('revocation_endpoint');
    });
  });

  describe('catalog, skills, card', () => {
    test('the catalog has one entry, with description, documentation, auth document and status', async () => {
      const catalog = await json('/.well-known/api-catalog');
      expect(validator(discovery.ApiCatalog).issues(catalog)).toEqual([]);
      expect(catalog.linkset).toHaveLength(2);
      const [entry, mcp] = catalog.linkset;
      expect(mcp.anchor).toBe(`${baseUrl}/mcp`);
      expect(mcp['service-desc']).toEqual([
        { href: `${baseUrl}/mcp/server-card`, type: 'application/mcp-server-card+json' },
      ]);
      expect(entry.anchor).toBe(`${baseUrl}/`);
      const targets = ['service-desc', 'service-doc', 'status'].flatMap((relation) =>
        entry[relation].map((target: Any) => target.href),
      );
      const paths = ['/openapi.json', '/', '/auth.md', '/health'];
      expect(targets).toEqual(paths.map((path) => `${baseUrl}${path}`));
      const head = ask('/.well-known/api-catalog', { method: 'HEAD' });
      expect(head.headers.get('link')).toContain(
        `<${baseUrl}/.well-known/api-catalog>; rel="api-catalog"`,
      );
    });

    test('the digest of the skill matches the bytes served, and the names agree', async () => {
      const index = await json('/.well-known/agent-skills/index.json');
      expect(validator(discovery.AgentSkillsIndex).issues(index)).toEqual([]);
      expect(index.$schema).toBe('https://schemas.agentskills.io/discovery/0.2.0/schema.json');
      expect(index.skills).toHaveLength(1);
      const [skill] = index.skills;
      const file = ask(skill.url.replace(baseUrl, ''));
      const bytes = new Uint8Array(await file.arrayBuffer());
      const digest = createHash('sha256').update(bytes).digest('hex');
      expect(skill.digest).toBe(`sha256:${digest}`);
      const text = new TextDecoder().decode(bytes);
      const matter: Any = load(/^---\n(.*?)\n---\n/s.exec(text)?.[1] ?? '');
      expect([matter.name, matter.description]).toEqual([skill.name, skill.description]);
      expect(skill.description.length).toBeLessThanOrEqual(1024);
      expect(skill.url).toContain(`/${skill.name}/SKILL.md`);
    });

    test('the AI Catalog lists each resource with a URN, a type and an address that responds', async () => {
      const answer = ask('/.well-known/ai-catalog.json');
      expect(answer.headers.get('content-type')).toBe('application/ai-catalog+json');
      const catalog: Any = await answer.json();
      // Required by specification 1.0: specVersion and entries; in an entry identifier, type, and url
      // or data.
      expect(catalog.specVersion).toBe('1.0');
      expect(catalog.host.displayName).toBe('Captioner');
      expect(catalog.entries.length).toBe(4);
      for (const entry of catalog.entries) {
        expect(entry.identifier).toMatch(/^urn:air:captions\.example\.com:[a-z]+:captioner$/);
        expect(entry).not.toHaveProperty('data');
        const { status, headers } = ask(entry.url.replace(baseUrl, ''));
        expect([entry.url, status]).toEqual([entry.url, 200]);
        const [type = ''] = entry.type.split(';');
        expect(headers.get('content-type')).toStartWith(type);
      }
      expect(new Set(catalog.entries.map(({ identifier }: Any) => identifier)).size).toBe(4);
    });
  });

  describe('auth.md', () => {
    test('has its name in the heading, and lists every request and every error of the contract', async () => {
      const text = await ask('/auth.md').text();
      expect(text).toMatch(/^# .*auth\.md/);
      for (const { register_uri, claim_complete_uri } of [resource.agent_auth]) {
        expect(text).toContain(`'${register_uri}'`);
        expect(text).toContain(`'${claim_complete_uri}'`);
      }
      const codes = `
        unsupported_identity_type unsupported_assertion_type unsupported_credential_type
        unsupported_scope invalid_email invalid_claim_token invalid_otp claim_already_used
        claim_expired too_many_attempts rate_limited user_mismatch idp_* claim_not_supported
        invalid_request missing_credential invalid_credential insufficient_scope
      `;
      for (const code of codes.trim().split(/\s+/)) expect(text).toContain(`| \`${code}\` |`);
      for (const scope of SCOPES) expect(text).toContain(`\`${scope}\``);
    });
  });
});

describe('pages for people in other languages', () => {
  const page = async (path: string, headers: Record<string, string> = {}) => {
    const response = await fetch(`${url}${path}`, { headers: { accept: 'text/html', ...headers } });
    return { response, text: await response.text() };
  };
  const languageOf = ({ response, text }: Awaited<ReturnType<typeof page>>) => [
    /<html lang="([^"]+)"/.exec(text)?.[1],
    response.headers.get('content-language'),
  ];

  test.each([
    ['/', 'de-AT,de;q=0.9,en;q=0.8', 'de'],
    ['/', 'xx, *;q=0.5', 'en'],
    ['/', 'de;q=0, en', 'en'],
    ['/', 'en-GB, de;q=0.9', 'en'],
    ['/', '', 'en'],
    ['/?lang=de', 'en', 'de'],
    ['/?lang=en', 'de', 'en'],
    ['/?lang=%F0', 'de', 'de'],
    ['/guide', 'de', 'de'],
    ['/guide', 'pt-PT, en;q=0.5', 'pt-BR'],
    ['/', 'zh-CN', 'zh-Hans'],
    ['/limits', 'de', 'en'],
  ])('%s for %j is in %s', async (path, wanted, language) => {
    const found = await page(path, wanted === '' ? {} : { 'accept-language': wanted });
    expect(languageOf(found)).toEqual([language, language]);
    const isTranslated = !path.startsWith('/limits');
    expect(found.response.headers.get('vary')!.includes('Accept-Language')).toBe(isTranslated);
  });

  test('each names its own address and those of the others, as does the sitemap', async () => {
    for (const path of ['/', '/guide']) {
      const { text } = await page(`${path}?lang=de`);
      expect(text).toContain(`<link rel="canonical" href="${baseUrl}${path}?lang=de">`);
      expect((await page(path)).text).toContain(`<link rel="canonical" href="${baseUrl}${path}">`);
      for (const [tag, query] of [
        ['en', ''],
        ['de', '?lang=de'],
        ['x-default', ''],
      ]) {
        expect(text).toContain(`hreflang="${tag}" href="${baseUrl}${path}${query}">`);
      }
      expect((await page('/sitemap.xml')).text).toContain(`<loc>${baseUrl}${path}?lang=de</loc>`);
    }
  });

  test('what programs read stays in English', async () => {
    const { response, text } = await page('/guide', {
      accept: 'text/markdown',
      'accept-language': 'de',
    });
    expect(response.headers.get('vary')).toContain('Accept-Language');
    expect(text).toContain('# From a talk to captions');
    const front = (await page('/?lang=de')).text;
    expect(front).toContain('<h1>Untertitel mit richtigen Namen</h1>');
    expect(front).toContain('<article lang="en" dir="ltr">');
  });

  test('an error is told in the language that is asked for, by its code', async () => {
    const documents = createDocuments({ ...lifetimes, baseUrl, packs, paths });
    const told = async (problem: Problem, language: string) => {
      const request = new Request(`${baseUrl}/nowhere`, {
        headers: { 'accept-language': language },
      });
      return documents.errorPage(request, problem).text();
    };
    expect(await told(Problem.notFound(), 'de')).toContain('Unter dieser Adresse gibt es nichts.');
    expect(await told(Problem.notFound(), 'en')).toContain('There is nothing at this address.');
    const odd = await told(new Problem(418, 'teapot', 'I am a <teapot>.'), 'de');
    expect(odd).toContain('„<bdi lang="en">I am a &lt;teapot&gt;.</bdi>“');
    expect(odd).toContain('<html lang="de" dir="ltr">');
    expect(await told(Problem.notFound(), 'ar')).toContain('<html lang="ar" dir="rtl">');
  });
});
