/**
 * The reference of a small OpenAPI document, as a whole: each form that a description can take, once.
 * `OUTLINES=write npm test -- test/http/reference-document.test.ts` updates outlines/reference.txt.
 */
import { test } from 'bun:test';
import type { OpenApi, Schema } from '../../server/http/reference/openapi-json.ts';
import { operationSections } from '../../server/http/reference/operations.ts';
import { expectKeptIn } from '../support/kept.ts';

const bearer = (...scopes: string[]) => [{ bearer: scopes }];
/** A field for each limit, and for each form of a type. */
const LIMITS: Record<string, Schema> = {
  from: { minimum: 0, maximum: 5 },
  least: { minimum: 0 },
  most: { maximum: 5 },
  above: { exclusiveMinimum: 0 },
  short: { minLength: 0, maxLength: 1 },
  long: { minLength: 2, maxLength: 10 },
  any: { minLength: 0 },
  some: { minLength: 2 },
  list: { type: 'array', minItems: 1, maxItems: 2, items: { type: 'string', maxLength: 9 } },
  one: { minItems: 1, items: { $ref: '#/components/schemas/Talk' } },
  map: { additionalProperties: { properties: { inner: { type: 'boolean' } } } },
  talks: { additionalProperties: { $ref: '#/components/schemas/Talk', properties: { no: {} } } },
  open: { type: 'object', additionalProperties: true },
  hidden: { items: { $ref: '#/components/schemas/Talk', properties: { no: {} } } },
  size: { type: 'number', format: 'double' },
  day: { type: 'string', format: 'date', pattern: '^2' },
  named: { const: 'a', description: 'v. 2 of it', maxLength: 3 },
  mixed: { anyOf: [{ type: 'string' }, { type: 'null' }, { type: 'string' }], default: null },
  asked: { description: 'Is it?', default: [] },
};

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
                  ...LIMITS,
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

test('an operation is described with its key, its command, its parameters and its responses', () => {
  const lines = operationSections(document).split('\n');
  expectKeptIn(new URL('outlines/', import.meta.url), 'reference', lines);
});
