/**
 * Generates the OpenAPI document from the routes themselves, so that none can be missing, and its other forms: a part
 * of it, and version 3.1.
 */
import { COMPONENTS } from '../../contract/components.ts';
import { contractPath } from '../route-table.ts';
import { headerName } from '../request.ts';
import { response, HEADERS, RESPONSES } from '../openapi/responses.ts';
import {
  defaultProvider,
  describeProviders,
  providerNames,
  type ProviderSummary,
  type ProviderSection,
} from '../../contract/providers.ts';
import { API_VERSION, OPENAPI_VERSION } from '../../contract/results.ts';
import type { TermPackList } from '../../contract/terminology.ts';
import { TAGS, referencedSchema, referencedSchemas, schemaRef } from '../openapi/detail.ts';
import { webhookEvents } from '../openapi/webhook-events.ts';

/** A route in the router. */
interface DescribedRoute {
  method: string;
  /** As in the app: `/workflows/captioner/:runId`, `/audio/*`. */
  path: string;
  hooks: object;
}

/** Operations by path and method, in OpenAPI's format. */
type Json = Record<string, unknown>;
export type Paths = Record<string, Record<string, Json>>;

/** The options of a route that describe it. */
interface Described {
  detail?: Json & {
    parameters?: Json[];
    requestBody?: Json;
    responses?: Record<string, Json>;
  };
  body?: object;
  query?: object;
  headers?: object;
  params?: ObjectSchema;
  response?: Record<string, object>;
}

/**
 * Describes routes, except for those whose `detail` has `hide`.
 * @throws {Error} a route has no description
 */
export function describePaths(routes: readonly DescribedRoute[]): Paths {
  const paths: Paths = {};
  for (const { method, path, hooks } of routes) {
    const options = hooks as Described;
    const { detail = {} } = options;
    if (detail.hide === true) continue;
    const name = contractPath(path);
    if (typeof detail['operationId'] !== 'string') {
      throw new Error(`${method} ${path} has no detail that describes it, and is not hidden`);
    }
    const item = (paths[name] ??= {});
    item[method.toLowerCase()] = operation(name, detail, options);
  }
  return paths;
}

function operation(
  path: string,
  detail: NonNullable<Described['detail']>,
  options: Described,
): Json {
  const { hide: _, parameters: own = [], requestBody, responses = {}, ...said } = detail;
  const parameters = parametersOf(path, options, own);
  return {
    // Only routes with a scope need a key.
    security: [],
    ...said,
    ...(parameters.length > 0 && { parameters }),
    ...bodyOf(options.body, requestBody),
    responses: responsesOf(options.response, {
      // A query with a schema can be invalid.
      ...(options.query && { 422: response('InvalidPayload') }),
      ...responses,
    }),
  };
}

function bodyOf(schema: object | undefined, said: Json | undefined): { requestBody?: Json } {
  if (!schema && !said) return {};
  return { requestBody: { required: true, ...merged(contentOf(schema), said) } };
}

function responsesOf(schemas: Record<string, object> = {}, said: Record<string, Json>): Json {
  const statuses = [...new Set([...Object.keys(schemas), ...Object.keys(said)])];
  const made = statuses.map((status) => [
    status,
    merged(contentOf(schemas[status]), inFull(said[status])),
  ]);
  return { ...Object.fromEntries(made), default: response('Problem') };
}

/** A response that a route describes itself, without the reference to a shared one that a macro added. */
function inFull(said: Json = {}): Json {
  const { $ref, ...own } = said;
  return $ref !== undefined && 'content' in own ? own : said;
}

const contentOf = (schema: object | undefined): Json =>
  schema
    ? { content: { 'application/json': { schema: referencedSchema(COMPONENTS, schema) } } }
    : {};

/** The path, query and header parameters; those that the route describes itself precede those of its schemas. */
function parametersOf(path: string, options: Described, own: readonly Json[]): Json[] {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const { params: { properties = {} } = {} } = options;
  const made = [
    ...inPath.map((name) => parameter('path', name, properties[name], true)),
    ...of('query', options.query),
    ...of('header', options.headers),
  ];
  const written = made.map((one) => own.find((other) => isSame(one, other)) ?? one);
  return [...written, ...own.filter((one) => !made.some((other) => isSame(one, other)))];
}

