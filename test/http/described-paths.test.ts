/** The paths of an OpenAPI document from a few routes, as a whole: each option of a route, once. */
import { expect, test } from 'bun:test';
import { WorkflowAccepted } from '../../server/contract/results.ts';
import { closed, enumeration, open, Type } from '../../server/contract/schema.ts';
import { describePaths } from '../../server/http/openapi/paths.ts';
import { referencedSchemas } from '../../server/http/openapi/references.ts';

const json = (schema: object) => ({ 'application/json': { schema } });
const At = closed({ at: Type.Number() });
const PROBLEM = { $ref: '#/components/responses/Problem' };
const ACCEPTED = { $ref: '#/components/schemas/WorkflowAccepted' };

test('a route is described by its schemas and its detail, which has the last word', () => {
  const paths = describePaths([
    { method: 'GET', path: '/hidden', hooks: { detail: { hide: true } } },
    {
      method: 'GET',
      path: '/talks/:id/audio/*',
      hooks: {
        params: closed({ id: Type.String({ description: 'Its id', example: 'talk_1' }) }),
        query: closed({
          page: Type.Integer({ minimum: 1, example: 2 }),
          sort: Type.Optional(Type.String({ description: 'The order' })),
        }),
        headers: open({ 'if-match': Type.Optional(Type.String()) }),
        response: { 200: WorkflowAccepted, 202: At, 203: At },
        detail: {
          operationId: 'getTalk',
          security: [{ bearer: ['talks:read'] }],
          parameters: [
            { name: 'sort', in: 'query', required: true, schema: { enum: ['new'] } },
            { name: 'sort', in: 'header', schema: {} },
          ],
          responses: {
            200: { description: 'The talk.', content: json({ title: 'A talk' }) },
            202: { content: json({ required: [], properties: true }) },
          },
        },
      },
    },
    {
      method: 'POST',
      path: '/talks',
      hooks: {
        body: closed({ talk: WorkflowAccepted }),
        detail: {
          operationId: 'startTalk',
          requestBody: { content: { 'application/json': { example: 1 } } },
          responses: { 400: { description: 'Refused.' } },
        },
      },
    },
    {
      method: 'POST',
      path: '/files',
      hooks: {
        detail: { operationId: 'sendFile', requestBody: { content: { 'audio/mpeg': {} } } },
      },
    },
    {
      method: 'DELETE',
      path: '/files',
      hooks: { body: At, detail: { operationId: 'removeFiles' } },
    },
  ]);
  const atObject = {
    type: 'object',
    required: ['at'],
    properties: { at: { type: 'number', format: 'double' } },
    additionalProperties: false,
  };
  expect(paths).toEqual({
    '/talks/{id}/audio/{key}': {
      get: {
        operationId: 'getTalk',
        security: [{ bearer: ['talks:read'] }],
        parameters: [
          {
            name: 'id',
            in: 'path',
            required: true,
            description: 'Its id',
            schema: { type: 'string' },
            example: 'talk_1',
          },
          { name: 'key', in: 'path', required: true, schema: { type: 'string' } },
          {
            name: 'page',
            in: 'query',
            required: true,
            schema: { type: 'integer', minimum: 1 },
            example: 2,
          },
          { name: 'sort', in: 'query', required: true, schema: { enum: ['new'] } },
          { name: 'If-Match', in: 'header', required: false, schema: { type: 'string' } },
          { name: 'sort', in: 'header', schema: {} },
        ],
        responses: {
          200: { description: 'The talk.', content: json({ ...ACCEPTED, title: 'A talk' }) },
          202: {
            content: json({
              type: 'object',
              required: [],
              properties: true,
              additionalProperties: false,
            }),
          },
          203: { content: json(atObject) },
          422: { $ref: '#/components/responses/InvalidPayload' },
          default: PROBLEM,
        },
      },
    },
    '/talks': {
      post: {
        operationId: 'startTalk',
        security: [],
        requestBody: {
          required: true,
          content: {
            'application/json': {
              example: 1,
              schema: {
                type: 'object',
                required: ['talk'],
                properties: { talk: ACCEPTED },
                additionalProperties: false,
              },
            },
          },
        },
        responses: { 400: { description: 'Refused.' }, default: PROBLEM },
      },
    },
    '/files': {
      post: {
        operationId: 'sendFile',
        security: [],
        requestBody: { required: true, content: { 'audio/mpeg': {} } },
        responses: { default: PROBLEM },
      },
      delete: {
        operationId: 'removeFiles',
        security: [],
        requestBody: { required: true, content: json(atObject) },
        responses: { default: PROBLEM },
      },
    },
  });
});

test.each([{}, { detail: {} }, { detail: { operationId: 1 } }, { detail: { hide: false } }])(
  'a route that neither describes nor hides itself is an error: %j',
  (hooks) => {
    expect(() => describePaths([{ method: 'GET', path: '/x', hooks }])).toThrow(
      'GET /x has no detail that describes it, and is not hidden',
    );
  },
);

test('schemas refer to each other by name, numbers are doubles, and open records are plain', () => {
  const Cue = closed({ start: Type.Number(), count: Type.Integer() });
  const Kind = Type.Union([Type.Literal('a'), Type.Null()]);
  const State = enumeration(['new', 'old']);
  const Talk = closed({
    first: Type.Optional(Cue),
    cues: Type.Array(Cue),
    kind: Type.Optional(Kind),
    sizes: Type.Record(Type.String(), Type.Number({ format: 'float' })),
    any: Type.Record(Type.String(), Type.Any()),
    own: Type.Unsafe({ patternProperties: { '^x': {} } }),
    two: Type.Unsafe({ patternProperties: { '^.*$': {}, '^y': {} } }),
    none: Type.Unsafe({ patternProperties: null }),
    either: Type.Union([Cue, Type.Integer()]),
    state: Type.Optional(State),
    text: Type.Unsafe({ type: 'string', '~standard': { version: 1 } }),
  });
  const { Talk: talk, Cue: cue } = referencedSchemas({
    Cue,
    Kind,
    State,
    Talk,
    Name: Type.String(),
  }) as Record<string, { properties: object }>;
  const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
  expect(cue?.properties).toEqual({
    start: { type: 'number', format: 'double' },
    count: { type: 'integer' },
  });
  expect(talk?.properties).toEqual({
    first: ref('Cue'),
    cues: { type: 'array', items: ref('Cue') },
    kind: ref('Kind'),
    sizes: { type: 'object', additionalProperties: { type: 'number', format: 'float' } },
    any: { type: 'object', additionalProperties: true },
    own: { patternProperties: { '^x': {} } },
    two: { patternProperties: { '^.*$': {}, '^y': {} } },
    none: { patternProperties: null },
    either: { anyOf: [ref('Cue'), { type: 'integer' }] },
    state: ref('State'),
    text: { type: 'string' },
  });
});
