/**
 * The documents over HTTP, from memory: finds them by path and negotiates their form. Most requests never reach the
 * routes, because `app.ts` answers requests for documents before the router.
 */
import { type DocumentDecoration, Elysia } from 'elysia';
import { closed, enumeration, Type } from '../../contract/schema.ts';
import { Problem } from '../problems.ts';
import { SLICES } from './openapi-document.ts';
import { detail, HIDDEN, type OperationDetail } from '../openapi/detail.ts';
import { content, headerRef, json, response, text } from '../openapi/responses.ts';
import { prefers } from '../negotiate.ts';
import { readerLanguage } from '../reader-language.ts';
import { pathOf, type PublicAddress } from '../request.ts';
import { OPENAPI_PATH, openApiPath, renderSite, type SiteOptions, type Site } from './site.ts';
import type { Source } from './html.ts';
import { wireQuery } from '../wire.ts';
import { sendRepresentation } from './representation.ts';

/**
 * Creates a route for each document, for everything that is derived from routes: the methods of an address, and
 * /openapi.json.
 * @throws {Error} a document without a description
 */
export function documentRoutes({ paths, answer }: Pick<Documents, 'paths' | 'answer'>) {
  const routes = new Elysia();
  for (const path of paths) {
    const detail = documentOperation(path, paths);
    if (path === '/openapi.json') continue;
    routes.get(path, ({ request }) => answer(request) ?? Problem.notFound().response(), { detail });
  }
  // Reached with a query other than that of a document.
  return routes.get(
    '/openapi.json',
    ({ request }) => {
      const plain = new Request(request.url.replace(/\?.*/s, ''), request);
      return answer(plain) ?? Problem.notFound().response();
    },
    { query: wireQuery(Versions), detail: documentOperation('/openapi.json', paths) },
  );
}

const Versions = closed({
  version: Type.Optional(
    enumeration(['3.1', '3.2'], {
      description: 'The version of OpenAPI; 3.1 is for tools that do not support 3.2.',
      default: '3.2',
    }),
  ),
  tag: Type.Optional(
    enumeration(SLICES, {
      description:
        'Only a part: the operations of a tag, or `core`, the five from registration to captions.',
    }),
  ),
});

const CACHED = { ETag: headerRef('ETag') };
const LINKED = { ...CACHED, Link: headerRef('Link') };
const MARKDOWN = { ...CACHED, 'x-markdown-tokens': headerRef('MarkdownTokens') };

/** A document that always gets a 200, or a 304 for clients that already have it. */
const document = (
  operationId: string,
  summary: string,
  body: object,
  headers: object = CACHED,
  tag: OperationDetail['tags'][0] = 'Discovery',
) =>
  detail({
    operationId,
    summary,
    tags: [tag],
    responses: {
      200: { description: summary, headers, content: body },
      400: response('NotSupported'),
    },
  });

/** A page: HTML, or Markdown if it is preferred. */
const page = (operationId: string, summary: string) =>
  document(
    operationId,
    `${summary}: HTML, or Markdown if \`text/markdown\` is preferred`,
    { ...text('text/html'), ...text('text/markdown') },
    { ...LINKED, 'x-markdown-tokens': headerRef('MarkdownTokens') },
  );

/** A page as Markdown. */
const markdown = (operationId: string, summary: string) =>
  document(operationId, summary, text('text/markdown'), MARKDOWN);

/**
 * The description of a document. A page that is not listed below is described by its address.
 * @param paths the paths of all documents
 * @throws {Error} a document that is neither listed nor a page with a Markdown file
 */
