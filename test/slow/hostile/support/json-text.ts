/** Generates JSON text from a schema: valid, bounds included, or broken in one place. */
import * as fc from 'fast-check';
import { STRANGE_NAMES, TEXTS, TOKENS } from './values.ts';

/** The parts of JSON Schema that the document uses for requests. */
export interface Schema {
  $ref?: string;
  const?: unknown;
  enum?: unknown[];
  anyOf?: Schema[];
  type?: string;
  format?: string;
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
}

/** Resolves a `$ref`. */
export type Resolve = (ref: string) => Schema;

type Text = fc.Arbitrary<string>;

const token = fc.constantFrom(...TOKENS);
const text = fc.oneof(fc.constantFrom(...TEXTS), fc.string({ unit: 'binary', maxLength: 30 }));
const emailOf = (at: number): string => `guest-${at}@example.com`;
const EMAILS = ['ann@example.com', 'BOB+tag@example.org', "o'neil@xn--bcher-kva.example"];

/** Creates both generators for a document. */
export function jsonText(resolve: Resolve) {
  /** A string value that fits its schema. */
  function fittingText({ format, pattern, minLength = 0, maxLength }: Schema): Text {
    if (format === 'email') return fc.oneof(fc.constantFrom(...EMAILS), fc.nat().map(emailOf));
    if (pattern === '\\.mp3$') return text.map((name) => `${name}.mp3`);
    if (pattern === undefined && maxLength === undefined) return text;
    const longest = maxLength ?? minLength + 20;
    const visible = fc.constantFrom(...'azAZ09!~-_.');
    return fc.oneof(
      fc.string({ unit: visible, minLength, maxLength: longest }),
      fc.constantFrom('a'.repeat(minLength), 'a'.repeat(longest)),
    );
  }

  function fitting(schema: Schema): Text {
    if (schema.$ref !== undefined) return fitting(resolve(schema.$ref));
    if (schema.const !== undefined) return fc.constant(JSON.stringify(schema.const));
    if (schema.enum) return fc.constantFrom(...schema.enum.map((value) => JSON.stringify(value)));
    if (schema.anyOf) return fc.oneof(...schema.anyOf.map(fitting));
    const { type, minimum = -(2 ** 53), maximum = 2 ** 53 } = schema;
    if (type === 'string') return fittingText(schema).map((value) => JSON.stringify(value));
    if (type === 'boolean') return fc.constantFrom('true', 'false');
    if (type === 'integer' || type === 'number') {
      const bounds = fc.constantFrom(String(minimum), String(maximum));
      if (type === 'integer') return fc.oneof(bounds, fc.maxSafeInteger().map(String));
      return fc.oneof(bounds, fc.double({ min: minimum, max: maximum, noNaN: true }).map(String));
    }
    if (schema.items) {
      return fc.array(fitting(schema.items), { maxLength: 4 }).map((all) => `[${all.join()}]`);
    }
    if (schema.properties) return members(schema).map(objectText);
    return fc.json();
  }

  /** The members of a valid object: all required ones, and some of the others. */
  function members({ properties = {}, required = [] }: Schema): fc.Arbitrary<[string, string][]> {
    const each = Object.entries(properties).map(([name, schema]) => {
      const member = fitting(schema).map((value): [string, string][] => [[name, value]]);
      return required.includes(name) ? member : fc.oneof(fc.constant([]), member);
    });
    return fc.tuple(...each).map((all) => all.flat());
  }

  /** JSON text that usually does not fit. */
  function breaking(schema: Schema): Text {
    if (schema.$ref !== undefined) return breaking(resolve(schema.$ref));
    if (schema.anyOf) return fc.oneof(token, ...schema.anyOf.map(breaking));
    const edges = beyond(schema);
    const broken = [token, ...(edges.length > 0 ? [fc.constantFrom(...edges)] : [])];
    if (schema.items) {
      const items = fc.array(fc.oneof(fitting(schema.items), breaking(schema.items)));
      broken.push(items.map((all) => `[${all.join()}]`));
    }
    if (schema.properties) broken.push(...brokenObjects(schema));
    return fc.oneof(...broken);
  }

  function brokenObjects(schema: Schema): Text[] {
    const { properties = {} } = schema;
    const names = Object.keys(properties);
    const name = names.length > 0 ? fc.constantFrom(...names) : fc.constantFrom(...STRANGE_NAMES);
    const sound = members(schema);
    const put = (all: [string, string][], [key, value]: [string, string]) =>
      objectText([...all.filter(([other]) => other !== key), [key, value]]);
    const member = name.chain((key) =>
      breaking(properties[key] ?? {}).map((value): [string, string] => [key, value]),
    );
    const strange = fc.tuple(fc.constantFrom(...STRANGE_NAMES), token);
    return [
      fc.tuple(sound, member).map(([all, one]) => put(all, one)),
      fc.tuple(sound, strange).map(([all, one]) => put(all, one)),
      fc.tuple(sound, name).map(([all, key]) => objectText(all.filter(([own]) => own !== key))),
      // A duplicate name: the last one counts.
      fc.tuple(sound, member).map(([all, one]) => objectText([one, ...all, one])),
    ];
  }

  return { fitting, breaking, fittingText };
}

/** Values just beyond each limit. */
function beyond({ minimum, maximum, minLength, maxLength, type }: Schema): string[] {
  const edges: string[] = [];
  if (minimum !== undefined) edges.push(String(minimum - 1), `"${minimum}"`);
  if (maximum !== undefined) edges.push(String(maximum + 1), `[${maximum}]`);
  if (type === 'integer') edges.push(`${(minimum ?? 0) + 0.5}`);
  if (minLength !== undefined && minLength > 0) edges.push(`"${'a'.repeat(minLength - 1)}"`);
  if (maxLength !== undefined) edges.push(`"${'a'.repeat(maxLength + 1)}"`);
  return edges;
}

const objectText = (all: [string, string][]): string =>
  `{${all.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join()}}`;
