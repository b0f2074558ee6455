/**
 * Holds all static documents of the service in memory.
 *
 * The page around a document: head, landmarks and table of contents. It has one inline style, identified by its hash in
 * the policy, and one small script from this host. The error page is one too, with marks that the error replaces.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { estimateTokenCount } from 'tokenx';
import authMd from '../../../content/auth.md' with { type: 'text' };
import errorMd from '../../../content/error.md' with { type: 'text' };
import favicon from '../../../content/favicon.svg' with { type: 'text' };
import guideMd from '../../../content/guide.md' with { type: 'text' };
import indexMd from '../../../content/index.md' with { type: 'text' };
import limitsMd from '../../../content/limits.md' with { type: 'text' };
import llmsMd from '../../../content/llms.md' with { type: 'text' };
import openAiMd from '../../../content/openai.md' with { type: 'text' };
import pageScript from '../../../content/page.js' with { type: 'text' };
import privacyMd from '../../../content/privacy.md' with { type: 'text' };
import skillMd from '../../../content/skill.md' with { type: 'text' };
import type { Bounds, Lifetimes, Operator } from '../../config.ts';
import type { ProviderSummary } from '../../contract/providers.ts';
import type { TermPackList } from '../../contract/terminology.ts';
import { lazily } from '../../concurrency.ts';
import { openApiDocument, SLICES, sliceOf, asOpenApi31, type Paths } from '../openapi/paths.ts';
import { referenceSource } from './reference.ts';
import {
  agentSkillsIndex,
  aiCatalog,
  apiCatalog,
  authorizationServerMetadata,
  catalogLink,
  documentLinks,
  earlierServerCard,
  protectedResourceMetadata,
  robots,
  SERVER_CARD_TYPE,
  serverCard,
  serviceLinks,
  sitemap,
  type MetadataOptions,
} from './metadata.ts';
import { type Representation, represent, representJson, representLate } from './representation.ts';
import {
  DocumentError,
  readSource,
  type Source,
  escapeHtml,
  markdownToHtml,
  fill,
  type Html,
} from './html.ts';
import { placeholderValues } from './values.ts';
import frontCss from '../../../content/front.css' with { type: 'text' };
import frontHtml from '../../../content/front.html' with { type: 'text' };
import pageCss from '../../../content/page.css' with { type: 'text' };
import baseCss from '../../../web/base.css' with { type: 'text' };
import tokensCss from '../../../web/tokens.css' with { type: 'text' };
import type { Problem } from '../problems.ts';
import { COMMON_HEADERS, documentPolicy } from '../response-headers.ts';

/** The types of Bun take every HTML file for a bundle. */
const FRONT = frontHtml as unknown as string;

const css = [tokensCss, baseCss, pageCss].join('\n');
const cssOfFront = [css, frontCss].join('\n');
const PAGE_POLICY = documentPolicy(css);
const FRONT_POLICY = documentPolicy(cssOfFront);

/** The content security policy of a page. */
const policyOf = ({ front }: Pick<PageOptions, 'front'>): string =>
  front ? FRONT_POLICY : PAGE_POLICY;

interface PageOptions {
  baseUrl: string;
  /** The address of the page and of its Markdown; null for a page that appears at any address. */
  place: { path: string; markdownPath: string } | null;
  /** The level of the smallest headings in the table of contents. */
  depth?: 2 | 3;
  /** The values of placeholders, for the page at `/`, whose document is folded below what it says to people. */
  front?: Record<string, string>;
}

