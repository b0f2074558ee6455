/** What machines read: the documents under /.well-known/, Link headers, robots.txt and the sitemap. Contract 2.7. */
import type { Static } from '../../contract/schema.ts';
import { createHash } from 'node:crypto';
import type {
  AgentAuthMetadata,
  AgentSkillsIndex,
  ApiCatalog,
  AuthorizationServerMetadata,
  ProtectedResourceMetadata,
} from '../../contract/discovery.ts';
import { API_VERSION } from '../../contract/results.ts';
import { SCOPES } from '../../contract/registration.ts';
import { WEBHOOK_EVENTS } from '../../contract/webhooks.ts';
import type { WorkosService } from '../../remote/service-settings.ts';

export interface MetadataOptions {
  /** Without a trailing slash, because RFC 9728 and 8414 clients compare it as an exact string. */
  baseUrl: string;
  /** The only email domain whose addresses share a team workspace. */
  teamEmailDomain?: string | null;
  /** The identity provider, if it is an outside one. */
  workos?: Omit<WorkosService, 'apiKey'> | null;
}

/**
 * The protected resource metadata, RFC 9728.
 * @param path that of the resource: empty for the service itself, `/mcp` for its MCP server
 */
export function protectedResourceMetadata(
  options: MetadataOptions,
  path: '' | '/mcp' = '',
): Static<typeof ProtectedResourceMetadata> {
  const { baseUrl } = options;
  return {
    resource: `${baseUrl}${path}`,
    resource_name: 'Captioner',
    resource_documentation: `${baseUrl}/auth.md`,
    authorization_servers: [baseUrl],
    scopes_supported: [...SCOPES],
    bearer_methods_supported: ['header'],
    agent_auth: agentAuth(options),
  };
}

/**
 * The authorization server metadata, RFC 8414. OAuth clients need the endpoints to be named, and otherwise show a
 * parser's error. The endpoints exist, and refuse every request in OAuth's own terms (`http/identity/registration.ts`);
 * `access_tokens_issued` says so beforehand. Empty claims are left out (section 3.2).
 */
export function authorizationServerMetadata(
  options: MetadataOptions,
): Static<typeof AuthorizationServerMetadata> {
  return {
    issuer: options.baseUrl,
    authorization_endpoint: `${options.baseUrl}/oauth/authorize`,
    token_endpoint: `${options.baseUrl}/oauth/token`,
    registration_endpoint: `${options.baseUrl}/oauth/register`,
    response_types_supported: ['none'],
    token_endpoint_auth_methods_supported: ['none'],
    // Without S256 here, MCP clients would stop before sending a request, and never see the reason for the refusal.
    code_challenge_methods_supported: ['S256'],
    access_tokens_issued: false,
    access_tokens_note: noTokens(options.baseUrl),
    scopes_supported: [...SCOPES],
    service_documentation: `${options.baseUrl}/auth.md`,
    agent_auth: agentAuth(options),
  } as Static<typeof AuthorizationServerMetadata>;
}

/** The message for OAuth clients that they get no token, with the steps to take instead. */
export const noTokens = (baseUrl: string): string =>
  'Captioner issues no access tokens. It accepts API keys, each claimed once with a code that is emailed to its ' +
  `user: ${baseUrl}/auth.md describes how. Then send Authorization: Bearer <API key>.`;

function agentAuth({
  baseUrl,
  teamEmailDomain,
  workos,
}: MetadataOptions): Static<typeof AgentAuthMetadata> {
  return {
    skill: `${baseUrl}/auth.md`,
    auth_md: `${baseUrl}/auth.md`,
    register_uri: `${baseUrl}/agent/auth`,
    claim_uri: `${baseUrl}/agent/auth/claim`,
    claim_complete_uri: `${baseUrl}/agent/auth/claim/complete`,
    flows_supported: ['user-claimed-email-required'],
    identity_types_supported: ['identity_assertion'],
    unsupported_identity_types: ['anonymous'],
    identity_assertion: {
      assertion_types_supported: ['verified_email'],
      credential_types_supported: ['api_key'],
    },
    assertion_types_supported: ['verified_email'],
    unsupported_assertion_types: ['urn:ietf:params:oauth:token-type:id-jag'],
    credential_types_supported: ['api_key'],
    unsupported_credential_types: ['access_token'],
    credential_issuer: workos?.apiUrl ?? baseUrl,
    credential_owner: 'organization',
    events_supported: [...WEBHOOK_EVENTS],
    organization_scoped: true,
    organization_strategy: {
      personal: 'one workspace for each verified email address',
      team_domains: teamEmailDomain ? [teamEmailDomain] : [],
    },
    credential_storage: keyStorage(baseUrl),
    ...(workos && { workos_authkit_issuer: `${workos.apiUrl}/user_management/${workos.clientId}` }),
  };
}

