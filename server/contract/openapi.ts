/** The OpenAPI document, made of the same schemas that validate. */
import { COMPONENTS } from './components.ts';
import { captioningPaths } from './openapi/captioning-paths.ts';
import { discoveryPaths } from './openapi/discovery-paths.ts';
import { mcpPaths } from './openapi/mcp-paths.ts';
import { referencedSchemas } from './openapi/references.ts';
import { registrationPaths } from './openapi/registration-paths.ts';
import { HEADERS, RESPONSES } from './openapi/responses.ts';
import { defaultProvider, describeProviders, type ProviderSummary } from './providers.ts';
import { OPENAPI_VERSION } from './results.ts';
import type { ProviderSection } from './suggestions.ts';

/** Version of the interface this describes (contract 9). */
export const API_VERSION = '1.0.0';

export interface OpenApiOptions {
  /** Without a trailing slash. */
  baseUrl: string;
  /** What the server has; absent: nothing is said of it. */
  providers?: readonly ProviderSummary[];
}

/** Makes the document; plain JSON. */
export function openApiDocument({ baseUrl, providers = [] }: OpenApiOptions): object {
  return {
    openapi: OPENAPI_VERSION,
    $self: `${baseUrl}/openapi.json`,
    info: {
      title: 'Captioner',
      summary: 'Corrected SRT captions from an MP3.',
      description: `How to get a key: ${baseUrl}/auth.md. The service in words: ${baseUrl}/.`,
      version: API_VERSION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    externalDocs: { description: 'Service document', url: `${baseUrl}/` },
    servers: [{ url: baseUrl }],
    security: [{ bearer: [] }],
    tags: [
      { name: 'Registration', description: 'From an email address to an API key.' },
      { name: 'Captioning', description: 'From an MP3 to captions.' },
      { name: 'MCP', description: 'The same for MCP clients.' },
      { name: 'Discovery', description: 'Documents about the service, public.' },
    ],
    paths: { ...registrationPaths, ...captioningPaths, ...mcpPaths, ...discoveryPaths },
    components: {
      schemas: schemas(providers),
      responses: RESPONSES,
      headers: HEADERS,
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: `An API key, claimed as ${baseUrl}/auth.md says.`,
        },
      },
    },
  };
}

/** The three results are told apart by their status; saying so makes better clients. */
function schemas(providers: readonly ProviderSummary[]): Record<string, unknown> {
  const made = referencedSchemas(COMPONENTS);
  for (const section of ['transcription', 'audit'] as const) {
    if (providers.length > 0) explainProviders(made['CaptionerPayload'], section, providers);
  }
  const result = made['CaptionerResult'] as object;
  const mapping = {
    completed: '#/components/schemas/CaptionerCompletedResult',
    blocked: '#/components/schemas/CaptionerBlockedResult',
    failed: '#/components/schemas/CaptionerFailedResult',
  };
  return {
    ...made,
    CaptionerResult: { ...result, discriminator: { propertyName: 'status', mapping } },
  };
}

/** Says at `provider` and `model` of a section what this server has. The schema is a copy of its own. */
function explainProviders(
  payload: unknown,
  section: ProviderSection,
  providers: readonly ProviderSummary[],
): void {
  const { properties } = payload as JsonObjectSchema;
  const fields = properties[section]?.properties ?? {};
  const { provider, model } = fields;
  if (provider) {
    provider.description = describeProviders(providers, section);
    const standard = defaultProvider(providers, section);
    if (standard !== undefined) provider.default = standard;
  }
  if (model) model.description = 'another model of the provider; auto: the one named there';
}

interface JsonObjectSchema {
  description?: string;
  default?: unknown;
  properties: Record<string, JsonObjectSchema>;
}
