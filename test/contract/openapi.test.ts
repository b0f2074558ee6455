/** The OpenAPI document: its operations, references and examples. */
import { validate as validate31 } from '@hyperjump/json-schema/openapi-3-1';
import { validate } from '@hyperjump/json-schema/openapi-3-2';
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readConfig } from '../../server/config/config.ts';
import { COMPONENTS } from '../../server/contract/components.ts';
import { validator } from '../../server/contract/schema.ts';
import { openApiDocument, asOpenApi31 } from '../../server/http/documents/openapi-document.ts';
import { providerSummaries } from '../../server/pipeline/providers.ts';
import { objects, paths } from '../support/documents.ts';
import type { Any } from '../support/servers/client.ts';
import { removeFolder, temporaryFolder } from '../support/servers/server-process.ts';

setDefaultTimeout(300000);

const baseUrl = 'https://captions.example';
const document: Any = JSON.parse(JSON.stringify(openApiDocument({ baseUrl, paths: paths() })));

const resolve = (ref: string): Any =>
  ref
    .slice(2)
    .split('/')
    .reduce(
      (node: Any, part) => node?.[part.replaceAll('~1', '/').replaceAll('~0', '~')],
      document,
    );

const all = [...objects(document)];

/** All operations: path, method and value. */
const operations: [string, string, Any][] = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item as Any)
    .filter(([method]) => /^(get|put|post|delete|patch|head)$/.test(method))
    .map(([method, operation]): [string, string, Any] => [path, method, operation]),
);

test('schemas each equals the schema used for validation once its references are resolved', () => {
  const inline = (node: Any): Any => {
    if (Array.isArray(node)) return node.map(inline);
    if (typeof node !== 'object' || node === null) return node;
    if (typeof node.$ref === 'string') return inline(resolve(node.$ref));
    const { discriminator: _ours, format, ...rest } = node;
    const kept = format === undefined || format === 'double' ? rest : { ...rest, format };
    return Object.fromEntries(Object.entries(kept).map(([key, value]) => [key, inline(value)]));
  };
  /** Records can be written in two ways; this converts them to the simpler one. */
  const plain = (node: Any): Any => {
    if (Array.isArray(node)) return node.map(plain);
    if (typeof node !== 'object' || node === null) return node;
    const { patternProperties, ...rest } = node;
    const value = patternProperties?.['^.*$'];
    const any = value && Object.keys(value).length === 0;
    const record = value ? { additionalProperties: any ? true : plain(value) } : {};
    const entries = Object.entries(rest).map(([key, inner]) => [key, plain(inner)]);
    return { ...Object.fromEntries(entries), ...record };
  };
  for (const [name, schema] of Object.entries(COMPONENTS)) {
    const expected = plain(JSON.parse(JSON.stringify(schema)));
    expect([name, inline(document.components.schemas[name])]).toEqual([name, expected]);
  }
});

describe('operations', () => {
  test('public ones need no key; others have their scope and their refusals', () => {
    for (const [path, method, operation] of operations) {
      const guarded =
        /^\/(v1|asr$|detect-language$|audio|captions|resumable|workflows|review-link$|mcp$|webhooks|workspace(?!\/invitations\/accept)|translations|terminology\/(?!packs))/.test(
          path,
        );
      if (!guarded) {
        expect([path, operation.security]).toEqual([path, []]);
        continue;
      }
      const reads = method === 'get' || path === '/terminology/proposals';
      const scope = /^\/(audio\/|resumable)/.test(path)
        ? 'captioner:audio:upload'
        : path.startsWith('/terminology/') && reads
          ? 'captioner:terminology:read'
          : 'captioner:caption:run';
      const sendsSound =
        /^\/(v1\/audio|asr|detect-language|workspace\/addresses)/.test(path) ||
        (method === 'put' && /\/(sound|video)$/.test(path));
      const scopes = sendsSound ? ['captioner:audio:upload', scope] : [scope];
      // Those that accept a link as well are listed by the test of links.
      const [key] = operation.security;
      expect([path, key]).toEqual([path, { bearer: path === '/mcp' ? [] : scopes }]);
      expect(operation.responses).toContainAllKeys([
        ...new Set([
          ...Object.keys(operation.responses),
          '401',
          ...(path === '/mcp' ? [] : ['403']),
        ]),
      ]);
    }
  });

  test('every example is valid', () => {
    let checked = 0;
    for (const [at, node] of all) {
      const name = /^#\/components\/schemas\/(\w+)$/.exec(node.schema?.$ref ?? '')?.[1];
      const values = [
        ...('example' in node ? [node.example] : []),
        ...Object.values(node.examples ?? {}).map((example: Any) => example.value),
      ];
      if (!name || values.length === 0) continue;
      const schema = validator(COMPONENTS[name as keyof typeof COMPONENTS]);
      for (const value of values) {
        expect([at, schema.issues(value)]).toEqual([at, []]);
        checked += 1;
      }
    }
    expect(checked).toBeGreaterThan(20);
  });
});

test('every number is a double', () => {
  const numbers = all.filter(([, { type }]) => type === 'number');
  expect(numbers.length).toBeGreaterThan(20);
  expect(numbers.filter(([, { format }]) => format !== 'double').map(([at]) => at)).toEqual([]);
});

describe('checks the OpenAPI document with two independent validators that support 3.2', () => {
  const made = openApiDocument({
    baseUrl: 'https://captions.example',
    paths: paths(),
    providers: providerSummaries(readConfig({})),
  });
  const document = JSON.stringify(made);
  const older = JSON.stringify(asOpenApi31(made));

  test.each(['schema', 'schema-base'])(
    'both versions are valid according to their %s',
    async (schema) => {
      const valid = { valid: true };
      const of = (version: string) => `https://spec.openapis.org/oas/${version}/${schema}` as const;
      expect(await validate(of('3.2'), JSON.parse(document), 'DETAILED')).toEqual(valid);
      expect(await validate31(of('3.1'), JSON.parse(older), 'DETAILED')).toEqual(valid);
    },
  );

  test('version 3.1 has every operation, and no features of 3.2', () => {
    const operationsOf = (text: string) =>
      Object.entries<object>(JSON.parse(text).paths).map(([path, item]) => [
        path,
        Object.keys(item),
      ]);
    expect(operationsOf(older)).toEqual(operationsOf(document));
    expect(JSON.parse(older).openapi).toBe('3.1.1');
    expect(older).not.toMatch(/itemSchema|\$self/);
  });

  test.each([
    ['3.2', document],
    ['3.1', older],
  ])('redocly lint reports no errors and no warnings for %s', async (_version, text) => {
    const folder = await temporaryFolder();
    const file = join(folder, 'openapi.json');
    await writeFile(file, text);
    const cli = fileURLToPath(import.meta.resolve('../../node_modules/@redocly/cli/bin/cli.js'));
    const quiet = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
    const { status, stdout } = spawnSync(process.execPath, [cli, 'lint', file, '--format=json'], {
      cwd: folder,
      env: { ...process.env, ...quiet },
    });
    await removeFolder(folder);
    const { totals, problems } = JSON.parse(stdout.toString());
    expect([status, totals, problems]).toEqual([0, { errors: 0, warnings: 0, ignored: 0 }, []]);
  });
});
