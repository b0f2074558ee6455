/** The public discovery operations. Contract 4. */
import { content, headerRef, json, response, text } from './responses.ts';

const CACHED = { ETag: headerRef('ETag') };
const LINKED = { ...CACHED, Link: headerRef('Link') };
const MARKDOWN = { ...CACHED, 'x-markdown-tokens': headerRef('MarkdownTokens') };

/** A public GET that responds with 200. */
const document = (
  operationId: string,
  summary: string,
  body: object,
  headers: object = CACHED,
) => ({
  get: {
    operationId,
    summary,
    tags: ['Discovery'],
    security: [],
    responses: {
      200: { description: summary, headers, content: body },
      '4XX': response('NotAsked'),
      default: response('Problem'),
    },
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

/** The discovery operations, each a GET without a key. */
export const discoveryPaths = {
  '/': page('getServiceDocument', 'The service document'),
  '/auth': page('getAuthPage', 'How to register'),
  '/guide': page('getGuide', 'The guide for people'),
  '/limits': page('getLimits', 'The limits of the service'),
  '/privacy': page('getPrivacy', 'The privacy policy'),
  '/docs': document('getReference', 'This API reference as a page', text('text/html')),
  '/auth.md': document('getAuthDocument', 'How to register', text('text/markdown'), MARKDOWN),
  '/skills/captioner/SKILL.md': document(
    'getSkill',
    'The service as an agent skill',
    text('text/markdown'),
    MARKDOWN,
  ),
  '/llms.txt': document('getLlmsText', 'A short map of the service', text('text/plain')),
  '/robots.txt': document('getRobots', 'Rules for crawlers', text('text/plain')),
  '/sitemap.xml': document('getSitemap', 'The list of pages', text('application/xml')),
  '/openapi.json': document('getOpenApi', 'This document', {
    'application/vnd.oai.openapi+json': { schema: { type: 'object' } },
  }),
  '/health': document('getHealth', 'The health of the service', json('Health', { ok: true }), {}),
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
  '/.well-known/mcp/server-card.json': document('getServerCard', 'The server card', {
    'application/json': { schema: { type: 'object', additionalProperties: true } },
  }),
  '/.well-known/agent-skills/index.json': document(
    'getSkillsIndex',
    'The list of skills, with their digests',
    json('AgentSkillsIndex'),
  ),
  '/terminology/packs': {
    get: {
      ...document('listTermPacks', 'The list of terminology packs', json('TermPackList')).get,
      tags: ['Captioning'],
    },
  },
};