function documentOperation(path: string, paths: readonly string[]) {
  const known = DOCUMENT_OPERATIONS[path];
  if (known) return known;
  if (/^\/(?:pictures|fonts)\//.test(path)) return HIDDEN;
  if (path.endsWith('.md') && paths.includes(path.slice(0, -'.md'.length))) return HIDDEN;
  if (!paths.includes(`${path}.md`)) throw new Error(`${path} is a document without a description`);
  const words = path.split(/[^a-z\d]+/i).filter((word) => word !== '');
  const name = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
  return page(`get${name}`, `The page ${path}`);
}

type Documents = ReturnType<typeof createDocuments>;

interface DocumentOptions extends SiteOptions {
  /** Determines the address at which a request reached the service; if absent, it is always `baseUrl`. */
  address?: PublicAddress;
  /** Epoch milliseconds. */
  now?: () => number;
}

/**
 * The most renderings that are kept, and that are made per minute. Without BASE_URL, documents name the address that
 * the client used, and anyone can send any Host. Beyond the limit, a client gets the rendering for `baseUrl`.
 */
const MAX_RENDERINGS = 12;
const RENDERINGS_A_MINUTE = 12;

/**
 * Reads every document: immediately for `baseUrl`, on the first request for any other address.
 * @throws {DocumentError} a document is invalid
 */
export function createDocuments(options: DocumentOptions) {
  const { address, now = Date.now, ...site } = options;
  const standard = renderSite(site);
  const others = new Map<string, Site>();
  /** The times of the latest renderings. */
  let made: number[] = [];

  const render = (baseUrl: string) => {
    const minuteAgo = now() - 60_000;
    made = made.filter((at) => at > minuteAgo);
    if (made.length >= RENDERINGS_A_MINUTE) return standard;
    made.push(now());
    const rendered = renderSite({ ...site, baseUrl });
    others.set(baseUrl, rendered);
    for (const oldest of [...others.keys()].slice(0, -MAX_RENDERINGS)) others.delete(oldest);
    return rendered;
  };
  const siteFor = (request: Request) => {
    const baseUrl = address?.of(request) ?? site.baseUrl;
    if (baseUrl === site.baseUrl) return standard;
    const rendered = others.get(baseUrl);
    if (!rendered) return render(baseUrl);
    // Keeps the least recently used rendering first.
    others.delete(baseUrl);
    others.set(baseUrl, rendered);
    return rendered;
  };

  const vary = address?.varyBy.join(', ') ?? '';
  const negotiate = (request: Request, path: string): Response | null => {
    const { pages, files } = siteFor(request);
    const page = pages.get(path);
    if (page) {
      const markdown = prefers.markdown(request.headers.get('accept'));
      if (markdown) return sendRepresentation(request, page.markdown);
      const html = page.others.size > 0 ? page.others.get(readerLanguage(request)) : undefined;
      return sendRepresentation(request, html ?? page.html);
    }
    const file = files.get(path);
    return file ? sendRepresentation(request, file) : null;
  };
  return {
    /** The page that shows an error to a person. */
    errorPage: (request: Request, problem: Problem): Response =>
      siteFor(request).errorPage(problem, readerLanguage(request)),
    /** The Markdown documents by address, as rendered for the sender of a request. */
    sources: (request: Request): ReadonlyMap<string, Source> => siteFor(request).sources,
    /** The paths of all documents. */
    paths: [...standard.pages.keys(), ...standard.files.keys()].filter(
      (path) => !path.includes('?'),
    ),
    /** Responds to GET and HEAD for a document; null for every other request. */
    answer(request: Request): Response | null {
      if (request.method !== 'GET' && request.method !== 'HEAD') return null;
      const path = documentPath(request.url);
      if (!standard.pages.has(path) && !standard.files.has(path)) return null;
      const response = negotiate(request, path);
      if (vary !== '') response?.headers.append('vary', vary);
      return response;
    },
  };
}

/** The path of a document. Queries are ignored, except for that of the OpenAPI document. */
function documentPath(url: string): string {
  const path = pathOf(url);
  const asked = path === OPENAPI_PATH ? url.slice(url.indexOf(path) + path.length) : '';
  if (asked === '') return path;
  const { version = '3.2', tag, ...others } = Object.fromEntries(new URLSearchParams(asked));
  // Anything else is refused by the route.
  return Object.keys(others).length === 0 ? openApiPath(version, tag) : `${path}${asked}`;
}

/** Documents by path; each is a GET that needs no key. */
const DOCUMENT_OPERATIONS: Readonly<Record<string, DocumentDecoration>> = {
  '/': page('getServiceDocument', 'The service document'),
  '/auth': page('getAuthPage', 'How to register'),
  '/guide': page('getGuide', 'The guide for people'),
  '/openai': page('getOpenAiPage', 'Moving from whisper-1'),
  '/limits': page('getLimits', 'The limits of the service'),
  '/privacy': page('getPrivacy', 'The privacy policy'),
  '/docs': page('getReference', 'This API reference'),
  '/auth.md': markdown('getAuthDocument', 'How to register'),
  '/guide.md': markdown('getGuideDocument', 'The guide for people'),
  '/openai.md': markdown('getOpenAiDocument', 'Moving from whisper-1'),
  '/limits.md': markdown('getLimitsDocument', 'The limits of the service'),
  '/privacy.md': markdown('getPrivacyDocument', 'The privacy policy'),
  '/skills/captioner/SKILL.md': markdown('getSkill', 'The service as an agent skill'),
  '/llms.txt': document('getLlmsText', 'A short map of the service', text('text/plain')),
  '/robots.txt': document('getRobots', 'Rules for crawlers', text('text/plain')),
  '/sitemap.xml': document('getSitemap', 'The list of pages', text('application/xml')),
  '/openapi.json': document('getOpenApi', 'This document', {
    'application/vnd.oai.openapi+json': { schema: { type: 'object' } },
  }),
  '/.well-known/api-catalog': document(
    'getApiCatalog',
    'The API catalog of this host (RFC 9727)',
    content('application/linkset+json', 'ApiCatalog'),
    LINKED,
  ),
  '/.well-known/oauth-protected-resource': document(
    'getProtectedResourceMetadata',
    'Protected resource metadata (RFC 9728)',
    json('ProtectedResourceMetadata'),
  ),
  '/.well-known/oauth-authorization-server': document(
    'getAuthorizationServerMetadata',
    'Authorization server metadata (RFC 8414)',
    json('AuthorizationServerMetadata'),
  ),
  '/.well-known/oauth-protected-resource/mcp': document(
    'getMcpResourceMetadata',
    'Protected resource metadata of the MCP server (RFC 9728)',
    json('ProtectedResourceMetadata'),
  ),
  '/mcp/server-card': document('getMcpServerCard', 'The server card of the MCP server (SEP-2127)', {
    'application/mcp-server-card+json': { schema: { type: 'object', additionalProperties: true } },
  }),
  '/.well-known/ai-catalog.json': document('getAiCatalog', 'The AI Catalog of this host', {
    'application/ai-catalog+json': { schema: { type: 'object', additionalProperties: true } },
  }),
  '/.well-known/mcp/server-card.json': document('getServerCard', 'The server card', {
    'application/json': { schema: { type: 'object', additionalProperties: true } },
  }),
  '/.well-known/agent-skills/index.json': document(
    'getSkillsIndex',
    'The list of skills, with their digests',
    json('AgentSkillsIndex'),
  ),
  '/terminology/packs': document(
    'listTermPacks',
    'The list of terminology packs',
    json('TermPackList'),
    CACHED,
    'Captioning',
  ),
  '/page.js': HIDDEN,
  '/favicon.svg': HIDDEN,
  '/favicon.ico': HIDDEN,
};
