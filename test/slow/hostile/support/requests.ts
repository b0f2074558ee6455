/** Generates requests to an operation: valid, broken, with and without a key, with various headers. */
import * as fc from 'fast-check';
import type { Any } from '../../../support/servers/client.ts';
import { jsonText, type Schema } from './json-text.ts';
import { resolver, type Operation, type Parameter } from './operations.ts';
import { BROKEN, PATH_PARTS, TEXTS } from './values.ts';

/** A request as it is sent. */
export interface HostileRequest {
  method: string;
  /** Including the query. */
  path: string;
  headers: Record<string, string>;
  body: string | Uint8Array<ArrayBuffer> | null;
}

/** Valid keys and existing ids, for realistic requests. */
export interface Known {
  keys: string[];
  paths: Record<string, string[]>;
  bodies: Uint8Array<ArrayBuffer>[];
}

/** Generates requests to an operation. */
export function requestsTo(
  { method, path, parameters, bodies }: Operation,
  known: Known,
  document: Any,
): fc.Arbitrary<HostileRequest> {
  const { fitting, breaking, fittingText } = jsonText(resolver(document));
  const isHeader = (value: string) => /^[\x20-\x7e\xa0-\xff]*$/.test(value);
  // Characters that no client can send are no test of a server.
  const sendable = (value: string) => value.replaceAll(/[^\x20-\x7e\xa0-\xff]/g, '');
  const texts = fc.constantFrom(...TEXTS);
  const sound = (schema: Schema) =>
    schema.enum ? fc.constantFrom(...schema.enum.map(String)) : valueText(schema, fittingText);
  /** A part of the path: an existing one, anything, or manual escapes. */
  const part = ({ name, schema }: Parameter) =>
    fc.oneof(
      fc
        .oneof(fc.constantFrom(...(known.paths[name] ?? ['none'])), sound(schema), texts)
        // An empty part, one dot or two would change the path.
        .map((value) => encoded(value.replace(/^\.{0,2}$/, ' '))),
      fc.constantFrom(...PATH_PARTS),
    );
  const query = ({ name, schema }: Parameter) =>
    fc
      .array(fc.oneof(sound(schema), texts), { maxLength: 2 })
      .map((all) => all.map((value) => `${name}=${encoded(value)}`));
  const header = ({ name, schema, required }: Parameter) =>
    fc
      .option(fc.oneof({ weight: 4, arbitrary: sound(schema) }, texts).filter(isHeader), {
        freq: required === true ? 20 : 2,
      })
      .map((value): [string, string][] =>
        value === null ? [] : [[name, sendable(value).slice(0, 2000)]],
      );
  const of = (where: Parameter['in']) => parameters.filter((parameter) => parameter.in === where);

  return fc
    .record({
      parts: fc.tuple(...of('path').map(part)),
      query: fc.tuple(...of('query').map(query)).map((all) => all.flat()),
      headers: fc.tuple(...of('header').map(header)).map((all) => all.flat()),
      more: fc.constantFrom<[string, string][]>(...HEADERS),
      key: fc.oneof(
        { weight: 5, arbitrary: fc.constantFrom(...known.keys) },
        fc.constantFrom(...AUTHORIZATIONS),
      ),
      body: bodyOf(bodies, known, (schema) => fc.oneof(fitting(schema), breaking(schema))),
      strange: fc.oneof({ weight: 9, arbitrary: fc.constant('') }, fc.constantFrom(...QUERIES)),
    })
    .map(({ parts, query, headers, more, key, body, strange }) => {
      let at = 0;
      const address = path.replaceAll(/\{\w+\}/g, () => parts[at++] ?? '');
      const search = [...query, ...(strange === '' ? [] : [strange])].join('&');
      return {
        method,
        path: search === '' ? address : `${address}?${search}`,
        headers: {
          ...Object.fromEntries([...more, ...headers]),
          ...(key === '' ? {} : { authorization: key }),
          ...(body === null ? {} : { 'content-type': body.type }),
        },
        body: body === null ? null : body.content,
      };
    });
}

type Body = { type: string; content: HostileRequest['body'] } | null;

/** Most bodies have the requested type. */
function bodyOf(
  bodies: Operation['bodies'],
  known: Known,
  json: (schema: Schema) => fc.Arbitrary<string>,
): fc.Arbitrary<Body> {
  const [type, schema] = Object.entries(bodies)[0] ?? [];
  if (type === undefined || schema === undefined) return fc.constant(null);
  const content: fc.Arbitrary<HostileRequest['body']> =
    type === 'application/json'
      ? fc.oneof({ weight: 9, arbitrary: json(schema) }, fc.constantFrom(...BROKEN))
      : fc.oneof(fc.constantFrom(...known.bodies), fc.uint8Array());
  const types = fc.constantFrom(...Array<string>(12).fill(type), ...TYPES);
  return fc.record({ type: types, content });
}

function valueText(schema: Schema, text: (schema: Schema) => fc.Arbitrary<string>) {
  if (schema.type !== 'integer') return text(schema);
  const { minimum = 0, maximum = 0 } = schema;
  return fc.constantFrom(...[minimum, maximum, minimum - 1, maximum + 1, 1e21, -0].map(String));
}

/**
 * Escapes a part of a URL. Headers are limited to 16 KiB in all: larger requests are refused
 * unread.
 */
const encoded = (value: string): string => encodeURIComponent(value.toWellFormed()).slice(0, 1998);

const TYPES = [
  'application/json; charset=utf-16',
  'APPLICATION/JSON',
  'text/plain',
  'multipart/form-data; boundary=',
  'application/x-www-form-urlencoded',
  ';;;=',
  'application/problem+json',
];

/** Replacements for a valid key. */
const AUTHORIZATIONS = [
  '',
  'Bearer',
  'Bearer ',
  'Basic YTpi',
  'Bearer cpt_\xff',
  'Bearer a, Bearer b',
];

const QUERIES = ['%', '=', '&&&', '__proto__=1', 'a[b][c]=1', '%00=%ff', 'wait=result&wait=result'];

/** Headers that the service reads. */
const HEADERS: [string, string][][] = [
  ...Array.from({ length: 6 }, () => []),
  [['accept', 'application/json, text/event-stream']],
  [['accept', 'application/json, text/event-stream']],
  [['accept', ',,;q=;q=1e999,*/*;q=-1,text/markdown;q=NaN']],
  [['accept', `${'text/markdown;q=0.1,'.repeat(300)}*/*`]],
  [['accept-encoding', 'zstd;q=9, br;q=-1, identity;q=0, *;q=0']],
  [['if-none-match', `W/"${'a'.repeat(3000)}`]],
  [['content-encoding', 'gzip']],
  [['x-forwarded-for', `${'1.2.3.4, '.repeat(300)}not-an-address`]],
  [['traceparent', '00-ffffffffffffffffffffffffffffffff-zz-01']],
  [['last-event-id', '-1']],
  [['mcp-protocol-version', '1e400']],
  [['mcp-session-id', '__proto__']],
];
