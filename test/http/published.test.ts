/**
 * Snapshots of everything that the service publishes about itself, because clients and agents
 * depend on it. `OUTLINES=write npm test -- test/http/published.test.ts` updates them.
 */
import { expect, setDefaultTimeout, test } from 'bun:test';
import { readConfig } from '../../server/config.ts';
import { errorPage, ERROR_MARKS } from '../../server/http/documents/error-page.ts';
import { renderPage } from '../../server/http/documents/page.ts';
import { readSource } from '../../server/http/documents/source.ts';
import { placeholderValues } from '../../server/http/documents/values.ts';
import { Problem } from '../../server/http/problems.ts';
import { providerSummaries } from '../../server/pipeline/providers.ts';
import { documentsOf, lifetimes, packs } from '../support/documents.ts';
import { expectKeptIn } from '../support/kept.ts';
import { mountedApp, sendMessage } from '../support/servers/mounted.ts';
import type { Any } from '../support/servers/client.ts';

setDefaultTimeout(300_000);

const baseUrl = 'https://captions.example.com';
const providers = providerSummaries(readConfig({ OPENAI_API_KEY: 'k', DEEPGRAM_API_KEY: 'k' }));
const ask = documentsOf({ baseUrl, providers });
const keep = (name: string, lines: readonly string[]): void =>
  expectKeptIn(new URL('outlines/', import.meta.url), name, lines);
const pretty = (value: unknown): string[] => JSON.stringify(value, null, 1).split('\n');

const JSON_DOCUMENTS = [
  '/.well-known/api-catalog',
  '/.well-known/oauth-protected-resource',
  '/.well-known/oauth-authorization-server',
  '/.well-known/oauth-protected-resource/mcp',
  '/.well-known/mcp/server-card.json',
  '/mcp/server-card',
  '/.well-known/ai-catalog.json',
  '/.well-known/agent-skills/index.json',
];
/** Pages with a form for people and one for programs. */
const PAGES = ['/', '/auth', '/guide', '/limits', '/privacy', '/docs'];
const OTHERS = [
  '/auth.md',
  '/guide.md',
  '/limits.md',
  '/privacy.md',
  '/docs.md',
  '/skills/captioner/SKILL.md',
  '/llms.txt',
  '/robots.txt',
  '/sitemap.xml',
  '/page.js',
  '/favicon.svg',
  '/favicon.ico',
  '/openapi.json',
  '/openapi.json?version=3.1',
  '/terminology/packs',
];

/** What depends on the text of a document, or on the day. */
const VARYING = new Set(['etag', 'content-length', 'x-markdown-tokens', 'date', 'last-modified']);

test('the OpenAPI document', async () => {
  keep('openapi', pretty(await ask('/openapi.json').json()));
});

test('the well-known documents', async () => {
  const documents: Record<string, unknown> = {};
  for (const path of JSON_DOCUMENTS) {
    const text = await ask(path).text();
    // Digests change with every text.
    documents[path] = JSON.parse(text.replaceAll(/sha256[:-][\w+/=-]+/g, 'sha256'));
  }
  keep('well-known', pretty(documents));
});

test('the headers of each document, in each of its forms', () => {
  const lines: string[] = [];
  for (const path of [...PAGES, ...JSON_DOCUMENTS, ...OTHERS]) {
    for (const accept of PAGES.includes(path) ? ['text/html', 'text/markdown'] : ['*/*']) {
      const response = ask(path, { headers: { accept } });
      lines.push(`${path} for ${accept}: ${response.status}`);
      for (const [name, value] of response.headers) {
        if (!VARYING.has(name)) lines.push(`  ${name}: ${value}`);
      }
    }
  }
  keep('document-headers', lines);
});

test('the addresses for crawlers', async () => {
  const sitemap = await ask('/sitemap.xml').text();
  const robots = await ask('/robots.txt').text();
  keep('crawlers', [robots, sitemap.replaceAll(/\d{4}-\d\d-\d\d/g, 'day')]);
});

test('the figures that documents state', () => {
  const values = placeholderValues(baseUrl, packs, providers, lifetimes);
  // The list of packs is data.
  const figures = Object.entries(values).filter(([name]) => !name.startsWith('pack'));
  keep(
    'document-values',
    figures.map(([name, value]) => `${name}: ${value}`),
  );
});

test('a page, and the page of an error', async () => {
  const text = `---
title: "A <page>"
description: "Of \\"all\\" kinds."
updated: 2026-11-20
---
# A page

One **two** \`three\` [four](/auth) <https://example.com>.

## First

- a
- b

### Within

| a | b |
| - | - |
| 1 | 2 |

## Second

\`\`\`sh
curl -fsS ${baseUrl}
\`\`\`

## Third

> Quoted.
`;
  const source = readSource('page.md', text, {});
  const at = (path: string, markdownPath: string, depth: 2 | 3) =>
    renderPage(source, {
      baseUrl,
      place: { path, markdownPath },
      depth,
    }).replace(/<style>[^]*<\/style>/, '<style>');
  const lines = [at('/auth', '/auth.md', 3), at('/', '/', 2)];
  const { error_title, error_message, error_code } = ERROR_MARKS;
  const marked = text.replace('One', `${error_title} ${error_message} ${error_code}`);
  const page = errorPage(readSource('error.md', marked, {}), baseUrl);
  for (const status of [400, 401, 403, 404, 405, 500, 503]) {
    const response = page(new Problem(status, 'some_code', 'It is <b>not</b> there.'));
    expect(response.status).toBe(status);
    const body = (await response.text()).split('\n').filter((line) => line.includes('some_code'));
    lines.push(`${status}:`, ...body);
  }
  keep('pages', lines);
});

test('the tools, prompts and resources of the MCP server', async () => {
  const app = await mountedApp();
  const ann = await app.signUp('ann@example.com');
  const call = (method: string, params: object = {}): Promise<Any> =>
    sendMessage(app, ann, method, params);
  const clientInfo = { name: 'test', version: '1' };
  const initialize = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo };
  const answers: Record<string, unknown> = { initialize: await call('initialize', initialize) };
  for (const method of [
    'tools/list',
    'prompts/list',
    'resources/list',
    'resources/templates/list',
  ]) {
    answers[method] = await call(method);
  }
  keep('mcp', pretty(answers));
});