/** The API catalog (RFC 9727) as a linkset (RFC 9264). */
export function apiCatalog(baseUrl: string): Static<typeof ApiCatalog> {
  return {
    linkset: [
      {
        anchor: `${baseUrl}/`,
        'service-desc': [
          { href: `${baseUrl}/openapi.json`, type: 'application/vnd.oai.openapi+json' },
        ],
        'service-doc': [
          { href: `${baseUrl}/`, type: 'text/html' },
          { href: `${baseUrl}/auth.md`, type: 'text/markdown' },
        ],
        status: [{ href: `${baseUrl}/health`, type: 'application/json' }],
      },
      {
        anchor: `${baseUrl}/mcp`,
        'service-desc': [{ href: `${baseUrl}/mcp/server-card`, type: SERVER_CARD_TYPE }],
        'service-doc': [{ href: `${baseUrl}/auth.md`, type: 'text/markdown' }],
        status: [{ href: `${baseUrl}/health`, type: 'application/json' }],
      },
    ],
  };
}

interface Skill {
  name: string;
  description: string;
  url: string;
  /** The bytes of the file exactly as served. */
  bytes: Uint8Array;
}

/** The index of agent skills; each digest is that of the bytes as served. */
export function agentSkillsIndex(skills: readonly Skill[]): Static<typeof AgentSkillsIndex> {
  return {
    $schema: 'https://schemas.agentskills.io/discovery/0.2.0/schema.json',
    skills: skills.map(({ name, description, url, bytes }) => ({
      name,
      type: 'skill-md',
      description,
      url,
      digest: `sha256:${createHash('sha256').update(bytes).digest('hex')}`,
    })),
  };
}

/** The versions of MCP that /mcp supports. */
const MCP_VERSIONS = ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26'] as const;

/** The media type of a server card (SEP-2127). */
export const SERVER_CARD_TYPE = 'application/mcp-server-card+json';

/** The server card of SEP-2127: the MCP server at /mcp, and the headers that clients send to it. */
export function serverCard(baseUrl: string): Record<string, unknown> {
  return {
    $schema: 'https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json',
    name: `${reverseDomain(baseUrl)}/captioner`,
    title: 'Captioner',
    version: API_VERSION,
    description: 'Corrected SRT captions with a quality report, from MP3 recordings.',
    websiteUrl: `${baseUrl}/`,
    remotes: [
      {
        type: 'streamable-http',
        url: `${baseUrl}/mcp`,
        supportedProtocolVersions: [...MCP_VERSIONS],
        headers: [
          {
            name: 'Authorization',
            description: `Bearer and an API key; ${baseUrl}/auth.md explains how to get one.`,
            value: 'Bearer {api_key}',
            isRequired: true,
            isSecret: true,
            variables: { api_key: { description: 'an API key', isRequired: true, isSecret: true } },
          },
        ],
      },
    ],
  };
}

/** The card at its earlier address, with the fields that scanners of earlier drafts expect, and the HTTP interface. */
export const earlierServerCard = (baseUrl: string): Record<string, unknown> => ({
  ...serverCard(baseUrl),
  serverInfo: { name: 'captioner', title: 'Captioner', version: API_VERSION },
  capabilities: { tools: {}, resources: {} },
  httpApi: {
    openapi: `${baseUrl}/openapi.json`,
    documentation: `${baseUrl}/`,
    authentication: `${baseUrl}/auth.md`,
    catalog: `${baseUrl}/.well-known/api-catalog`,
  },
});

