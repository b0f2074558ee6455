/** OpenAPI 3.1 made from 3.2: features that it lacks are left out or replaced, and the rest is unchanged. */
import { expect, test } from 'bun:test';
import { asOpenApi31 } from '../../server/http/openapi/version-3-1.ts';

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
