/**
 * The routes of documents. Most requests never reach them, because `app.ts` answers requests for documents before the
 * router.
 */
import { Elysia } from 'elysia';
import { closed, enumeration, Type } from '../../contract/schema.ts';
import { notFound } from '../problems.ts';
import { SLICES } from '../openapi/slice.ts';
import { wireQuery } from '../wire.ts';
import type { Documents } from './documents.ts';
import { detail, HIDDEN, type OperationDetail } from '../openapi/detail.ts';
import { content, headerRef, json, response, text } from '../openapi/responses.ts';

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
    routes.get(path, ({ request }) => answer(request) ?? notFound().response(), { detail });
  }
  // Reached with a query other than that of a document.
  return routes.get(
    '/openapi.json',
    ({ request }) => {
      const plain = new Request(request.url.replace(/\?.*/s, ''), request);
      return answer(plain) ?? notFound().response();
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
  if (path.startsWith('/pictures/')) return HIDDEN;
  if (path.endsWith('.md') && paths.includes(path.slice(0, -'.md'.length))) return HIDDEN;
  if (!paths.includes(`${path}.md`)) throw new Error(`${path} is a document without a description`);
  const words = path.split(/[^a-z\d]+/i).filter((word) => word !== '');
  const name = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
  return page(`get${name}`, `The page ${path}`);
}

/** Documents by path; each is a GET that needs no key. */
const DOCUMENT_OPERATIONS: Readonly<Record<string, ReturnType<typeof detail>>> = {
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
