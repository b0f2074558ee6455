/** /.well-known/ai-catalog.json: the resources on this host for agents. */
import { API_VERSION } from '../../contract/results.ts';
import { SERVER_CARD_TYPE } from './metadata.ts';

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
    ],
  };
}
