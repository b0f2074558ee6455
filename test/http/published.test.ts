/**
 * What the service publishes about itself for programs, a line for each operation, parameter and field: whoever calls
 * it depends on each. After an intended change: `npx bun test -u test/http/published.test.ts`; read the difference.
 */
import { expect, setDefaultTimeout, test } from 'bun:test';
import { documentsOf, packs } from '../support/documents.ts';
import { mountedApp, sendMessage } from '../support/servers/mounted.ts';
import type { Any } from '../support/servers/client.ts';

setDefaultTimeout(300_000);

const name = (ref: string): string => ref.split('/').at(-1)!;
/** The packs are content, so a new one changes nothing here. */
const withoutPacks = (lines: Iterable<string>): string =>
  [...lines, '']
    .filter((line) => !line.includes('captioner://packs/'))
    .map((line) => line.replaceAll(/enum \[[^\]]*\]/g, packsOr))
    .join('\n');
const packsOr = (list: string): string =>
  packs.packs.every(({ id }) => list.includes(JSON.stringify(id))) ? 'a pack' : list;

/** What a line shows in another way, or leaves out because it limits no value. */
const LEFT_OUT = new Set(
  '$ref type properties required items anyOf oneOf allOf description title example examples additionalProperties patternProperties'.split(
    ' ',
  ),
);

/** The type of a value, with all its limits, on a line. */
function typeOf(schema: Any): string {
  if (schema.$ref) return name(schema.$ref);
  const choice = schema.anyOf ?? schema.oneOf ?? schema.allOf;
  const values = schema.items ?? schema.additionalProperties;
  const inner = values && typeof values === 'object' ? ` of ${typeOf(values)}` : '';
  const type = choice
    ? choice.map(typeOf).join(schema.allOf ? ' & ' : ' | ')
    : [schema.type ?? (schema.properties ? 'object' : [])].flat().join('|') + inner;
  const limits = Object.entries(schema)
    .filter(([key]) => !LEFT_OUT.has(key))
    .map(([key, value]) => `${key} ${JSON.stringify(value)}`);
  const closed = schema.additionalProperties === false ? ['closed'] : [];
  return [type, ...closed, ...limits].filter((part) => part !== '').join(', ');
}

/** The lines of the fields within a value. */
function* fieldsOf(path: string, schema: Any): Generator<string> {
  for (const [field, value] of Object.entries<Any>(schema.properties ?? {})) {
    yield `${path}.${field}${schema.required?.includes(field) ? '' : '?'}: ${typeOf(value)}`;
    yield* fieldsOf(`${path}.${field}`, value);
  }
  for (const part of [schema.items, schema.additionalProperties]) {
    if (typeof part === 'object') yield* fieldsOf(`${path}[]`, part);
  }
  for (const part of schema.anyOf ?? schema.oneOf ?? schema.allOf ?? []) {
    yield* fieldsOf(path, part);
  }
}

/** The fields of values that were shown before, with where. */
type Shown = Map<string, string>;

/** A value with its fields, or with the place that has shown the same fields. */
function* valueOf(path: string, schema: Any, shown: Shown, where: string): Generator<string> {
  const fields = [...fieldsOf('    ', schema)];
  const key = fields.join('\n');
  const before = shown.get(key);
  if (fields.length > 0 && before === undefined) shown.set(key, where);
  yield `  ${path}: ${typeOf(schema)}${before === undefined ? '' : ` as ${before}`}`;
  if (before === undefined) yield* fields;
}

function* openApiLines({ paths, webhooks, components, security }: Any): Generator<string> {
  const shown: Shown = new Map();
  /** The values of a body or an answer: those without fields of their own share a line, which `named` collects. */
  function* contentOf(path: string, content: Any, where: string, named: string[]) {
    for (const [media, { schema, itemSchema }] of Object.entries<Any>(content ?? {})) {
      const value = schema ?? itemSchema ?? {};
      const isPlain = fieldsOf('', value).next().done;
      if (isPlain) named.push(`${path} ${media} ${typeOf(value)}`);
      else yield* valueOf(`${path} ${media}`, value, shown, `${path} of ${where}`);
    }
  }
  for (const [path, operations] of Object.entries<Any>({ ...paths, ...webhooks })) {
    for (const [method, operation] of Object.entries<Any>(operations)) {
      const scopes = (operation.security ?? security).flatMap(Object.values).flat();
      const open = (operation.security ?? security).length === 0;
      const key = open ? 'without a key' : `key: ${scopes.join(' ') || 'any'}`;
      yield `${method.toUpperCase()} ${path}: ${operation.operationId}, ${key}`;
      for (const { name, in: place, required, schema } of operation.parameters ?? []) {
        yield `  ${place} ${name}${required ? '' : '?'}: ${typeOf(schema)}`;
      }
      const named: string[] = [];
      const { operationId, requestBody, responses } = operation;
      yield* contentOf('body', requestBody?.content, operationId, named);
      for (const [status, answer] of Object.entries<Any>(responses)) {
        if (answer.$ref) named.push(`${status} ${name(answer.$ref)}`);
        else if (!answer.content) named.push(status);
        else yield* contentOf(status, answer.content, operationId, named);
      }
      if (named.length > 0) yield `  ${named.join(', ')}`;
    }
  }
  for (const [response, { content, headers = {} }] of Object.entries<Any>(components.responses)) {
    const named = [response, ...Object.keys(headers)];
    const fields = [...contentOf('body', content, response, named)];
    yield named.join(', ');
    yield* fields;
  }
  for (const [schema, value] of Object.entries<Any>(components.schemas)) {
    yield `${schema}: ${typeOf(value)}`;
    yield* fieldsOf(schema, value);
  }
}

test('the OpenAPI document', async () => {
  const document = await documentsOf({ baseUrl: 'https://captions.example.com' })(
    '/openapi.json',
  ).json();
  expect(withoutPacks(openApiLines(document))).toMatchSnapshot();
});

test('the tools and resources of the MCP server', async () => {
  const app = await mountedApp();
  const ann = await app.signUp('ann@example.com');
  const list = async (method: string): Promise<Any> =>
    (await sendMessage(app, ann, method, {})).result;
  const lines: string[] = [];
  const shown: Shown = new Map();
  for (const { name, annotations, inputSchema, outputSchema } of (await list('tools/list')).tools) {
    const hints = Object.entries(annotations).map(([hint, value]) => `${hint} ${String(value)}`);
    lines.push(`tool ${name}: ${hints.join(', ')}`);
    lines.push(...valueOf('takes', inputSchema, shown, `what ${name} takes`));
    if (outputSchema) {
      lines.push(...valueOf('answers', outputSchema, shown, `what ${name} answers`));
    }
  }
  for (const { uri, mimeType } of (await list('resources/list')).resources) {
    lines.push(`resource ${uri}: ${mimeType}`);
  }
  const { resourceTemplates } = await list('resources/templates/list');
  for (const { uriTemplate, mimeType } of resourceTemplates) {
    lines.push(`resources ${uriTemplate}: ${mimeType}`);
  }
  expect(withoutPacks(lines)).toMatchSnapshot();
});