const isSame = (one: Json, other: Json): boolean =>
  one['name'] === other['name'] && one['in'] === other['in'];

interface ObjectSchema {
  properties?: Record<string, object>;
  required?: string[];
}

function of(place: 'query' | 'header', schema: object = {}): Json[] {
  const { properties = {}, required = [] }: ObjectSchema = schema;
  return Object.entries(properties).map(([name, value]) => {
    const shown = place === 'header' ? headerName(name) : name;
    return parameter(place, shown, value, required.includes(name));
  });
}

/** A parameter, to which the description of its schema is moved. */
function parameter(place: string, name: string, value: object = {}, required: boolean): Json {
  const shown: Json = { type: 'string', ...referencedSchema(COMPONENTS, value) };
  const { description, example, ...schema } = shown;
  return { name, in: place, required, description, schema, example };
}

/** Merges two descriptions; if both have a value, that of the second is used. */
function merged(one: Json, other: Json = {}): Json {
  const entries = Object.entries(other).map(([key, value]) => {
    const before = one[key];
    return [key, isObject(before) && isObject(value) ? merged(before, value) : value];
  });
  return { ...one, ...Object.fromEntries(entries) };
}

const isObject = (value: unknown): value is Json =>
  value instanceof Object && !Array.isArray(value);

interface OpenApiOptions {
  /** The public address, without a trailing slash. */
  baseUrl: string;
  /** The server's providers; if absent, the document does not mention them. */
  providers?: readonly ProviderSummary[];
  /** The installed packs, whose ids a payload may name; if absent, the document lists none. */
  packs?: TermPackList;
  /** The operations, as the routes describe them. */
  paths: Paths;
}

/** Creates the document as plain JSON. */
export function openApiDocument(options: OpenApiOptions): object {
  const { baseUrl, paths } = options;
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
    webhooks: webhookEvents(),
    components: {
      schemas: schemas(options),
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
        basic: {
          type: 'http',
          scheme: 'basic',
          description: 'The same key, or the token of an address, as the password of any user.',
        },
        address: {
          type: 'apiKey',
          in: 'query',
          name: 'key',
          description: 'The token of an address from POST /workspace/addresses, `asr_…`.',
        },
      },
    },
  };
}

/**
 * The schemas, with `status` as the discriminator of the three results, so that generated clients can distinguish them.
 */
function schemas({ providers = [], packs }: OpenApiOptions): Record<string, unknown> {
  const made = referencedSchemas(COMPONENTS);
  const ids = packs && { enum: packs.packs.map(({ id }) => id) };
  for (const section of ['transcription', 'audit'] as const) {
    if (providers.length > 0) explainProviders(made['CaptionerPayload'], section, providers);
  }
  const result = made['CaptionerResult'] as object;
  const mapping = {
    completed: '#/components/schemas/CaptionerCompletedResult',
    blocked: '#/components/schemas/CaptionerBlockedResult',
    failed: '#/components/schemas/CaptionerFailedResult',
  };
  return withDefaultsAside({
    ...made,
    TermPackId: { ...(made['TermPackId'] as object), ...ids },
    CaptionerResult: { ...result, discriminator: { propertyName: 'status', mapping } },
  });
}

/**
 * The schemas, with a component of its own for each optional field that has a default. Generators such as openapi-typescript take
 * a field whose own schema has a default for one that is always there, and would require it of whoever sends it.
 */
function withDefaultsAside(schemas: Record<string, unknown>): Record<string, unknown> {
  const aside: Record<string, unknown> = {};
  const visit = (node: unknown, name: string): unknown => {
    if (!isObject(node)) return node;
    const properties = node['properties'];
    if (!isObject(properties)) return node;
    const required = (node as ObjectSchema).required ?? [];
    const fields = Object.entries(properties).map(([field, value]) => {
      const path = [name, ...field.split('_').map(capitalised)].join('');
      const inner = visit(value, path);
      if (!isObject(inner) || inner['default'] === undefined || required.includes(field))
        return [field, inner];
      aside[path] = inner;
      return [field, schemaRef(path)];
    });
    return { ...node, properties: Object.fromEntries(fields) };
  };
  const made = Object.entries(schemas).map(([name, schema]) => [name, visit(schema, name)]);
  return { ...Object.fromEntries(made), ...aside };
}

const capitalised = (word: string): string => `${word.charAt(0).toUpperCase()}${word.slice(1)}`;

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