/** Reverses a host name: captions.example.com becomes com.example.captions. IP addresses stay unchanged. */
function reverseDomain(baseUrl: string): string {
  const { hostname } = new URL(baseUrl);
  if (hostname.startsWith('[')) return 'localhost';
  return /^[\d.]+$/.test(hostname) ? hostname : hostname.split('.').toReversed().join('.');
}

/**
 * The AI Catalog (specification 1.0 of the AI Catalog working group): the resources for agents, each with the address
 * of its own description.
 */
export function aiCatalog(baseUrl: string): Record<string, unknown> {
  const { host } = new URL(baseUrl);
  const entry = (
    kind: string,
    displayName: string,
    type: string,
    path: string,
    description: string,
  ) => ({
    identifier: `urn:air:${host}:${kind}:captioner`,
    displayName,
    type,
    url: `${baseUrl}${path}`,
    description,
    version: API_VERSION,
  });
  return {
    specVersion: '1.0',
    host: { displayName: 'Captioner', documentationUrl: `${baseUrl}/` },
    entries: [
      entry(
        'mcp',
        'Captioner MCP server',
        SERVER_CARD_TYPE,
        '/mcp/server-card',
        'Tools of an MCP server that make corrected captions from MP3 recordings.',
      ),
      entry(
        'skill',
        'Captioner skill',
        'text/markdown; profile=ai-skill',
        '/skills/captioner/SKILL.md',
        'The whole procedure over HTTP, from an email address to captions.',
      ),
      entry(
        'api',
        'Captioner HTTP API',
        'application/vnd.oai.openapi+json',
        '/openapi.json',
        'Every operation, field and error of the HTTP interface.',
      ),
      entry(
        'openai',
        'Captioner for clients of OpenAI',
        'text/markdown',
        '/openai.md',
        'The audio endpoints of OpenAI’s API: transcriptions in every format, at the base URL /v1.',
      ),
    ],
  };
}

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

/** The files for crawlers: robots.txt with its content signals, and the sitemap. */

/** robots.txt (RFC 9309). The signals are inside a group, as contentsignals.org specifies. */
export function robots(baseUrl: string): string {
  return `User-agent: *
Content-Signal: search=yes, ai-input=yes, ai-train=no
Allow: /

Sitemap: ${baseUrl}/sitemap.xml
`;
}

/**
 * The sitemap.
 * @param changes paths, with the day of their last change (YYYY-MM-DD)
 */
export function sitemap(baseUrl: string, changes: readonly [string, string][]): string {
  const urls = changes.map(
    ([path, day]) => `  <url><loc>${xml(`${baseUrl}${path}`)}</loc><lastmod>${day}</lastmod></url>`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${urls.join('\n')}
</urlset>
`;
}

const xml = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/** The environment variable in which a secret manager passes the key to a process. */
export const KEY_VARIABLE = 'CAPTIONER_API_KEY';

/**
 * The storage rules. The commands are for macOS. `-w` comes last and without a value, so that the key is prompted for
 * and never appears in a command line or a shell history.
 * @param baseUrl the name of the entry, which distinguishes keys of different services
 */
export function keyStorage(
  baseUrl: string,
): Static<typeof AgentAuthMetadata>['credential_storage'] {
  const service = `captioner ${new URL(baseUrl).host}`;
  return {
    order: ['agent_vault', 'platform_secret_store', 'secret_manager', 'session_memory'],
    consent:
      'Store the key only after the user has agreed to it. Without consent, keep it in memory.',
    prompt: 'May I store your Captioner API key, and where?',
    env_var: KEY_VARIABLE,
    macos_keychain: {
      service,
      account: '<email>',
      store_command: `security add-generic-password -U -s "${service}" -a "<email>" -w`,
      find_by_email_command: `security find-generic-password -s "${service}" -a "<email>" -w`,
      find_service_command: `security find-generic-password -s "${service}" -w`,
      delete_command: `security delete-generic-password -s "${service}" -a "<email>"`,
    },
  };
}
