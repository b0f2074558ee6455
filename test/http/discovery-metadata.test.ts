/** The well-known documents: complete, exact and consistent. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { parse } from 'yaml';
import * as discovery from '../../server/contract/discovery.ts';
import { validator } from '../../server/contract/schema.ts';
import { SCOPES } from '../../server/contract/registration.ts';
import type { Any } from '../support/servers/client.ts';
import { documentsOf, paths } from '../support/documents.ts';

setDefaultTimeout(300_000);

const baseUrl = 'https://captions.example.com';
const site = (options: object = {}) => documentsOf({ baseUrl, ...options });
const ask = site();
const json = async (path: string, from = ask): Promise<Any> => from(path).json();

const resource = await json('/.well-known/oauth-protected-resource');
const authorization = await json('/.well-known/oauth-authorization-server');

describe('protected resource and authorization server', () => {
  test('match the contract and name exactly one host', () => {
    expect(validator(discovery.ProtectedResourceMetadata).issues(resource)).toEqual([]);
    expect(validator(discovery.AuthorizationServerMetadata).issues(authorization)).toEqual([]);
    expect(resource.resource).toBe(baseUrl);
    expect(resource.authorization_servers).toEqual([baseUrl]);
    expect(authorization.issuer).toBe(baseUrl);
    expect(resource.bearer_methods_supported).toEqual(['header']);
    expect(resource.scopes_supported).toEqual([...SCOPES]);
    expect(authorization.agent_auth).toEqual(resource.agent_auth);
  });

  test('the MCP server is a separate resource, and every named endpoint exists', async () => {
    const mcp = await json('/.well-known/oauth-protected-resource/mcp');
    expect(mcp).toEqual({ ...resource, resource: `${baseUrl}/mcp` });
    const named = Object.keys(paths());
    for (const [name, value] of Object.entries(authorization)) {
      if (name.endsWith('_endpoint')) expect(named).toContain(String(value).replace(baseUrl, ''));
    }
    expect(authorization).not.toHaveProperty('revocation_endpoint');
  });

  test('contain what RFC 8414 requires, nothing empty, and promise no tokens', () => {
    expect(Object.keys(authorization)).toEqual(
      expect.arrayContaining(['issuer', 'authorization_endpoint', 'token_endpoint']),
    );
    expect(authorization.response_types_supported).toEqual(['none']);
    expect(authorization.access_tokens_issued).toBe(false);
    expect(authorization.access_tokens_note).toContain(`${baseUrl}/auth.md`);
    for (const document of [resource, authorization]) {
      for (const value of Object.values(document)) {
        if (Array.isArray(value)) expect(value.length).toBeGreaterThan(0);
      }
    }
  });

  test('agent_auth names the only method', () => {
    expect(resource.agent_auth).toMatchObject({
      skill: `${baseUrl}/auth.md`,
      register_uri: `${baseUrl}/agent/auth`,
      claim_uri: `${baseUrl}/agent/auth/claim`,
      claim_complete_uri: `${baseUrl}/agent/auth/claim/complete`,
      flows_supported: ['user-claimed-email-required'],
      identity_types_supported: ['identity_assertion'],
      credential_types_supported: ['api_key'],
      events_supported: ['run.completed', 'run.blocked', 'run.failed', 'review.saved'],
      identity_assertion: {
        assertion_types_supported: ['verified_email'],
        credential_types_supported: ['api_key'],
      },
    });
    expect(resource.agent_auth.credential_storage.env_var).toBe('CAPTIONER_API_KEY');
  });

  test('name the team domain and the issuer only if there are any', async () => {
    expect(resource.agent_auth.organization_strategy.team_domains).toEqual([]);
    expect(resource.agent_auth).not.toHaveProperty('workos_authkit_issuer');
    const workos = { clientId: 'client_1', apiUrl: 'https://idp.example.com' };
    const from = site({ teamEmailDomain: 'example.com', workos });
    const { agent_auth } = await json('/.well-known/oauth-protected-resource', from);
    expect(agent_auth.organization_strategy.team_domains).toEqual(['example.com']);
    expect(agent_auth.workos_authkit_issuer).toBe(
      'https://idp.example.com/user_management/client_1',
    );
    expect(agent_auth.credential_issuer).toBe('https://idp.example.com');
  });
});

describe('catalog, skills, card', () => {
  test('the catalog has one entry, with description, documentation, auth document and status', async () => {
    const catalog = await json('/.well-known/api-catalog');
    expect(validator(discovery.ApiCatalog).issues(catalog)).toEqual([]);
    expect(catalog.linkset).toHaveLength(2);
    const [entry, mcp] = catalog.linkset;
    expect(mcp.anchor).toBe(`${baseUrl}/mcp`);
    expect(mcp['service-desc']).toEqual([
      { href: `${baseUrl}/mcp/server-card`, type: 'application/mcp-server-card+json' },
    ]);
    expect(entry.anchor).toBe(`${baseUrl}/`);
    const targets = ['service-desc', 'service-doc', 'status'].flatMap((relation) =>
      entry[relation].map((target: Any) => target.href),
    );
    const paths = ['/openapi.json', '/', '/auth.md', '/health'];
    expect(targets).toEqual(paths.map((path) => `${baseUrl}${path}`));
    const head = ask('/.well-known/api-catalog', { method: 'HEAD' });
    expect(head.headers.get('link')).toContain(
      `<${baseUrl}/.well-known/api-catalog>; rel="api-catalog"`,
    );
  });

  test('the digest of the skill matches the bytes served, and the names agree', async () => {
    const index = await json('/.well-known/agent-skills/index.json');
    expect(validator(discovery.AgentSkillsIndex).issues(index)).toEqual([]);
    expect(index.$schema).toBe('https://schemas.agentskills.io/discovery/0.2.0/schema.json');
    expect(index.skills).toHaveLength(1);
    const [skill] = index.skills;
    const file = ask(skill.url.replace(baseUrl, ''));
    const bytes = new Uint8Array(await file.arrayBuffer());
    const digest = createHash('sha256').update(bytes).digest('hex');
    expect(skill.digest).toBe(`sha256:${digest}`);
    const text = new TextDecoder().decode(bytes);
    const matter: Any = parse(/^---\n(.*?)\n---\n/s.exec(text)?.[1] ?? '');
    expect([matter.name, matter.description]).toEqual([skill.name, skill.description]);
    expect(skill.description.length).toBeLessThanOrEqual(1024);
    expect(skill.url).toContain(`/${skill.name}/SKILL.md`);
  });

  test('the server card has the fields of SEP-2127, and the earlier card those that scanners expect', async () => {
    const answer = ask('/mcp/server-card');
    expect(answer.headers.get('content-type')).toBe('application/mcp-server-card+json');
    const card: Any = await answer.json();
    // The fields of the extension's schema.ts, as of 2026-07-20; $schema, name, version and
    // description are required.
    expect(Object.keys(card).toSorted()).toEqual(
      ['$schema', 'description', 'name', 'remotes', 'title', 'version', 'websiteUrl'].toSorted(),
    );
    expect(await json('/.well-known/mcp/server-card.json')).toMatchObject(card);
  });

  test('the AI Catalog lists each resource with a URN, a type and an address that responds', async () => {
    const answer = ask('/.well-known/ai-catalog.json');
    expect(answer.headers.get('content-type')).toBe('application/ai-catalog+json');
    const catalog: Any = await answer.json();
    // Required by specification 1.0: specVersion and entries; in an entry identifier, type, and url
    // or data.
    expect(catalog.specVersion).toBe('1.0');
    expect(catalog.host.displayName).toBe('Captioner');
    expect(catalog.entries.length).toBe(3);
    for (const entry of catalog.entries) {
      expect(entry.identifier).toMatch(/^urn:air:captions\.example\.com:[a-z]+:captioner$/);
      expect(entry).not.toHaveProperty('data');
      const { status, headers } = ask(entry.url.replace(baseUrl, ''));
      expect([entry.url, status]).toEqual([entry.url, 200]);
      const [type = ''] = entry.type.split(';');
      expect(headers.get('content-type')).toStartWith(type);
    }
    expect(new Set(catalog.entries.map(({ identifier }: Any) => identifier)).size).toBe(3);
  });

  test('llms.txt lists everything as links that work', async () => {
    const text = await ask('/llms.txt').text();
    for (const line of text.split('\n## ').slice(1).join('\n').split('\n')) {
      if (line.startsWith('- ')) expect(line).toMatch(/^- \[[^\]]+\]\(https:/);
    }
    for (const [, url = ''] of text.matchAll(/\]\((https:[^)]+)\)/g)) {
      const path = url.replace(baseUrl, '');
      if (!['/app', '/docs', '/health'].includes(path))
        expect([url, ask(path).status]).toEqual([url, 200]);
    }
  });

  test('auth.md has privacy, terms and a contact', async () => {
    const text = await ask('/auth.md').text();
    for (const word of ['- Privacy:', '- Terms:', '- Contact:']) expect(text).toContain(word);
    const named = site({ operatorContact: 'mailto:help@captions.example.com' });
    for (const path of ['/auth.md', '/privacy.md']) {
      expect(await named(path).text()).toContain(
        '[help@captions.example.com](mailto:help@captions.example.com)',
      );
    }
  });

  test('the server card has the MCP endpoint and its requirements', async () => {
    const card = await json('/.well-known/mcp/server-card.json');
    expect(card.name).toBe('com.example.captions/captioner');
    expect(card.description.length).toBeLessThanOrEqual(100);
    expect(card.$schema).toBe(
      'https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json',
    );
    expect(card.remotes).toHaveLength(1);
    expect(card.remotes[0]).toMatchObject({ type: 'streamable-http', url: `${baseUrl}/mcp` });
    expect(card.remotes[0].headers[0]).toMatchObject({ name: 'Authorization', isSecret: true });
    expect(card.capabilities).toEqual({ tools: {}, resources: {} });
    expect(card.serverInfo).toMatchObject({ name: 'captioner', version: card.version });
    expect(card.httpApi.openapi).toBe(`${baseUrl}/openapi.json`);
  });

  test.each([
    ['http://localhost:3000', 'localhost/captioner'],
    ['http://127.0.0.1:3000', '127.0.0.1/captioner'],
    ['http://[::1]:3000', 'localhost/captioner'],
  ])('the card of %s is named %s', async (base, name) => {
    const card = await json('/.well-known/mcp/server-card.json', site({ baseUrl: base }));
    expect(card.name).toBe(name);
  });
});

describe('auth.md', () => {
  test('has its name in the heading, and lists every request and every error of the contract', async () => {
    const text = await ask('/auth.md').text();
    expect(text).toMatch(/^# .*auth\.md/);
    for (const { register_uri, claim_complete_uri } of [resource.agent_auth]) {
      expect(text).toContain(`'${register_uri}'`);
      expect(text).toContain(`'${claim_complete_uri}'`);
    }
    const codes = [
      'unsupported_identity_type',
      'unsupported_assertion_type',
      'unsupported_credential_type',
      'unsupported_scope',
      'invalid_email',
      'invalid_claim_token',
      'invalid_otp',
      'claim_already_used',
      'claim_expired',
      'too_many_attempts',
      'rate_limited',
      'user_mismatch',
      'idp_*',
      'claim_not_supported',
      'invalid_request',
      'missing_credential',
      'invalid_credential',
      'insufficient_scope',
    ];
    for (const code of codes) expect(text).toContain(`| \`${code}\` |`);
    for (const scope of SCOPES) expect(text).toContain(`\`${scope}\``);
  });
});