/** The operations that turn a recording into captions, from the email address to the result. */
const CORE: ReadonlySet<string> = new Set([
  'startRegistration',
  'completeClaim',
  'uploadAudio',
  'startCaptioner',
  'getRun',
]);

/** The names of the parts: one for each tag, in lower case, and `core`. */
export const SLICES = ['core', ...TAGS.map(({ name }) => name.toLowerCase())];

type Operation = { operationId?: string; tags?: string[] };

interface WholeDocument {
  paths: Record<string, Record<string, Operation>>;
  webhooks: WholeDocument['paths'];
  tags: Json[];
}

/** The operations of a part, with the components that they refer to, directly or not. */
export function sliceOf(document: object, slice: string): object {
  const { paths, webhooks, tags, ...rest } = document as WholeDocument;
  const belongs = ({ operationId = '', tags: own = [] }: Operation): boolean =>
    slice === 'core' ? CORE.has(operationId) : own.some((tag) => tag.toLowerCase() === slice);
  const used = new Set<unknown>();
  const keptOf = (all: WholeDocument['paths']): WholeDocument['paths'] => {
    const kept: WholeDocument['paths'] = {};
    for (const [path, operations] of Object.entries(all)) {
      const some = Object.entries(operations).filter(([, each]) => belongs(each));
      if (some.length > 0) kept[path] = Object.fromEntries(some);
      for (const [, each] of some) for (const tag of each.tags ?? []) used.add(tag);
    }
    return kept;
  };
  const kept = keptOf(paths);
  const events = keptOf(webhooks);
  const part = onlyUsed({
    ...rest,
    tags: tags.filter(({ name }) => used.has(name)),
    paths: kept,
    ...(Object.keys(events).length > 0 && { webhooks: events }),
  });
  return slice === 'core' ? (withoutExamples(part) as object) : part;
}

/** Examples are half of the core, and its readers know the formats from the schemas. */
function withoutExamples(part: unknown, named = false): unknown {
  if (Array.isArray(part)) return part.map((each) => withoutExamples(each));
  if (typeof part !== 'object' || part === null) return part;
  const kept = Object.entries(part).filter(
    ([key]) => named || (key !== 'example' && key !== 'examples'),
  );
  return Object.fromEntries(
    kept.map(([key, each]) => [key, withoutExamples(each, !named && key === 'properties')]),
  );
}

/** The document without components that nothing in it refers to. */
function onlyUsed(document: object): object {
  const { components, ...rest } = document as { components: Record<string, Json> };
  const { securitySchemes, ...kinds } = components;
  const kept: Record<string, Json> = {};
  let fresh = referencesIn(rest);
  while (fresh.length > 0) {
    const found: unknown[] = [];
    for (const [kind = '', name = ''] of fresh) {
      const component = kinds[kind]?.[name];
      if (component === undefined || kept[kind]?.[name] !== undefined) continue;
      (kept[kind] ??= {})[name] = component;
      found.push(component);
    }
    fresh = referencesIn(found);
  }
  // In the order of the whole document.
  const ordered = Object.entries(kinds).map(([kind, all]) => [
    kind,
    Object.fromEntries(Object.entries(all).filter(([name]) => kept[kind]?.[name] !== undefined)),
  ]);
  return { ...rest, components: { ...Object.fromEntries(ordered), securitySchemes } };
}

const referencesIn = (part: unknown): string[][] =>
  [...JSON.stringify(part).matchAll(/"#\/components\/([^"/]+)\/([^"/]+)"/g)].map((found) =>
    found.slice(1),
  );

/**
 * Converts the document to OpenAPI 3.1, which has no `$self`, no `allowReserved` outside queries, and no schema for the
 * items of a stream, so a stream becomes text.
 */
export function asOpenApi31(document: object): object {
  const { $self: _, ...rest } = document as Json;
  // Without schemas that only streams used.
  return onlyUsed({ ...(older(rest) as Json), openapi: '3.1.1' });
}

function older(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(older);
  if (typeof node !== 'object' || node === null) return node;
  const { itemSchema, ...rest } = node as Json;
  if (itemSchema !== undefined) {
    return { ...rest, schema: { type: 'string', description: 'server-sent events' } };
  }
  if (rest['in'] === 'path') delete rest['allowReserved'];
  return Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, older(value)]));
}
