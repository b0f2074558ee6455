/** The OpenAPI document: its operations, references and examples. */
import { describe, expect, test } from 'bun:test';
import { COMPONENTS } from '../../server/contract/components.ts';
import { openApiDocument } from '../../server/http/openapi/document.ts';
import { validator } from '../../server/contract/schema.ts';
import { objects, paths } from '../support/documents.ts';
import type { Any } from '../support/servers/client.ts';

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

describe('the document', () => {
  test('is OpenAPI 3.2.0, interface version 1.0.0, at the base URL', () => {
    expect(document.openapi).toBe('3.2.0');
    expect(document.info.version).toBe('1.0.0');
    expect(document.servers).toEqual([{ url: baseUrl }]);
  });

  test('has every operation of the contract and no other', () => {
    const found = operations.map(([path, method]) => `${method.toUpperCase()} ${path}`);
    const expected = [
      'GET /',
      'GET /robots.txt',
      'GET /sitemap.xml',
      'GET /llms.txt',
      'GET /health',
      'GET /ready',
      'DELETE /audio/{key}',
      'DELETE /workflows/captioner/{runId}/data',
      'GET /workspace/export',
      'DELETE /workspace/data',
      'POST /webhooks',
      'GET /webhooks',
      'DELETE /webhooks/{webhookId}',
      'POST /webhooks/{webhookId}/enable',
      'GET /webhooks/{webhookId}/deliveries',
      'POST /webhooks/{webhookId}/deliveries/{deliveryId}/redeliver',
      'GET /.well-known/ai-catalog.json',
      'GET /.well-known/oauth-protected-resource/mcp',
      'GET /mcp/server-card',
      'GET /oauth/authorize',
      'POST /oauth/token',
      'POST /oauth/register',
      'GET /auth.md',
      'GET /openapi.json',
      'GET /.well-known/api-catalog',
      'GET /.well-known/oauth-protected-resource',
      'GET /.well-known/oauth-authorization-server',
      'GET /.well-known/mcp/server-card.json',
      'GET /.well-known/agent-skills/index.json',
      'GET /skills/captioner/SKILL.md',
      'GET /terminology/packs',
      'POST /agent/auth',
      'POST /agent/auth/claim',
      'POST /agent/auth/claim/complete',
      'PUT /audio/{key}',
      'POST /workflows/captioner',
      'GET /workflows/captioner',
      'GET /workflows/captioner/{runId}',
      'GET /workflows/captioner/{runId}/events',
      'GET /workflows/captioner/{runId}/partial-transcript',
      'PUT /uploads/{token}',
      'POST /resumable',
      'GET /resumable/{uploadId}',
      'PATCH /resumable/{uploadId}',
      'DELETE /resumable/{uploadId}',
      'POST /mcp',
      'GET /docs',
      'GET /auth',
      'GET /guide',
      'GET /limits',
      'GET /privacy',
      'DELETE /workflows/captioner/{runId}',
      'GET /workflows/captioner/{runId}/captions.{format}',
      'GET /workflows/captioner/{runId}/review',
      'PUT /workflows/captioner/{runId}/review',
      'DELETE /workflows/captioner/{runId}/review',
      'GET /terminology/terms',
      'PUT /terminology/terms',
      'PATCH /terminology/terms',
      'DELETE /terminology/terms',
      'GET /terminology/rules',
      'PATCH /terminology/rules/{ruleId}',
      'GET /terminology/learning',
      'PUT /terminology/learning',
      'POST /terminology/proposals',
    ];
    expect(new Set(found)).toEqual(new Set(expected));
  });

  test('every reference resolves', () => {
    const refs = all.flatMap(([, node]) => (typeof node.$ref === 'string' ? [node.$ref] : []));
    expect(refs.length).toBeGreaterThan(100);
    for (const ref of refs) expect([ref, typeof resolve(ref)]).toEqual([ref, 'object']);
    const mapped = Object.values(document.components.schemas.CaptionerResult.discriminator.mapping);
    for (const ref of mapped) expect(typeof resolve(String(ref))).toBe('object');
  });

  test('every component is used, and operation ids are unique', () => {
    const refs = new Set(all.map(([, node]) => node.$ref));
    for (const kind of ['schemas', 'responses', 'headers']) {
      for (const name of Object.keys(document.components[kind])) {
        expect(refs).toContain(`#/components/${kind}/${name}`);
      }
    }
    const ids = operations.map(([, , operation]) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('every path parameter is declared, and no others are', () => {
    for (const [path, , operation] of operations) {
      const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      const declared = [...(document.paths[path].parameters ?? []), ...(operation.parameters ?? [])]
        .filter((parameter: Any) => parameter.in === 'path')
        .map((parameter: Any) => parameter.name);
      expect(new Set(declared)).toEqual(new Set(named));
    }
  });
});

describe('schemas', () => {
  test('a named schema inside another is a reference, whether required or not', () => {
    const { schemas } = document.components;
    expect(schemas.WorkflowResultEnvelope.properties.result).toEqual({
      $ref: '#/components/schemas/CaptionerResult',
    });
    expect(schemas.ContentModerationSummary.properties.eventLog).toEqual({
      $ref: '#/components/schemas/ContentModerationLogResult',
    });
    expect(
      schemas.CaptionerFailedResult.properties.metadata.properties.lastSuccessfulStage,
    ).toEqual({ $ref: '#/components/schemas/CaptionerStage' });
    expect(schemas.CaptionerPayload.properties.terminology.properties.packs.anyOf[0]).toEqual({
      $ref: '#/components/schemas/TermPackId',
    });
    expect(schemas.CaptionerScope.enum).toHaveLength(3);
  });

  test('each equals the schema used for validation once its references are resolved', () => {
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
});

describe('operations', () => {
  test('public ones need no key; others have their scope and their refusals', () => {
    for (const [path, method, operation] of operations) {
      const guarded =
        /^\/(audio|resumable|workflows|mcp$|webhooks|workspace|terminology\/(?!packs))/.test(path);
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
      expect(operation.security).toEqual([{ bearer: path === '/mcp' ? [] : [scope] }]);
      expect(operation.responses).toContainAllKeys([
        ...new Set([
          ...Object.keys(operation.responses),
          '401',
          ...(path === '/mcp' ? [] : ['403']),
        ]),
      ]);
    }
  });

  test('the errors of the contract have their schemas and headers', () => {
    const upload = document.paths['/audio/{key}'].put.responses;
    const schemaOf = (answer: Any) =>
      (answer.$ref ? resolve(answer.$ref) : answer).content['application/json'].schema.$ref;
    expect(schemaOf(upload['413'])).toBe('#/components/schemas/Mp3TooLargeError');
    expect(schemaOf(upload['415'])).toBe('#/components/schemas/Mp3RequiredError');
    const claim = document.paths['/agent/auth/claim/complete'].post.responses;
    for (const status of ['400', '401', '403', '409', '410', '429', '502', '503']) {
      expect(schemaOf(claim[status])).toBe('#/components/schemas/ErrorResponse');
    }
    expect(resolve(claim['429'].$ref).headers).toHaveProperty('Retry-After');
    expect(resolve(upload['401'].$ref).headers).toHaveProperty('WWW-Authenticate');
    const start = document.paths['/workflows/captioner'].post.responses;
    expect(schemaOf(start['200'])).toBe('#/components/schemas/WorkflowResultEnvelope');
    expect(schemaOf(start['202'])).toBe('#/components/schemas/WorkflowAccepted');
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
