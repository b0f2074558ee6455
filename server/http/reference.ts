/**
 * GET /docs: /openapi.json as a readable API reference. The viewer is Scalar's single file, served from here so that
 * the page needs no other host. It is taken from Scalar's Fastify plugin, because the viewer's own package has 27
 * dependencies that are already inside the file.
 */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Elysia } from 'elysia';
import tokensCss from '../../web/tokens.css' with { type: 'text' };
import { escapeHtml } from './documents/html.ts';
import { represent, send, type Representation } from './documents/representation.ts';
import { VIEWER_POLICY } from './csp.ts';
import { once } from '../once.ts';
import { detail, HIDDEN } from './openapi/detail.ts';
import { headerRef, response, text } from './openapi/responses.ts';

const SCRIPT_PATH = '/docs/viewer.js';

type Set = 'light' | 'dark';

/** A colour from one of the two sets of tokens. */
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

/** The style of the documents. */
const LOOK = `
.light-mode {${palette('light', 'paper-sunken', ['#e7e7e1', '#63676d'])}}
.dark-mode {${palette('dark', 'paper-raised', ['#2a2e33', '#989da4'])}}
body { margin: 0; --scalar-font: system-ui, -apple-system, Roboto, sans-serif;
  --scalar-font-code: ui-monospace, Menlo, Consolas, monospace; }
`;

/** The routes of the reference. Both responses are prepared on first request, since few clients need them. */
export function referenceRoutes() {
  const page = once(async () => renderPage());
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

const TITLE = 'API reference · Captioner';

/** The settings of the viewer, which exchanges nothing with other hosts. */
const VIEWER = {
  url: '/openapi.json',
  customCss: LOOK,
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: 'never',
  metaData: { title: TITLE },
};

/** The page; the viewer finds its settings in the element with this id. */
const renderPage = (): Representation =>
  represent(
    `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${TITLE}</title>
<meta name="description" content="All operations, fields, limits and errors of the Captioner service.">
<link rel="icon" type="image/svg+xml" href="/favicon.svg">
<style>${LOOK}</style>
</head>
<body>
<script id="api-reference" type="application/json" data-configuration="${escapeHtml(JSON.stringify(VIEWER))}"></script>
<script src="${SCRIPT_PATH}"></script>
</body>
</html>
`,
    {
      type: 'text/html; charset=utf-8',
      headers: { 'content-security-policy': VIEWER_POLICY },
    },
  );

async function readScript(): Promise<Representation> {
  const entry = createRequire(import.meta.url).resolve('@scalar/fastify-api-reference');
  const bytes = await readFile(join(entry, '../js/standalone.js'));
  return represent(new Uint8Array(bytes), { type: 'text/javascript; charset=utf-8' });
}
