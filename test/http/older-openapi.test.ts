/** OpenAPI 3.1 made from 3.2: features that it lacks are left out or replaced, and the rest is unchanged. */
import { describe, expect, test } from 'bun:test';
import { asOpenApi31 } from '../../server/http/openapi/slice.ts';
import type { Any } from '../support/servers/client.ts';
import { mountedApp } from '../support/servers/mounted.ts';

const app = await mountedApp();

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });

test('a stream becomes text, and the schemas that only it used are gone', () => {
  const parameters = [
    { in: 'path', name: 'key', allowReserved: true },
    { in: 'query', name: 'q', allowReserved: true },
    null,
  ];
  const document = {
    openapi: '3.2.0',
    $self: 'https://captions.example/openapi.json',
    info: { title: 'Captioner' },
    paths: {
      '/x': {
        parameters,
        get: { content: { 'text/event-stream': { itemSchema: ref('Event'), example: 'a' } } },
        post: { content: { 'application/json': { schema: ref('Run') } } },
      },
    },
    components: { schemas: { Event: {}, Run: { type: 'object' }, Unused: ref('RunOf') } },
  };
  expect(asOpenApi31(document)).toEqual({
    openapi: '3.1.1',
    info: { title: 'Captioner' },
    paths: {
      '/x': {
        parameters: [
          { in: 'path', name: 'key' },
          { in: 'query', name: 'q', allowReserved: true },
          null,
        ],
        get: {
          content: {
            'text/event-stream': {
              schema: { type: 'string', description: 'server-sent events' },
              example: 'a',
            },
          },
        },
        post: { content: { 'application/json': { schema: ref('Run') } } },
      },
    },
    components: { schemas: { Run: { type: 'object' } } },
  });
  expect(document.paths['/x'].parameters).toBe(parameters);
  expect(parameters[0]).toHaveProperty('allowReserved', true);
});

describe('a part of the document', () => {
  const part = async (query: string) => {
    const response = await app.ask(`/openapi.json?${query}`);
    expect(response.status).toBe(200);
    const text = await response.text();
    const made = JSON.parse(text);
    const named = [...text.matchAll(/"#\/components\/([^"/]+)\/([^"/]+)"/g)];
    for (const [, kind, name] of named) expect(made.components[kind!]).toHaveProperty(name!);
    const operations = Object.entries<Any>(made.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    return { made, text, operations };
  };

  test('has the five operations from registration to captions, in a fifth of the size', async () => {
    const { operations, text, made } = await part('tag=core');
    expect(operations).toEqual([
      'POST /agent/auth',
      'POST /agent/auth/claim/complete',
      'PUT /audio/{key}',
      'POST /workflows/captioner',
      'GET /workflows/captioner/{runId}',
    ]);
    expect(text.length).toBeLessThan(50_000);
    expect(made.components.schemas).not.toHaveProperty('Webhook');
  });

  test('has the operations of a tag, in either version', async () => {
    const { operations, made } = await part('tag=mcp&version=3.1');
    expect(operations).toContain('POST /mcp');
    expect([made.openapi, made.tags.length]).toEqual(['3.1.1', 1]);
    expect((await app.ask('/openapi.json?tag=nothing')).status).toBe(422);
  });
});
