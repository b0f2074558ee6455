/**
 * GET /docs: /openapi.json as a readable API reference. The plugin's page is rendered once; its
 * viewer is served from here, so that it works without any other host.
 */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Elysia } from 'elysia';
import tokensCss from '../../web/tokens.css' with { type: 'text' };
import { represent, send, type Representation } from './documents/representation.ts';
import { viewerPolicy } from './csp.ts';
import { once } from './once.ts';
import { detail, HIDDEN } from './openapi/detail.ts';
import { headerRef, response, text } from './openapi/responses.ts';

const SCRIPT_PATH = '/docs/viewer.js';

type Set = 'light' | 'dark';

/** A colour of one of the two sets of tokens. */
function color(set: Set, name: string): string {
  const pair = new RegExp(`--${name}: light-dark\\((#[0-9a-f]{6}), (#[0-9a-f]{6})\\);`);
  const value = pair.exec(tokensCss)?.[set === 'light' ? 1 : 2];
  if (value === undefined) throw new Error(`tokens.css has no colour ${name}`);
  return value;
}

/** The tokens under the viewer's names, and two intermediate shades that only it needs. */
const palette = (set: Set, second: string, [third, faint]: [string, string]): string => `
  --scalar-background-1: ${color(set, 'paper')};
  --scalar-background-2: ${color(set, second)};
  --scalar-background-3: ${third};
  --scalar-color-1: ${color(set, 'ink')};
  --scalar-color-2: ${color(set, 'ink-soft')};
  --scalar-color-3: ${faint};
  --scalar-color-accent: ${color(set, 'accent')};
  --scalar-border-color: ${color(set, 'line')};
  --scalar-background-accent: ${color(set, 'accent-wash')};
`;

/**
 * The style of the documents. The plugin writes it into an attribute in single quotes, so it must
 * not contain any.
 */
const LOOK = `
.light-mode {${palette('light', 'paper-sunken', ['#e7e7e1', '#63676d'])}}
.dark-mode {${palette('dark', 'paper-raised', ['#2a2e33', '#989da4'])}}
body { margin: 0; --scalar-font: system-ui, -apple-system, Roboto, sans-serif;
  --scalar-font-code: ui-monospace, Menlo, Consolas, monospace; }
`;

/** The routes of the reference. Both are prepared on first request, since few clients need them. */
export function referenceRoutes() {
  const page = once(renderPage);
  const script = once(readScript);
  return new Elysia()
    .get('/docs', async ({ request }) => send(request, await page()), {
      detail: detail({
        operationId: 'getReference',
        summary: 'This API reference as a page',
        tags: ['Discovery'],
        responses: {
          200: {
            description: 'This API reference as a page',
            headers: { ETag: headerRef('ETag') },
            content: text('text/html'),
          },
          '4XX': response('NotAsked'),
        },
      }),
    })
    .get(SCRIPT_PATH, async ({ request }) => send(request, await script()), { detail: HIDDEN });
}

async function renderPage(): Promise<Representation> {
  const { swagger } = await import('@elysiajs/swagger');
  const plugin = swagger({
    path: '/docs',
    provider: 'scalar',
    scalarCDN: SCRIPT_PATH,
    // The plugin passes these to a newer viewer than its types know.
    scalarConfig: VIEWER,
    documentation: {
      info: {
        title: 'API reference · Captioner',
        description: 'All operations, fields, limits and errors of the Captioner service.',
        version: '',
      },
    },
  });
  const response = await new Elysia().use(plugin).handle(new Request('http://localhost/docs'));
  const html = (await response.text())
    .replace(`"spec":${JSON.stringify(VIEWER.spec)},`, '')
    .replace('<html>', '<html lang="en">')
    .replace('<head>', '<head>\n    <link rel="icon" type="image/svg+xml" href="/favicon.svg">');
  return represent(html, {
    type: 'text/html; charset=utf-8',
    headers: { 'content-security-policy': viewerPolicy(html) },
  });
}

const VIEWER = {
  // The plugin needs the old name, the viewer only the new one.
  spec: { url: '/openapi.json' },
  url: '/openapi.json',
  customCss: LOOK,
  // Nothing is fetched from, or sent to, any other host.
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: 'never',
  metaData: { title: 'API reference · Captioner' },
};

async function readScript(): Promise<Representation> {
  const entry = createRequire(import.meta.url).resolve('@scalar/fastify-api-reference');
  const bytes = await readFile(join(entry, '../js/standalone.js'));
  return represent(new Uint8Array(bytes), { type: 'text/javascript; charset=utf-8' });
}
