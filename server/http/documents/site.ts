/** Every static document of the service, rendered once and held in memory. */
import { estimateTokenCount } from 'tokenx';
import authMd from '../../../content/auth.md' with { type: 'text' };
import favicon from '../../../content/favicon.svg' with { type: 'text' };
import indexMd from '../../../content/index.md' with { type: 'text' };
import llmsMd from '../../../content/llms.md' with { type: 'text' };
import skillMd from '../../../content/skill.md' with { type: 'text' };
import { openApiDocument } from '../../contract/openapi.ts';
import type { ProviderSummary } from '../../contract/providers.ts';
import type { TermPackList } from '../../contract/terminology.ts';
import { catalogLink, documentLinks, serviceLinks } from './links.ts';
import * as metadata from './metadata.ts';
import { PAGE_POLICY, renderPage } from './page.ts';
import { represent, representJson, type Representation } from './representation.ts';
import { DocumentError, readSource, type Source } from './source.ts';
import { placeholderValues } from './values.ts';

export interface SiteOptions extends metadata.MetadataOptions {
  packs: TermPackList;
  providers?: readonly ProviderSummary[];
  version: string;
}

/** A page that exists as HTML and as Markdown at one address. */
export interface NegotiatedPage {
  html: Representation;
  markdown: Representation;
}

export interface Site {
  /** By path: the request's Accept decides. */
  pages: Map<string, NegotiatedPage>;
  /** By path: always the same media type. */
  files: Map<string, Representation>;
}

/**
 * Renders everything.
 * @throws {DocumentError} a document with an unknown placeholder or without its front matter
 */
export function renderSite(options: SiteOptions): Site {
  const { baseUrl } = options;
  const values = placeholderValues(baseUrl, options.packs, options.providers ?? []);
  const index = readSource('index.md', indexMd, values);
  const auth = readSource('auth.md', authMd, values);
  const llms = readSource('llms.md', llmsMd, values);
  const skill = readSource('skill.md', skillMd, values);

  const links = { link: documentLinks(baseUrl) };
  const skillFile = markdownFile(skill.whole, links);
  const text = (body: string) => represent(body, { type: 'text/plain; charset=utf-8' });
  const icon = represent(favicon, { type: 'image/svg+xml' });
  return {
    pages: new Map([
      ['/', negotiatedPage(index, '/', '/', baseUrl, serviceLinks(baseUrl))],
      ['/auth', negotiatedPage(auth, '/auth', '/auth.md', baseUrl, links.link)],
    ]),
    files: new Map([
      ['/auth.md', markdownFile(auth.markdown, links)],
      [SKILL_PATH, skillFile],
      ['/llms.txt', text(llms.markdown)],
      ['/robots.txt', text(robots(baseUrl))],
      ['/sitemap.xml', represent(sitemap(baseUrl, { index, auth, llms, skill }), XML)],
      ['/favicon.svg', icon],
      ['/favicon.ico', icon],
      ['/openapi.json', representJson(openApiDocument(options), OPENAPI)],
      ['/terminology/packs', representJson(options.packs)],
      ...wellKnown(options, skill, skillFile),
    ]),
  };
}

const SKILL_PATH = '/skills/captioner/SKILL.md';
const XML = { type: 'application/xml; charset=utf-8' };
const OPENAPI = { type: 'application/vnd.oai.openapi+json; version=3.2.0' };
const LINKSET = 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"';

function wellKnown(options: SiteOptions, skill: Source, file: Representation) {
  const { baseUrl, version } = options;
  if (skill.name === '') throw new DocumentError('skill.md: front matter needs a name');
  const { name, description } = skill;
  const url = `${baseUrl}${SKILL_PATH}`;
  const index = metadata.agentSkillsIndex([{ name, description, url, bytes: file.bytes }]);
  const catalog = { type: LINKSET, headers: { link: catalogLink(baseUrl) } };
  return [
    ['/.well-known/api-catalog', representJson(metadata.apiCatalog(baseUrl), catalog)],
    [
      '/.well-known/oauth-protected-resource',
      representJson(metadata.protectedResourceMetadata(options)),
    ],
    [
      '/.well-known/oauth-authorization-server',
      representJson(metadata.authorizationServerMetadata(options)),
    ],
    ['/.well-known/mcp/server-card.json', representJson(metadata.serverCard(baseUrl, version))],
    ['/.well-known/agent-skills/index.json', representJson(index)],
  ] as const;
}

function markdownFile(body: string, headers: Record<string, string>, vary?: string) {
  const tokens = String(estimateTokenCount(body));
  return represent(body, {
    type: 'text/markdown; charset=utf-8',
    headers: { ...headers, 'x-markdown-tokens': tokens },
    ...(vary ? { vary } : {}),
  });
}

function negotiatedPage(
  source: Source,
  path: string,
  markdownPath: string,
  baseUrl: string,
  link: string,
): NegotiatedPage {
  const vary = 'Accept, Accept-Encoding';
  return {
    html: represent(renderPage(source, { baseUrl, path, markdownPath }), {
      type: 'text/html; charset=utf-8',
      headers: {
        link,
        'content-security-policy': PAGE_POLICY,
        'referrer-policy': 'strict-origin-when-cross-origin',
      },
      vary,
    }),
    markdown: markdownFile(source.markdown, { link }, vary),
  };
}

function robots(baseUrl: string): string {
  return `User-agent: *
Content-Signal: search=yes, ai-input=yes, ai-train=no
Allow: /

Sitemap: ${baseUrl}/sitemap.xml
`;
}

function sitemap(
  baseUrl: string,
  { index, auth, llms, skill }: Record<'index' | 'auth' | 'llms' | 'skill', Source>,
): string {
  const places: [string, Source][] = [
    ['/', index],
    ['/auth', auth],
    ['/auth.md', auth],
    [SKILL_PATH, skill],
    ['/llms.txt', llms],
  ];
  const urls = places.map(
    ([path, { updated }]) =>
      `  <url><loc>${xml(`${baseUrl}${path}`)}</loc><lastmod>${updated}</lastmod></url>`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${urls.join('\n')}
</urlset>
`;
}

const xml = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
