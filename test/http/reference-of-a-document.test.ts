/**
 * The reference of a small OpenAPI document, as a whole: each form that a description can take, once.
 * `OUTLINES=write npm test -- test/http/reference-of-a-document.test.ts` updates outlines/reference.txt.
 */
import { test } from 'bun:test';
import type { OpenApi } from '../../server/http/reference/openapi-json.ts';
import { operationSections } from '../../server/http/reference/operations.ts';
import { expectKeptIn } from '../support/kept.ts';

const bearer = (...scopes: string[]) => [{ bearer: scopes }];
const document: OpenApi = {
  servers: [{ url: 'https://captions.example' }],
  tags: [
    { name: 'Talks', description: 'Recordings of talks.' },
    { name: 'Pages', description: 'Documents.' },
  ],
  paths: {
    '/talks/{id}': {
      get: {
        summary: 'Get a talk',
        description: 'It’s the newest.',
        tags: ['Talks'],
        security: bearer('talks:read'),
        parameters: [
          { name: 'id', in: 'path', required: true, schema: { type: 'string' }, example: 'talk 1' },
          { name: 'part', in: 'query', required: true, schema: { default: 'a&b' } },
          { name: 'year', in: 'query', description: 'The year', schema: { type: 'integer' } },
          { name: 'X-Mode', in: 'header', required: true, schema: { enum: ['fast', 'slow'] } },
          { name: 'Tag', in: 'header' },
        ],
        responses: {
          200: {
            description: 'The talk.',
            headers: { ETag: {}, Vary: {} },
            content: {
              'application/json': {
                schema: { $ref: '#/components/schemas/Talk' },
                examples: { one: { value: { id: 'talk_1' } }, two: { value: {} } },
              },
              'text/event-stream': { itemSchema: { $ref: '#/components/schemas/Event' } },
              'text/plain': {},
            },
          },
          404: { $ref: '#/components/responses/NoTalk' },
          default: { description: 'Any other.' },
        },
      },
      put: {
        summary: 'Send a talk',
        tags: ['Talks'],
        security: bearer(),
        requestBody: { content: { 'audio/mpeg': { schema: { format: 'binary' } } } },
        responses: {
          200: {
            content: { 'application/json': { example: Array.from({ length: 39 }, () => 1) } },
          },
          201: {
            content: { 'application/json': { example: Array.from({ length: 38 }, () => 1) } },
          },
        },
      },
      patch: {
        summary: 'Change a talk',
        tags: ['Talks'],
        security: [],
        parameters: [{ name: 'id', in: 'query' }],
        requestBody: {
          content: {
            'application/json': {
              example: { title: 'It’s', note: "it's" },
              schema: {
                required: ['title'],
                properties: {
                  title: { type: 'string', description: 'Shown first.', minLength: 1 },
                  cues: { type: 'array', items: { properties: { start: { type: 'number' } } } },
                },
              },
            },
            'text/csv': { schema: { type: 'string', description: 'a table' } },
            'text/plain': { schema: { type: 'string' } },
          },
        },
        responses: { 204: { description: 'Changed.' } },
      },
    },
    '/talks': {
      post: {
        summary: 'Start a talk',
        tags: ['Talks'],
        security: bearer('talks:write', 'talks:read'),
        requestBody: { content: { 'application/json': {} } },
        responses: { 202: {} },
      },
    },
    '/old': {
      get: { summary: 'Gone', tags: ['Pages'], security: [], responses: { 410: {} } },
    },
    '/page': {
      get: { summary: 'A page', tags: ['Pages'], security: [], responses: { 200: {}, '4XX': {} } },
    },
  },
  components: {
    schemas: {},
    responses: {
      NoTalk: {
        description: 'There is none.',
        headers: { 'Retry-After': {} },
        content: { 'application/json': { schema: { type: ['string', 'null'] } } },
      },
    },
    headers: {},
  },
};

test('an operation is described with its key, its command, what it takes and what it answers', () => {
  const lines = operationSections(document).split('\n');
  expectKeptIn(new URL('outlines/', import.meta.url), 'reference', lines);
});
