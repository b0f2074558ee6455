/**
 * Holds all static documents of the service in memory.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { estimateTokenCount } from 'tokenx';
import authMd from '../../../content/auth.md' with { type: 'text' };
import favicon from '../../../content/favicon.svg' with { type: 'text' };
import indexMd from '../../../content/index.md' with { type: 'text' };
import limitsMd from '../../../content/limits.md' with { type: 'text' };
import llmsMd from '../../../content/llms.md' with { type: 'text' };
import openAiMd from '../../../content/openai.md' with { type: 'text' };
import pageScript from '../../../content/page.js' with { type: 'text' };
import privacyMd from '../../../content/privacy.md' with { type: 'text' };
import skillMd from '../../../content/skill.md' with { type: 'text' };
import type { Bounds, Lifetimes, Operator } from '../../config/config.ts';
import type { ProviderSummary } from '../../contract/providers.ts';
import type { TermPackList } from '../../contract/terminology.ts';
import { lazily } from '../../base/concurrency.ts';
import { openApiDocument, SLICES, sliceOf, asOpenApi31, type Paths } from './openapi-document.ts';
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
import { DocumentError } from '../../texts/fill.ts';
import { LANGUAGE_TAGS, textsIn } from '../../texts/languages.ts';
import { readSource, type Source } from './html.ts';
import { placeholderValues, valuesIn } from './values.ts';
import { policyOf, type PageOptions, renderPage } from './page.ts';
import { type ErrorPage, errorPage } from './error-page.ts';

export interface SiteOptions extends MetadataOptions, Lifetimes, Bounds, Operator {
  packs: TermPackList;
  /** The providers described in the documents. */
  providers?: readonly ProviderSummary[];
  /** The operations that /openapi.json describes, read on its first request. */
  paths(): Paths;
}

/** A page with an HTML version in each of its languages, and a Markdown version in English, at one address. */
interface NegotiatedPage {
  html: Representation;
  /** In languages besides English, by their tags. */
  others: ReadonlyMap<string, Representation>;
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
  ['/guide', '/guide.md', 'en.md', textsIn('en').guide],
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
    errorPage: errorPage(values),
  };
  /** The days on which documents last changed, by address. */
  const changed = new Map<string, string>();
  const translated: [string, string][] = [];
  for (const [path, markdownPath, file, content] of PAGES) {
    const source = readSource(file, content, values);
    const place = { path, markdownPath };
    const links = path === '/' ? serviceLinks(baseUrl) : link;
    site.sources.set(markdownPath, source);
    changed.set(path, source.updated).set(markdownPath, source.updated);
    const translations = translationsOf(path, source, values);
    for (const [tag, { updated }] of translations)
      translated.push([`${path}?lang=${tag}`, updated]);
    site.pages.set(
      path,
      negotiatedPage(
        () => source,
        { baseUrl, place, ...(path === '/' && { front: values }) },
        links,
        translations,
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
    ['/sitemap.xml', represent(sitemap(baseUrl, [...changed, ...translated]), XML)],
    ['/page.js', represent(pageScript, { type: 'text/javascript; charset=utf-8' })],
    ['/favicon.svg', icon],
    ['/favicon.ico', icon],
    ...SHOWN.map((path): [string, Representation] => [`/${path}`, shownFile(path)]),
    [REFERENCE.markdownPath, markdownFile(() => reference().markdown, { link })],
    ...openApiFiles(openApi),
    ['/terminology/packs', representJson(options.packs)],
    ...wellKnown(options, skill, skillFile),
  ];
  for (const [path, file] of files) site.files.set(path, file);
  return site;
}

const CONTENT = new URL('../../../content/', import.meta.url);
const SHOWN_TYPES: Readonly<Record<string, string>> = { webp: 'image/webp', woff2: 'font/woff2' };
const typeShown = (path: string): string | undefined => SHOWN_TYPES[path.replace(/^.*\./, '')];
/** The pictures and the typeface of the front page, by their paths in the folder of content. */
const SHOWN = ['pictures', 'fonts'].flatMap((folder) =>
  readdirSync(new URL(folder, CONTENT))
    .map((name) => `${folder}/${name}`)
    .filter((path) => typeShown(path) !== undefined),
);

/** A picture or the typeface. */
const shownFile = (path: string): Representation =>
  representLate(() =>
    represent(new Uint8Array(readFileSync(new URL(path, CONTENT))), {
      type: typeShown(path)!,
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

/** A page in languages besides English. The front page is translated; the document below it is for programs. */
function translationsOf(
  path: string,
  source: Source,
  values: Record<string, string>,
): Map<string, Source> {
  if (path !== '/' && path !== '/guide') return new Map();
  return new Map(
    LANGUAGE_TAGS.filter((tag) => tag !== 'en').map((tag): [string, Source] => {
      const { front, guide } = textsIn(tag);
      if (path === '/guide') return [tag, readSource(`${tag}.md`, guide, valuesIn(tag, values))];
      const { title = '', description = '' } = front;
      return [tag, { ...source, title, description }];
    }),
  );
}

function negotiatedPage(
  source: () => Source,
  options: PageOptions,
  link: string,
  translations: ReadonlyMap<string, Source> = new Map(),
): NegotiatedPage {
  const isTranslated = translations.size > 0;
  const languages = isTranslated ? ['en', ...translations.keys()] : [];
  const vary = `Accept, ${isTranslated ? 'Accept-Language, ' : ''}Accept-Encoding`;
  const html = (of: () => Source, language: string) =>
    representLate(() =>
      represent(renderPage(of(), { ...options, language, languages }), {
        type: 'text/html; charset=utf-8',
        headers: {
          link,
          'content-language': language,
          'content-security-policy': policyOf(options),
          'referrer-policy': 'strict-origin-when-cross-origin',
        },
        vary,
      }),
    );
  return {
    html: html(source, 'en'),
    others: new Map([...translations].map(([tag, of]) => [tag, html(() => of, tag)])),
    markdown: markdownFile(() => source().markdown, { link }, vary),
  };
}
