/** Generates the OpenAPI document from the routes and their schemas. */
import { COMPONENTS } from '../../contract/components.ts';
import {
  defaultProvider,
  describeProviders,
  providerNames,
  type ProviderSummary,
} from '../../contract/providers.ts';
import { API_VERSION, OPENAPI_VERSION } from '../../contract/results.ts';
import type { ProviderSection } from '../../contract/suggestions.ts';
import { TAGS } from './detail.ts';
import type { Paths } from './paths.ts';
import { referencedSchemas } from './references.ts';
import { HEADERS, RESPONSES } from './responses.ts';

interface OpenApiOptions {
  /** The public address, without a trailing slash. */
  baseUrl: string;
  /** The server's providers; if absent, the document does not mention them. */
  providers?: readonly ProviderSummary[];
  /** The operations, as the routes describe them. */
  paths: Paths;
}

/** Creates the document as plain JSON. */
export function openApiDocument({ baseUrl, providers = [], paths }: OpenApiOptions): object {
  return {
    openapi: OPENAPI_VERSION,
    $self: `${baseUrl}/openapi.json`,
    info: {
      title: 'Captioner',
      summary: 'Corrected SRT captions from an MP3.',
      description: `How to get a key: ${baseUrl}/auth.md. Description of the service: ${baseUrl}/.`,
      version: API_VERSION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    externalDocs: { description: 'Service document', url: `${baseUrl}/` },
    servers: [{ url: baseUrl }],
    security: [{ bearer: [] }],
    tags: TAGS,
    paths,
    components: {
      schemas: schemas(providers),
      responses: RESPONSES,
      headers: HEADERS,
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: `An API key, claimed as described in ${baseUrl}/auth.md.`,
        },
        reviewLink: {
          type: 'http',
          scheme: 'bearer',
          description: 'The token of a link to the review of this run, `link_…`.',
        },
      },
    },
  };
}

/**
 * The schemas, with `status` as the discriminator of the three results, so that generated clients can distinguish them.
 */
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

/** Describes this server's providers at `provider` and `model` of a section, in a copy of the schema. */
function explainProviders(
  payload: unknown,
  section: ProviderSection,
  providers: readonly ProviderSummary[],
): void {
  const { provider, model } = (payload as PayloadSchema).properties[section].properties;
  provider.enum = providerNames(providers, section);
  provider.description = describeProviders(providers, section);
  const standard = defaultProvider(providers, section);
  if (standard !== undefined) provider.default = standard;
  model.description = 'another model of the provider; auto: the one named at `provider`';
}

interface PayloadSchema {
  properties: Record<ProviderSection, { properties: Record<'provider' | 'model', FieldSchema> }>;
}

interface FieldSchema {
  description?: string;
  default?: unknown;
  enum?: string[];
}