/** Renders a whole HTML page. */
function renderPage(source: Source, options: PageOptions): string {
  const { baseUrl, place, depth = 2, front } = options;
  const { body, headings } = markdownToHtml(source.markdown);
  const base = escapeHtml(baseUrl);
  // The page's own files are loaded from the address of the page, because the policy allows nothing else.
  const here = escapeHtml(new URL(baseUrl).pathname.replace(/\/$/, ''));
  const contents = tableOfContents(headings, depth);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${escapeHtml(source.title)}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="description" content="${escapeHtml(source.description)}">
<meta name="color-scheme" content="light dark">
${place ? addresses(base, place) : '<meta name="robots" content="noindex">'}
<link rel="icon" type="image/svg+xml" href="${here}/favicon.svg">
<style>${front ? cssOfFront : css}</style>
<script type="module" blocking="render" src="${here}/page.js"></script>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header class="site">
<a class="brand" href="${base}/"><img src="${here}/favicon.svg" alt="" width="24" height="24">Captioner</a>
<nav aria-label="Site">
${links(SITE_LINKS, base, place?.path)}
</nav>
</header>
${front ? folded(fill('front.html', FRONT, { ...front, here }), contents, body) : plain(contents, body)}<footer class="site">
<nav aria-label="More">
${links(MORE_LINKS, base, place?.path)}
</nav>
${place ? provenance(base, place, source) : ''}</footer>
</body>
</html>
`;
}

const plain = (
  contents: string,
  body: string,
): string => `<div class="columns${contents ? '' : ' single'}">
${contents}<main id="content">
<article>
${body}</article>
</main>
</div>
`;

/** A page for people, with the document folded below; a link to a heading of the document opens it. */
const folded = (
  front: string,
  contents: string,
  body: string,
): string => `<div class="columns front">
<main id="content">
${front}<details id="developers">
<summary><h2>For developers and agents</h2></summary>
${contents}<article>
${body.replace(/^<h1 .*?<\/h1>\n/, '')}</article>
</details>
</main>
</div>
`;

const SITE_LINKS = [
  ['/', 'Service'],
  ['/app', 'App'],
  ['/guide', 'Guide'],
  ['/auth', 'Get a key'],
  ['/docs', 'API reference'],
] as const;

const MORE_LINKS = [
  ['/openai', 'From whisper-1'],
  ['/limits', 'Limits'],
  ['/privacy', 'Privacy'],
  ['/skills/captioner/SKILL.md', 'Agent skill'],
  ['/openapi.json', 'OpenAPI'],
  ['/llms.txt', 'llms.txt'],
] as const;

function links(list: readonly (readonly [string, string])[], base: string, path = ''): string {
  return list
    .map(([href, text]) => {
      const current = path === href ? ' aria-current="page"' : '';
      return `<a href="${base}${href}"${current}>${text}</a>`;
    })
    .join('\n');
}

type Place = NonNullable<PageOptions['place']>;

const addresses = (base: string, { path, markdownPath }: Place): string =>
  `<link rel="canonical" href="${base}${path}">
<link rel="alternate" type="text/markdown" href="${base}${markdownPath}">`;

function provenance(base: string, { path, markdownPath }: Place, { updated }: Source): string {
  const how = path === markdownPath ? ': ask for <code>text/markdown</code>' : '';
  return `<p>Last changed <time datetime="${updated}">${updated}</time>. <a href="${base}${markdownPath}" type="text/markdown">This page as Markdown</a>${how}.</p>
`;
}

function tableOfContents(headings: Html['headings'], depth: number): string {
  if (headings.filter(({ level }) => level === 2).length < 3) return '';
  const items = headings
    .filter(({ level }) => level >= 2 && level <= depth)
    .map(({ id, html, level }) => {
      const within = level > 2 ? ' class="within"' : '';
      return `<li${within}><a href="#${id}">${html}</a></li>`;
    });
  return `<nav class="contents" aria-labelledby="contents-title">
<h2 id="contents-title">On this page</h2>
<ol>
${items.join('\n')}
</ol>
</nav>
`;
}

type ErrorPage = (problem: Problem) => Response;

/** The values of error.md's placeholders before they are replaced; no text of ours contains them. */
const ERROR_MARKS = {
  error_title: '\uE000title\uE000',
  error_message: '\uE000message\uE000',
  error_code: '\uE000code\uE000',
};

const TITLES: Record<number, string> = {
  401: 'A key is needed',
  403: 'Your key does not allow this',
  404: 'Page not found',
  405: 'This address is not a page',
  503: 'Not now',
};

/** Creates the error page. */
function errorPage(source: Source, baseUrl: string): ErrorPage {
  const page = lazily(() => ({ html: renderPage(source, { baseUrl, place: null }) }));
  return ({ status, code, message, options }) => {
    const title = TITLES[status] ?? (status < 500 ? 'The request failed' : 'Something went wrong');
    const html = page()
      .html.replaceAll(ERROR_MARKS.error_title, () => escapeHtml(title))
      .replaceAll(ERROR_MARKS.error_code, () => escapeHtml(code))
      .replaceAll(ERROR_MARKS.error_message, () => escapeHtml(message));
    return new Response(html, {
      status,
      headers: {
        ...COMMON_HEADERS,
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': PAGE_POLICY,
        vary: 'Accept',
        ...options.headers,
      },
    });
  };
}

export interface SiteOptions extends MetadataOptions, Lifetimes, Bounds, Operator {
  packs: TermPackList;
  /** The providers described in the documents. */
  providers?: readonly ProviderSummary[];
  /** The operations that /openapi.json describes, read on its first request. */
  paths(): Paths;
}

/** A page with an HTML and a Markdown version at one address. */
interface NegotiatedPage {
  html: Representation;
  markdown: Representation;
}

export interface Site {
  /** By path; the request's Accept header selects the version. */
  pages: Map<string, NegotiatedPage>;
  /** By path; always the same media type. */
  files: Map<string, Representation>;
  /** The page that shows an error to a person. */
  errorPage: ErrorPage;
  /** The Markdown documents by address, for other readers. */
  sources: Map<string, Source>;
}

/** The addresses of pages, and of their Markdown. */
const PAGES = [
  ['/', '/', 'index.md', indexMd],
  ['/auth', '/auth.md', 'auth.md', authMd],
  ['/guide', '/guide.md', 'guide.md', guideMd],
  ['/openai', '/openai.md', 'openai.md', openAiMd],
  ['/limits', '/limits.md', 'limits.md', limitsMd],
  ['/privacy', '/privacy.md', 'privacy.md', privacyMd],
] as const;

/**
 * Reads all documents. Each form of a document is rendered on the first request for it.
 * @throws {DocumentError} a document has an unknown placeholder or no front matter
 */
export function renderSite(options: SiteOptions): Site {
  const { baseUrl } = options;
  const values = placeholderValues(baseUrl, options.packs, options.providers ?? [], options);
  const link = documentLinks(baseUrl);
  const text = (body: string) => represent(body, { type: 'text/plain; charset=utf-8' });

  const site: Site = {
    pages: new Map(),
    files: new Map(),
    sources: new Map(),
    errorPage: errorPage(readSource('error.md', errorMd, { ...values, ...ERROR_MARKS }), baseUrl),
  };
  /** The days on which documents last changed, by address. */
  const changed = new Map<string, string>();
  for (const [path, markdownPath, file, content] of PAGES) {
    const source = readSource(file, content, values);
    const place = { path, markdownPath };
    const links = path === '/' ? serviceLinks(baseUrl) : link;
    site.sources.set(markdownPath, source);
    changed.set(path, source.updated).set(markdownPath, source.updated);
    site.pages.set(
      path,
      negotiatedPage(
        () => source,
        { baseUrl, place, ...(path === '/' && { front: values }) },
        links,
      ),
    );
    if (markdownPath !== path) {
      site.files.set(
        markdownPath,
        markdownFile(() => source.markdown, { link: links }),
      );
    }
  }
  const llms = readSource('llms.md', llmsMd, values);
  const skill = readSource('skill.md', skillMd, values);
  const skillFile = markdownFile(() => skill.whole, { link });
  site.sources.set(SKILL_PATH, skill).set('/llms.txt', llms);
  changed.set(SKILL_PATH, skill.updated).set('/llms.txt', llms.updated);
  const icon = represent(favicon, { type: 'image/svg+xml' });
  const openApi = () => openApiDocument({ ...options, paths: options.paths() });
  const reference = lazily(() => referenceSource(openApi(), values));
  site.pages.set(
    REFERENCE.path,
    negotiatedPage(reference, { baseUrl, place: REFERENCE, depth: 3 }, link),
  );
  const files: [string, Representation][] = [
    [SKILL_PATH, skillFile],
    ['/llms.txt', text(llms.markdown)],
    ['/robots.txt', text(robots(baseUrl))],
    ['/sitemap.xml', represent(sitemap(baseUrl, [...changed]), XML)],
    ['/page.js', represent(pageScript, { type: 'text/javascript; charset=utf-8' })],
    ['/favicon.svg', icon],
    ['/favicon.ico', icon],
    ...PICTURES.map((name): [string, Representation] => [`/pictures/${name}`, picture(name)]),
    [REFERENCE.markdownPath, markdownFile(() => reference().markdown, { link })],
    ...openApiFiles(openApi),
    ['/terminology/packs', representJson(options.packs)],
    ...wellKnown(options, skill, skillFile),
  ];
  for (const [path, file] of files) site.files.set(path, file);
  return site;
}

const PICTURE_FOLDER = new URL('../../../content/pictures/', import.meta.url);
const PICTURES = readdirSync(PICTURE_FOLDER).filter((name) => name.endsWith('.webp'));

/** A picture of the front page. */
const picture = (name: string): Representation =>
  representLate(() =>
    represent(new Uint8Array(readFileSync(new URL(name, PICTURE_FOLDER))), {
      type: 'image/webp',
      headers: { 'cache-control': 'public, max-age=86400' },
    }),
  );

/** The page made from /openapi.json, and its Markdown. */
const REFERENCE = { path: '/docs', markdownPath: '/docs.md' };
const SKILL_PATH = '/skills/captioner/SKILL.md';
const XML = { type: 'application/xml; charset=utf-8' };
/** The address of the OpenAPI document; it is the only document with a query. */
export const OPENAPI_PATH = '/openapi.json';
const OPENAPI_31 = { type: 'application/vnd.oai.openapi+json; version=3.1.1' };
const OPENAPI = { type: 'application/vnd.oai.openapi+json; version=3.2.0' };
const LINKSET = 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"';

/** The OpenAPI document and its parts, in both versions, each made on its first request. */
function openApiFiles(whole: () => object): [string, Representation][] {
  return [undefined, ...SLICES].flatMap((tag): [string, Representation][] => {
    const made = () => (tag === undefined ? whole() : sliceOf(whole(), tag));
    // Parts are for programs and models, which pay for indentation.
    const json = tag === undefined ? representJson : representDense;
    return [
      [openApiPath('3.2', tag), representLate(() => json(made(), OPENAPI))],
      [openApiPath('3.1', tag), representLate(() => json(asOpenApi31(made()), OPENAPI_31))],
    ];
  });
}

const representDense = (value: unknown, options: { type: string }): Representation =>
  represent(`${JSON.stringify(value)}\n`, options);

/** The path of a version and a part; the whole document in version 3.2 has no query. */
export function openApiPath(version: string, tag: string | undefined): string {
  const query = new URLSearchParams({
    ...(version !== '3.2' && { version }),
    ...(tag !== undefined && { tag }),
  }).toString();
  return query === '' ? OPENAPI_PATH : `${OPENAPI_PATH}?${query}`;
}

function wellKnown(options: SiteOptions, skill: Source, file: Representation) {
  const { baseUrl } = options;
  if (skill.name === '') throw new DocumentError('skill.md: front matter needs a name');
  const { name, description } = skill;
  const url = `${baseUrl}${SKILL_PATH}`;
  const index = agentSkillsIndex([{ name, description, url, bytes: file.bytes }]);
  const catalog = { type: LINKSET, headers: { link: catalogLink(baseUrl) } };
  return [
    ['/.well-known/api-catalog', representJson(apiCatalog(baseUrl), catalog)],
    ['/.well-known/oauth-protected-resource', representJson(protectedResourceMetadata(options))],
    [
      '/.well-known/oauth-authorization-server',
      representJson(authorizationServerMetadata(options)),
    ],
    [
      '/.well-known/oauth-protected-resource/mcp',
      representJson(protectedResourceMetadata(options, '/mcp')),
    ],
    ['/.well-known/mcp/server-card.json', representJson(earlierServerCard(baseUrl))],
    [
      '/mcp/server-card',
      representJson(serverCard(baseUrl), {
        type: SERVER_CARD_TYPE,
      }),
    ],
    [
      '/.well-known/ai-catalog.json',
      representJson(aiCatalog(baseUrl), { type: 'application/ai-catalog+json' }),
    ],
    ['/.well-known/agent-skills/index.json', representJson(index)],
  ] as [string, Representation][];
}

function markdownFile(text: () => string, headers: Record<string, string>, vary?: string) {
  return representLate(() => {
    const body = text();
    return represent(body, {
      type: 'text/markdown; charset=utf-8',
      headers: { ...headers, 'x-markdown-tokens': String(estimateTokenCount(body)) },
      ...(vary ? { vary } : {}),
    });
  });
}

function negotiatedPage(source: () => Source, options: PageOptions, link: string): NegotiatedPage {
  const vary = 'Accept, Accept-Encoding';
  return {
    html: representLate(() =>
      represent(renderPage(source(), options), {
        type: 'text/html; charset=utf-8',
        headers: {
          link,
          'content-security-policy': policyOf(options),
          'referrer-policy': 'strict-origin-when-cross-origin',
        },
        vary,
      }),
    ),
    markdown: markdownFile(() => source().markdown, { link }, vary),
  };
}
