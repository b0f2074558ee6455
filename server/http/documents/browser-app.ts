/** GET /app: the browser app, which is a page and the files it loads, all from this host. */
import { Elysia } from 'elysia';
import type { AppFile } from '../../../web/bundle.ts';
import { MP3_RECOMMENDATION } from '../../contract/audio.ts';
import type { ProviderSummary } from '../../contract/providers.ts';
import type { ServerDescription } from '../../contract/discovery.ts';
import type { TermPackList } from '../../contract/terminology.ts';
import { loadAppFiles } from './app-bundle.ts';
import { escapeHtml } from './html.ts';
import {
  type Representation,
  represent,
  representLate,
  sendRepresentation,
} from './representation.ts';
import { directionOf } from '../../contract/best-language.ts';
import { once } from '../../base/concurrency.ts';
import { LANGUAGE_TAGS, textsIn } from '../../texts/languages.ts';
import { readerLanguage } from '../reader-language.ts';
import { HIDDEN } from '../openapi/detail.ts';
import { APP_POLICY } from '../response-headers.ts';
import { Problem } from '../problems.ts';

const TYPES: Record<string, string> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  mp3: 'audio/mpeg',
  webm: 'video/webm',
  webp: 'image/webp',
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
    .get(
      '/app',
      async ({ request }) =>
        sendRepresentation(request, (await app()).pages.get(readerLanguage(request))!),
      { detail: HIDDEN },
    )
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
  /** By language. */
  pages: Map<string, Representation>;
  files: Map<string, Representation>;
}

async function prepare(services: BrowserAppServices): Promise<PreparedApp> {
  const files = await loadAppFiles();
  const server = describeServer(services);
  const pageIn = (language: string): Representation =>
    representLate(() =>
      represent(renderPage(files, server, language), {
        type: 'text/html; charset=utf-8',
        headers: {
          'content-language': language,
          'content-security-policy': APP_POLICY,
          // The files of a new version have new names, so the page is requested again each time.
          'cache-control': 'no-cache',
        },
        vary: 'Accept-Language, Accept-Encoding',
      }),
    );
  const pages = new Map(LANGUAGE_TAGS.map((tag) => [tag, pageIn(tag)]));
  return { pages, files: new Map(files.map((file) => [file.name, representFile(file)])) };
}

const representFile = ({ name, bytes }: AppFile): Representation =>
  represent(bytes, {
    type: TYPES[name.replace(/^.*\./, '')] ?? 'application/octet-stream',
    headers: { 'cache-control': 'public, max-age=31536000, immutable' },
  });

function renderPage(
  files: readonly AppFile[],
  server: ServerDescription,
  language: string,
): string {
  const { app } = textsIn(language);
  const entry = (extension: string): string =>
    files.find(({ name }) => name.startsWith('main-') && name.endsWith(extension))?.name ?? '';
  return `<!doctype html>
<html lang="${language}" dir="${directionOf(language)}">
<head>
<meta charset="utf-8">
<title>Captioner</title>
<meta name="viewport" content="width=device-width, initial-scale=1, interactive-widget=resizes-content">
<meta name="description" content="${app['description']}">
<meta name="color-scheme" content="light dark">
<meta name="server" content="${escapeHtml(JSON.stringify(server))}">
<link rel="icon" type="image/svg+xml" href="/favicon.svg">
<link rel="stylesheet" href="/app/${entry('.css')}">
<script type="module" src="/app/${entry('.js')}"></script>
</head>
<body>
<div id="app">
<p class="starting">${app['loading']}</p>
</div>
<noscript>
<main>
<h1>Captioner</h1>
<p>${app['script']}</p>
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
