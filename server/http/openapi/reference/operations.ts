/** Describes the operations of the OpenAPI document in Markdown, grouped by their tags. */
import { fieldsOf, notes, typeOf } from './fields.ts';
import { block, code, slug, table } from '../../documents/markdown.ts';
import {
  nameOf,
  type MediaType,
  type OpenApi,
  type Parameter,
  type Reply,
  type Operation,
} from './openapi-json.ts';
import { KEY_VARIABLE } from '../../documents/key-storage.ts';

/** Examples of more lines than this would hide what follows them. */
const MAX_EXAMPLE_LINES = 40;

/** A section for each tag: a table of its operations, then each of them. */
export function operationSections(document: OpenApi): string {
  const calls = callsOf(document);
  return document.tags
    .map(({ name, description }) => {
      const within = calls.filter(({ operation }) => operation.tags.includes(name));
      return [
        `## ${name}`,
        description,
        table(
          ['Request', 'What it does'],
          within.map((call) => [
            code(requestLine(call)),
            hasSection(call)
              ? `[${call.operation.summary}](#${slug(call.operation.summary)})`
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
    `${code(requestLine(call))}. ${keyNeeded(security)}`,
    description ?? '',
    block('sh', curlCommand(call, document.servers[0].url)),
    table(['Parameter', 'In', 'Type', 'Required', 'Notes'], parameterRows(parameters)),
    ...bodies(requestBody?.content ?? {}),
    table(
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
    : `Needs a key with the scope ${scopes.map(code).join(', ')}.`;
}

const parameterRows = (parameters: readonly Parameter[] = []): string[][] =>
  parameters.map(({ name, in: place, required, schema = {}, description }) => [
    code(name),
    place,
    typeOf(schema),
    required === true ? 'yes' : '',
    notes(schema, description),
  ]);

function bodies(content: Record<string, MediaType>): string[] {
  return Object.entries(content).map(([type, { schema = {} }]) => {
    if (schema.format === 'binary') return `The body is the file, ${code(type)}.`;
    if (schema.properties) return `The body, ${code(type)}:\n\n${fieldsOf(schema)}`;
    return `The body, ${code(type)}: ${schema.description ?? typeOf(schema)}.`;
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
      .map(code)
      .join(', '),
  ];
}

const bodyOfType = (type: string, { itemSchema }: MediaType): string =>
  itemSchema ? `${code(type)} of ${typeOf(itemSchema)}` : code(type);

/** The first short example of a response. */
function example(responses: Record<string, Reply>): string {
  for (const [status, { content = {} }] of Object.entries(responses)) {
    const { example: only, examples = {} } = content['application/json'] ?? {};
    const value = only ?? Object.values(examples)[0]?.value;
    const text = value === undefined ? '' : JSON.stringify(value, null, 2);
    if (text !== '' && text.split('\n').length <= MAX_EXAMPLE_LINES) {
      return `Example response, ${status}:\n\n${block('json', text)}`;
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
export function curlCommand({ method, path, operation }: Call, baseUrl: string): string {
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
