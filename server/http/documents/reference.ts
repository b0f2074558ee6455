/** The API reference, GET /docs: what /openapi.json says, as a document for people and agents. */
import referenceMd from '../../../content/reference.md' with { type: 'text' };
import {
  readSource,
  type Source,
  markdownBlock,
  markdownCode,
  markdownSlug,
  markdownTable,
} from './html.ts';
import { KEY_VARIABLE } from './metadata.ts';

/**
 * Renders the reference as Markdown.
 * @param document what /openapi.json serves
 * @param values of the placeholders in `content/reference.md`, in addition to the generated parts
 * @throws {DocumentError} the text has an unknown placeholder
 */
export function referenceSource(document: object, values: Record<string, string>): Source {
  const openApi = document as OpenApi;
  return readSource('reference.md', referenceMd, {
    ...values,
    operations: operationSections(openApi),
    events: eventsTable(openApi),
    types: typeSections(openApi),
  });
}

/** What is sent to webhooks. */
const eventsTable = ({ webhooks }: OpenApi): string =>
  markdownTable(
    ['Event', 'When', 'Body'],
    Object.entries(webhooks).map(([event, { post }]) => [
      markdownCode(event),
      post.summary,
      Object.values(post.requestBody?.content ?? {})
        .map(({ schema = {} }) => typeOf(schema))
        .join(', '),
    ]),
  );

const typeSections = ({ components }: OpenApi): string =>
  Object.entries(components.schemas)
    .map(([name, schema]) => `### ${name}\n\n${fieldsOf(schema)}`)
    .join('\n\n');

/** Examples of more lines than this would hide what follows them. */
const MAX_EXAMPLE_LINES = 40;

/** A section for each tag: a table of its operations, then each of them. */
function operationSections(document: OpenApi): string {
  const calls = callsOf(document);
  return document.tags
    .map(({ name, description }) => {
      const within = calls.filter(({ operation }) => operation.tags.includes(name));
      return [
        `## ${name}`,
        description,
        markdownTable(
          ['Request', 'What it does'],
          within.map((call) => [
            markdownCode(requestLine(call)),
            hasSection(call)
              ? `[${call.operation.summary}](#${markdownSlug(call.operation.summary)})`
              : call.operation.summary,
          ]),
        ),
        ...within.filter(hasSection).map((call) => operationSection(call, document)),
      ].join('\n\n');
    })
    .join('\n\n');
}

const callsOf = ({ paths }: OpenApi): Call[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
  );

/** Documents, and operations that only refuse, need no more than their line in the table. */
const hasSection = ({ operation: { responses } }: Call): boolean =>
  !responses['400']?.$ref?.endsWith('/NotSupported') &&
  Object.keys(responses).some((status) => status.startsWith('2'));

const requestLine = ({ method, path }: Call): string => `${method.toUpperCase()} ${path}`;

