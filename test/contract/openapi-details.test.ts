/** Requirements of readers and client generators for each operation in the OpenAPI document. */
import { expect, test } from 'bun:test';
import { openApiDocument } from '../../server/http/openapi/document.ts';
import { paths } from '../support/documents.ts';
import type { Any } from '../support/servers/client.ts';

const document: Any = JSON.parse(
  JSON.stringify(openApiDocument({ baseUrl: 'https://captions.example', paths: paths() })),
);
const read = (node: Any): Any =>
  node?.$ref
    ? node.$ref
        .slice(2)
        .split('/')
        .reduce((at: Any, part: string) => at?.[part], document)
    : node;
const METHODS = new Set(['get', 'put', 'post', 'delete', 'patch', 'head']);
const operations: [string, Any][] = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item as Any)
    .filter(([method]) => METHODS.has(method))
    .map(([method, operation]): [string, Any] => [`${method} ${path}`, operation]),
);
const isText = (value: unknown): boolean => typeof value === 'string' && value.length > 3;
const parameters = operations.flatMap(([name, operation]) =>
  (operation.parameters ?? []).map((each: Any): [string, Any] => {
    const parameter = read(each);
    return [`${name}: ${parameter.name}`, parameter];
  }),
);
const responses = operations.flatMap(([name, operation]) =>
  Object.entries(operation.responses).map(([status, answer]): [string, Any] => [
    `${name}: ${status}`,
    read(answer),
  ]),
);
/** The names of those that lack something. */
const lacking = (of: [string, Any][], has: (one: Any, name: string) => boolean): string[] =>
  of.filter(([name, one]) => !has(one, name)).map(([name]) => name);

/** Protected operations and writes whose summary says all. */
const SAID_BY_SUMMARY = new Set([
  'post /agent/auth',
  'post /agent/auth/claim/complete',
  'get /workflows/captioner',
  'get /workflows/captioner/{runId}',
  'delete /workflows/captioner/{runId}',
  'delete /terminology/terms',
  'patch /terminology/rules/{ruleId}',
  'get /terminology/learning',
  'put /terminology/learning',
  'get /webhooks',
  'delete /webhooks/{webhookId}',
  'post /webhooks/{webhookId}/enable',
  'get /webhooks/{webhookId}/deliveries',
  'post /webhooks/{webhookId}/deliveries/{deliveryId}/redeliver',
]);
/** Parameters whose name says all. */
const SAID_BY_NAME = /: (?:\w+Id|format|wait|state)$|^delete \/audio/;

test('every operation has a summary, and a description if the summary is not enough', () => {
  expect(lacking(operations, ({ summary }) => isText(summary))).toEqual([]);
  const isPublicDocument = (name: string, { security }: Any) =>
    name.startsWith('get ') && !security?.length;
  const silent = lacking(
    operations.filter(([name, operation]) => !isPublicDocument(name, operation)),
    ({ description }) => isText(description),
  );
  expect(silent.filter((name) => !SAID_BY_SUMMARY.has(name))).toEqual([]);
});

test('every parameter has a schema, and a description if the name is not enough', () => {
  const types = ['type', '$ref', 'anyOf', 'enum', 'const'];
  expect(lacking(parameters, ({ schema }) => types.some((type) => type in schema))).toEqual([]);
  const silent = lacking(parameters, ({ description }) => isText(description));
  expect(silent.filter((name) => !SAID_BY_NAME.test(name))).toEqual([]);
  const inPath = parameters.filter(([, parameter]) => parameter.in === 'path');
  expect(inPath.length).toBeGreaterThan(10);
  expect(lacking(inPath, ({ required }) => required === true)).toEqual([]);
});

test('the key of a recording may contain slashes, ends in .mp3, and has an example', () => {
  const [, key] = parameters.find(([name]) => name === 'put /audio/{key}: key')!;
  expect(key).toMatchObject({
    allowReserved: true,
    schema: { type: 'string', pattern: '\\.mp3$' },
    example: expect.stringMatching(/^[^/]+\/[^/]+\.mp3$/),
  });
});

test('every response has a description, and its body a type', () => {
  expect(lacking(responses, ({ description }) => isText(description))).toEqual([]);
  const bodies = responses.flatMap(([name, { content = {} }]) =>
    Object.entries(content).map(([type, body]): [string, Any] => [`${name} ${type}`, body]),
  );
  const isTyped = ({ schema, itemSchema }: Any) => schema !== undefined || itemSchema !== undefined;
  expect(lacking(bodies, isTyped)).toEqual([]);
});

test.each(['put /audio/{key}', 'put /uploads/{token}'])(
  'the body of %s is the bytes of an MP3',
  (name) => {
    const [, operation] = operations.find(([each]) => each === name)!;
    expect(read(operation.requestBody)).toMatchObject({
      required: true,
      content: { 'audio/mpeg': { schema: { type: 'string', format: 'binary' } } },
    });
  },
);
