/** Link headers (RFC 8288), with which a client that knows one address finds all the others. */

/** The links of the service document. */
export function serviceLinks(baseUrl: string): string {
  return [
    ...common(baseUrl),
    link(baseUrl, '/auth.md', 'describedby', 'text/markdown', 'auth.md'),
    link(baseUrl, '/llms.txt', 'describedby', 'text/plain', 'llms.txt'),
    link(baseUrl, '/.well-known/oauth-protected-resource', 'service-meta', 'application/json'),
    link(baseUrl, '/.well-known/oauth-authorization-server', 'service-meta', 'application/json'),
    link(baseUrl, '/.well-known/mcp/server-card.json', 'service-meta', 'application/json'),
    link(baseUrl, '/.well-known/ai-catalog.json', 'service-meta', 'application/ai-catalog+json'),
    link(baseUrl, '/.well-known/agent-skills/index.json', 'service-meta', 'application/json'),
    link(baseUrl, '/health', 'status', 'application/json'),
    link(baseUrl, '/', 'alternate', 'text/markdown'),
  ].join(', ');
}

/** The links of any other document. */
export const documentLinks = (baseUrl: string): string => common(baseUrl).join(', ');

/** The link header of the API catalog, which links to itself, also in responses to HEAD (RFC 9727, section 3). */
export const catalogLink = (baseUrl: string): string =>
  link(baseUrl, '/.well-known/api-catalog', 'api-catalog', 'application/linkset+json');

function common(baseUrl: string): string[] {
  return [
    catalogLink(baseUrl),
    link(baseUrl, '/openapi.json', 'service-desc', 'application/vnd.oai.openapi+json'),
    link(baseUrl, '/', 'service-doc', 'text/html'),
    link(baseUrl, '/auth.md', 'service-doc', 'text/markdown'),
  ];
}

function link(baseUrl: string, path: string, rel: string, type: string, title?: string): string {
  const hint = title ? `; title="${title}"` : '';
  return `<${baseUrl}${path}>; rel="${rel}"; type="${type}"${hint}`;
}