function operationSection(call: Call, document: OpenApi): string {
  const { summary, description, security, parameters, requestBody } = call.operation;
  return [
    `### ${summary}`,
    `${markdownCode(requestLine(call))}. ${keyNeeded(security)}`,
    description ?? '',
    markdownBlock('sh', curlCommand(call, document.servers[0].url)),
    markdownTable(['Parameter', 'In', 'Type', 'Required', 'Notes'], parameterRows(parameters)),
    ...bodies(requestBody?.content ?? {}),
    markdownTable(
      ['Status', 'Body', 'Meaning', 'Headers'],
      Object.entries(call.operation.responses)
        .filter(([status]) => status !== 'default')
        .map(([status, reply]) => replyRow(status, reply, document)),
    ),
    example(call.operation.responses),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

function keyNeeded(security: Call['operation']['security']): string {
  if (security.length === 0) return 'Needs no key.';
  const scopes = security.flatMap((one) => Object.values(one).flat());
  return scopes.length === 0
    ? 'Needs a key.'
    : `Needs a key with the scope ${scopes.map(markdownCode).join(', ')}.`;
}

const parameterRows = (parameters: readonly Parameter[] = []): string[][] =>
  parameters.map(({ name, in: place, required, schema = {}, description }) => [
    markdownCode(name),
    place,
    typeOf(schema),
    required === true ? 'yes' : '',
    notes(schema, description),
  ]);

function bodies(content: Record<string, MediaType>): string[] {
  return Object.entries(content).map(([type, { schema = {} }]) => {
    if (schema.format === 'binary') return `The body is the file, ${markdownCode(type)}.`;
    if (schema.properties) return `The body, ${markdownCode(type)}:\n\n${fieldsOf(schema)}`;
    return `The body, ${markdownCode(type)}: ${schema.description ?? typeOf(schema)}.`;
  });
}

function replyRow(status: string, reply: Reply, document: OpenApi): string[] {
  const { components } = document;
  const shared = reply.$ref === undefined ? reply : components.responses[nameOf(reply.$ref)];
  const bodiesOf = Object.entries(shared?.content ?? {}).map(([type, media]) =>
    type === 'application/json' ? typeOf(media.schema ?? {}) : bodyOfType(type, media),
  );
  return [
    status,
    bodiesOf.join(', '),
    shared?.description ?? '',
    Object.keys(shared?.headers ?? {})
      .map(markdownCode)
      .join(', '),
  ];
}

const bodyOfType = (type: string, { itemSchema }: MediaType): string =>
  itemSchema ? `${markdownCode(type)} of ${typeOf(itemSchema)}` : markdownCode(type);

/** The first short example of a response. */
function example(responses: Record<string, Reply>): string {
  for (const [status, { content = {} }] of Object.entries(responses)) {
    const { example: only, examples = {} } = content['application/json'] ?? {};
    const value = only ?? Object.values(examples)[0]?.value;
    const text = value === undefined ? '' : JSON.stringify(value, null, 2);
    if (text !== '' && text.split('\n').length <= MAX_EXAMPLE_LINES) {
      return `Example response, ${status}:\n\n${markdownBlock('json', text)}`;
    }
  }
  return '';
}

/** The operation to call. */
interface Call {
  method: string;
  /** As in the document: `/audio/{key}`. */
  path: string;
  operation: Operation;
}

/**
 * A command for a POSIX shell, which takes the API key from a variable.
 * @param baseUrl without a trailing slash
 */
function curlCommand({ method, path, operation }: Call, baseUrl: string): string {
  const { parameters = [], security, requestBody } = operation;
  const [[type, body] = []] = Object.entries(requestBody?.content ?? {});
  const headers = [
    ...(security.length > 0 ? [`"Authorization: Bearer $${KEY_VARIABLE}"`] : []),
    ...(type === undefined ? [] : [quoted(`Content-Type: ${type}`)]),
    ...needed(parameters, 'header').map((one) => quoted(`${one.name}: ${exampleOf(one)}`)),
  ];
  const verb = method === 'get' ? '' : ` -X ${method.toUpperCase()}`;
  const lines = [
    `curl -sS${verb} ${quoted(`${baseUrl}${filled(path, parameters)}`)}`,
    ...headers.map((header) => `-H ${header}`),
    ...(body ? [bodyOption(body)] : []),
  ];
  return lines.join(' \\\n  ');
}

const needed = (parameters: readonly Parameter[], place: string): Parameter[] =>
  parameters.filter((one) => one.in === place && one.required === true);

/** The address with examples in place of its parameters. */
function filled(path: string, parameters: readonly Parameter[]): string {
  const inPath = path.replace(/\{(\w+)\}/g, (_, name: string) =>
    exampleOf(parameters.find((one) => one.in === 'path' && one.name === name) ?? { name }),
  );
  const query = needed(parameters, 'query').map(
    (one) => `${one.name}=${encodeURIComponent(exampleOf(one))}`,
  );
  return query.length === 0 ? inPath : `${inPath}?${query.join('&')}`;
}

function exampleOf({ name, schema, example }: Pick<Parameter, 'name' | 'schema' | 'example'>) {
  const value = example ?? schema?.example ?? schema?.default ?? schema?.const ?? schema?.enum?.[0];
  if (typeof value === 'string') return value;
  return value === undefined ? `<${name}>` : JSON.stringify(value);
}

function bodyOption({ schema, example }: MediaType): string {
  if (example !== undefined) return `-d ${quoted(JSON.stringify(example))}`;
  return schema?.format === 'binary' ? '--data-binary @keynote.mp3' : `-d '{}'`;
}

/** A text as one word of a POSIX shell. */
const quoted = (text: string): string => `'${text.replaceAll(`'`, String.raw`'\''`)}'`;

/**
 * The type of a value.
 * @example
 * typeOf({ type: 'array', items: { type: 'string' } }); // => 'list of string'
 * typeOf({ $ref: '#/components/schemas/CaptionCue' }); // => '[CaptionCue](#captioncue)'
 */
function typeOf(schema: Schema): string {
  const { $ref, enum: values, anyOf, items, type, additionalProperties: others } = schema;
  if ($ref !== undefined) return `[${nameOf($ref)}](#${markdownSlug(nameOf($ref))})`;
  if ('const' in schema) return shown(schema.const);
  if (values) return values.map(shown).join(', ');
  if (anyOf) return [...new Set(anyOf.map(typeOf))].join(' or ');
  if (items) return `list of ${typeOf(items)}`;
  if (typeof others === 'object') return `object of ${typeOf(others)}`;
  if (Array.isArray(type)) return type.join(' or ');
  return type ?? 'any value';
}

/** The limits and the default of a value, as short phrases: `1 to 3`, `at most 200 characters`. */
function limitsOf(schema: Schema): string {
  const { pattern, format, minLength, maxLength, minItems, maxItems } = schema;
  const phrases = [
    format === undefined || IMPLIED.has(format) ? '' : format,
    between(schema.minimum, schema.maximum),
    schema.exclusiveMinimum === undefined ? '' : `more than ${schema.exclusiveMinimum}`,
    between(minLength, maxLength, 'character'),
    between(minItems, maxItems, 'entry', 'entries'),
    pattern === undefined ? '' : `matches ${markdownCode(pattern)}`,
    schema.items ? limitsOf(schema.items).replace(/^(?=.)/, 'each ') : '',
    schema.default === undefined ? '' : `default ${shown(schema.default)}`,
  ];
  return phrases.filter((phrase) => phrase !== '').join('; ');
}

/** Formats that the type or the text around it says already. */
const IMPLIED = new Set(['double', 'binary']);

function between(least?: number, most?: number, one = '', many = `${one}s`): string {
  const unit = (count: number) => (one === '' ? '' : ` ${count === 1 ? one : many}`);
  if (least === undefined || (least === 0 && one !== '' && most !== undefined)) {
    return most === undefined ? '' : `at most ${most}${unit(most)}`;
  }
  if (most === undefined) return least === 0 && one !== '' ? '' : `at least ${least}${unit(least)}`;
  return `${least} to ${most}${unit(most)}`;
}

const shown = (value: unknown): string => markdownCode(JSON.stringify(value));

/**
 * The fields of an object as a table; those of objects within it by their path, as `audio.key` and
 * `words[].text`. A schema without fields of its own is described in a sentence.
 */
function fieldsOf(schema: Schema): string {
  const rows = rowsOf(schema, '');
  if (rows.length > 0) return markdownTable(['Field', 'Type', 'Required', 'Notes'], rows);
  const text = notes(schema);
  return text === '' ? typeOf(schema) : `${typeOf(schema)}: ${text}`;
}

function rowsOf(schema: Schema, before: string): string[][] {
  const { properties, items, additionalProperties: others, required = [] } = schema;
  if (items && !items.$ref) return rowsOf(items, `${before}[]`);
  if (typeof others === 'object' && !others.$ref) return rowsOf(others, `${before}.*`);
  return Object.entries(properties ?? {}).flatMap(([name, field]) => {
    const path = before === '' ? name : `${before}.${name}`;
    const own = [
      markdownCode(path),
      typeOf(field),
      required.includes(name) ? 'yes' : '',
      notes(field),
    ];
    return [own, ...rowsOf(field, path)];
  });
}

/** The description and the limits of a value. */
function notes(schema: Schema, description = schema.description ?? ''): string {
  const limits = limitsOf(schema);
  if (description === '' || limits === '') return description + limits;
  const isSentence = /[.!?]$/.test(description);
  return isSentence
    ? `${description} ${limits.charAt(0).toUpperCase()}${limits.slice(1)}.`
    : `${description}; ${limits}`;
}

/** A schema of a component, a parameter or a body. */
interface Schema {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  description?: string;
  default?: unknown;
  example?: unknown;
  format?: string;
  pattern?: string;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
}

interface MediaType {
  schema?: Schema;
  /** The schema of each event of a stream. */
  itemSchema?: Schema;
  example?: unknown;
  examples?: Record<string, { value?: unknown }>;
}

interface Reply {
  $ref?: string;
  description?: string;
  headers?: Record<string, { $ref?: string; description?: string }>;
  content?: Record<string, MediaType>;
}

interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  description?: string;
  schema?: Schema;
  example?: unknown;
}

interface Operation {
  summary: string;
  description?: string;
  tags: string[];
  security: Record<string, string[]>[];
  parameters?: Parameter[];
  requestBody?: { content?: Record<string, MediaType> };
  responses: Record<string, Reply>;
}

interface OpenApi {
  servers: [{ url: string }];
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, { post: Operation }>;
  components: {
    schemas: Record<string, Schema>;
    responses: Record<string, Reply>;
    headers: Record<string, { description?: string }>;
  };
}

/** The last part of a reference: `#/components/schemas/CaptionCue` is `CaptionCue`. */
const nameOf = (ref: string): string => ref.replace(/^.*\//, '');
