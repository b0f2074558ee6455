/**
 * GET /docs/try: an explorer that sends requests to the API. It is the page of `@elysiajs/swagger`; its viewer, Swagger
 * UI, comes from this host and reads /openapi.json. `swagger-ui-dist` would report each installation to a third party, so
 * its files are taken from a package that has them without it. A key is typed by hand, and forgotten with the page.
 */
import { Elysia } from 'elysia';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { once } from '../../base/concurrency.ts';
import { HIDDEN } from '../openapi/detail.ts';
import {
  type Representation,
  represent,
  representLarge,
  sendRepresentation,
} from './representation.ts';
import { explorerPolicy } from '../response-headers.ts';
import { Problem } from '../problems.ts';

/** The files of Swagger UI that the page loads, by their names under /docs/try. */
const FILES = {
  'swagger-ui-bundle.js': {
    resolve: () => import.meta.resolve('@fastify/swagger-ui/static/swagger-ui-bundle.js'),
    type: 'text/javascript; charset=utf-8',
  },
  'swagger-ui.css': {
    resolve: () => import.meta.resolve('@fastify/swagger-ui/static/swagger-ui.css'),
    type: 'text/css; charset=utf-8',
  },
};

/** The routes. The page and its files are prepared on the first request for any of them, and then kept. */
export function explorerRoutes() {
  const explorer = once(prepare);
  return new Elysia()
    .get('/docs/try', async ({ request }) => sendRepresentation(request, (await explorer()).page), {
      detail: HIDDEN,
    })
    .get(
      '/docs/try/:file',
      async ({ request, params }) => {
        const file = (await explorer()).files.get(params.file);
        if (!file) throw Problem.notFound();
        return sendRepresentation(request, file);
      },
      { detail: HIDDEN },
    );
}

interface Explorer {
  page: Representation;
  files: Map<string, Representation>;
}

async function prepare(): Promise<Explorer> {
  const files = new Map<string, Representation>();
  for (const [name, { resolve, type }] of Object.entries(FILES)) {
    const bytes = new Uint8Array(await readFile(fileURLToPath(resolve())));
    files.set(name, await representLarge(bytes, { type }));
  }
  const html = await explorerPage();
  const page = represent(html, {
    type: 'text/html; charset=utf-8',
    headers: { 'content-security-policy': explorerPolicy(html) },
  });
  return { page, files };
}

/** What a reader finds above the viewer, also without script. */
const INTRODUCTION = `<p class="swagger-ui wrapper"><a href="../docs">API reference</a></p>
    <noscript><p>This page needs JavaScript. The <a href="../docs">API reference</a> does not.</p></noscript>`;

/** Creates the page. Its addresses are relative, because a proxy may serve the service under a path. */
async function explorerPage(): Promise<string> {
  const { swagger } = await import('@elysiajs/swagger');
  const plugin = swagger({
    provider: 'swagger-ui',
    path: '/docs/try',
    specPath: '../openapi.json',
    theme: 'try/swagger-ui.css',
    documentation: {
      info: {
        title: 'Try the API · Captioner',
        description: 'Send requests to Captioner from the browser.',
        version: '',
      },
    },
    swaggerOptions: {
      deepLinking: true,
      displayRequestDuration: true,
      persistAuthorization: false,
      tryItOutEnabled: true,
      // Otherwise it sends the address of the document to a service of its makers.
      validatorUrl: null as unknown as string,
    },
  });
  const made = await (await plugin.handle(new Request('http://localhost/docs/try'))).text();
  const page = made
    .replace(
      /src="https:[^"]*\/swagger-ui-bundle\.js" crossorigin/,
      'src="try/swagger-ui-bundle.js"',
    )
    .replace('<div id="swagger-ui">', `${INTRODUCTION}\n    $&`);
  if (/\b(?:src|href)="https?:/.test(page)) throw new Error('the explorer names another host');
  return page;
}
