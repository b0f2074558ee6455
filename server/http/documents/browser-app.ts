/** GET /app: the browser app, which is a page and the files it loads, all from this host. */
import { Elysia } from 'elysia';
import type { AppFile } from '../../../web/bundle.ts';
import { MP3_RECOMMENDATION } from '../../contract/audio.ts';
import type { ProviderSummary } from '../../contract/providers.ts';
import type { ServerDescription } from '../../contract/discovery.ts';
import type { TermPackList } from '../../contract/terminology.ts';
import { loadAppFiles } from './app-bundle.ts';
import { escapeHtml } from './html.ts';
import { type Representation, represent, sendRepresentation } from './representation.ts';
import { once } from '../../base/concurrency.ts';
import { HIDDEN } from '../openapi/detail.ts';
import { APP_POLICY } from '../response-headers.ts';
import { Problem } from '../problems.ts';

const TYPES: Record<string, string> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  mp3: 'audio/mpeg',
};

interface BrowserAppServices {
  packs: TermPackList;
  providers: readonly ProviderSummary[];
  sendsMail: boolean;
  singleSignOn: { name: string } | null;
}

/** The routes of the app. Its files are prepared on the first request and then kept. */
export function browserAppRoutes(services: BrowserAppServices) {
  const app = once(() => prepare(services));
  return new Elysia()
    .get('/app', async ({ request }) => sendRepresentation(request, (await app()).page), {
      detail: HIDDEN,
    })
    .get(
      '/app/:file',
      async ({ request, params }) => {
        const file = (await app()).files.get(params.file);
        if (!file) throw Problem.notFound();
        return sendRepresentation(request, file);
      },
      { detail: HIDDEN },
    );
}

interface PreparedApp {
  page: Representation;
  files: Map<string, Representation>;
}

async function prepare(services: BrowserAppServices): Promise<PreparedApp> {
  const files = await loadAppFiles();
  const page = represent(renderPage(files, describeServer(services)), {
    type: 'text/html; charset=utf-8',
    // The files of a new version have new names, so the page is requested again each time.
    headers: { 'content-security-policy': APP_POLICY, 'cache-control': 'no-cache' },
  });
  return { page, files: new Map(files.map((file) => [file.name, representFile(file)])) };
}

const representFile = ({ name, bytes }: AppFile): Representation =>
  represent(bytes, {
    type: TYPES[name.replace(/^.*\./, '')] ?? 'application/octet-stream',
    headers: { 'cache-control': 'public, max-age=31536000, immutable' },
  });

function renderPage(files: readonly AppFile[], server: ServerDescription): string {
  const entry = (extension: string): string =>
    files.find(({ name }) => name.startsWith('main-') && name.endsWith(extension))?.name ?? '';
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Captioner</title>
<meta name="viewport" content="width=device-width, initial-scale=1, interactive-widget=resizes-content">
<meta name="description" content="Drop a talk, review the captions, download SRT or VTT.">
<meta name="color-scheme" content="light dark">
<meta name="server" content="${escapeHtml(JSON.stringify(server))}">
<link rel="icon" type="image/svg+xml" href="/favicon.svg">
<link rel="stylesheet" href="/app/${entry('.css')}">
<script type="module" src="/app/${entry('.js')}"></script>
</head>
<body>
<div id="app">
<p class="starting">Captioner is loading. If this message stays, <a href="">reload the page</a>.</p>
</div>
<noscript>
<main>
<h1>Captioner</h1>
<p>This page needs JavaScript. Without it, captions are made from a shell or by an agent: the
<a href="/guide">guide</a> explains how.</p>
</main>
</noscript>
</body>
</html>
`;
}

const describeServer = ({
  packs,
  providers,
  sendsMail,
  singleSignOn,
}: BrowserAppServices): ServerDescription => ({
  providers,
  packs: packs.packs.map(({ id, title, description = '', termCount }) => ({
    id,
    title,
    description,
    termCount,
  })),
  sendsMail,
  signOnName: singleSignOn?.name ?? null,
  ffmpegCommand: MP3_RECOMMENDATION.command,
});
