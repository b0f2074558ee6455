/** Finds every text field of a request in the served OpenAPI document. */
import type { Any } from '../../../support/servers/client.ts';
import { resolver, type Operation } from './operations.ts';
import type { Schema } from './json-text.ts';
import type { HostileRequest } from './requests.ts';

/** A text field, and the request with a text in it. */
export interface LongField {
  name: string;
  request(text: string): HostileRequest;
}

/** A text field in a value, and the value with a text in it. */
interface Place {
  path: string;
  fill(text: string): unknown;
}

type Node = Schema & {
  allOf?: Node[];
  oneOf?: Node[];
  additionalProperties?: boolean | Node;
  minItems?: number;
};

/** Deeper levels only repeat. */
const DEEPEST = 8;

/** Creates the function that finds the text fields of schemas. */
function placesIn(document: Any) {
  const resolve = resolver(document);
  const follow = (node: Node): Node =>
    node.$ref === undefined ? node : follow(resolve(node.$ref));
  const choices = (node: Node): Node[] => [...(node.anyOf ?? []), ...(node.oneOf ?? [])];

  /** A small valid value. */
  function sample(schema: Node, depth = 0): unknown {
    const node = follow(schema);
    if (node.const !== undefined) return node.const;
    if (node.enum) return node.enum[0];
    const [first] = choices(node);
    if (first) return sample(first, depth + 1);
    if (node.type === 'string') return textOf(node);
    if (node.type === 'boolean') return false;
    if (node.type === 'integer' || node.type === 'number') return node.minimum ?? 1;
    if (node.items || node.type === 'array') return [];
    const required = (node.required ?? []).map((name): [string, unknown] => [
      name,
      depth < DEEPEST ? sample(node.properties?.[name] ?? {}, depth + 1) : null,
    ]);
    return Object.fromEntries(required);
  }

  function places(schema: Node, depth = 0): Place[] {
    if (depth > DEEPEST) return [];
    const node = follow(schema);
    const options = choices(node).flatMap((option) => places(option, depth + 1));
    if (options.length > 0) return options;
    if (node.type === 'string' || node.enum || node.const !== undefined) {
      return [{ path: '', fill: (text) => text }];
    }
    if (node.items) {
      const items = places(node.items, depth + 1).map(({ path, fill }) => ({
        path: `.0${path}`,
        fill: (text: string) => [fill(text)],
      }));
      const many = (text: string) => text.match(/.{1,8}/gsu) ?? [];
      return [...items, { path: '.*', fill: many }];
    }
    const whole = sample(node, depth) as object;
    const members = Object.entries(node.properties ?? {}).flatMap(([name, member]) =>
      places(member, depth + 1).map(({ path, fill }) => ({
        path: `.${name}${path}`,
        fill: (text: string) => ({ ...whole, [name]: fill(text) }),
      })),
    );
    return [...members, { path: '.<name>', fill: (text) => ({ ...whole, [text]: 1 }) }];
  }

  return { places, sample };
}

const textOf = ({ format, pattern, minLength = 1 }: Schema): string => {
  if (format === 'email') return 'ann@example.com';
  return pattern === '\\.mp3$' ? 'none.mp3' : 'a'.repeat(minLength);
};

/**
 * The text fields of an operation: in its path, its query, its headers and all its bodies.
 * @param headers sent with every request
 */
export function longFields(
  operation: Operation,
  document: Any,
  headers: Record<string, string>,
): LongField[] {
  const { places, sample } = placesIn(document);
  const { method, parameters, bodies } = operation;
  const [type = null] = Object.keys(bodies);
  const plain = type === null ? null : bodyText(type, sample(bodies[type] ?? {}));
  const pathWith = (name: string | null, text: string): string =>
    operation.path.replaceAll(/\{(\w+)\}/g, (_, part: string) =>
      part === name ? encodeURIComponent(text) : part === 'format' ? 'srt' : 'none.mp3',
    );
  const request = (part: Partial<HostileRequest>): HostileRequest => ({
    method,
    path: pathWith(null, ''),
    body: plain,
    ...part,
    headers: { ...headers, ...(type && { 'content-type': type }), ...part.headers },
  });
  const named = (at: string) => `${method} ${operation.path} ${at}`;

  const ofParameters = parameters.map(({ name, in: where }): LongField => {
    const fill = (text: string): Partial<HostileRequest> => {
      if (where === 'path') return { path: pathWith(name, text) };
      if (where === 'header') return { headers: { [name]: text } };
      return { path: `${pathWith(null, '')}?${name}=${encodeURIComponent(text)}` };
    };
    return { name: named(`${where} ${name}`), request: (text) => request(fill(text)) };
  });
  const ofBodies = Object.entries(bodies).flatMap(([media, schema]): LongField[] => {
    const found: Place[] = [{ path: '', fill: (text) => text }];
    if (media === 'application/json') found.push(...places(schema));
    return found.map(({ path, fill }) => ({
      name: named(`${media} ${path}`),
      request: (text) =>
        request({ body: bodyText(media, fill(text)), headers: { 'content-type': media } }),
    }));
  });
  return [...ofParameters, ...ofBodies];
}

/** A body of a media type: JSON, or plain text. */
const bodyText = (media: string, value: unknown): string =>
  media === 'application/json' ? JSON.stringify(value) : String(value);
