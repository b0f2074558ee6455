/** JSON in one form only (RFC 8785), so that what was signed can be written again from what was read. */

/** Any value of JSON. */
export type Json =
  | null
  | boolean
  | number
  | string
  | readonly Json[]
  | { readonly [key: string]: Json };

/**
 * Writes a value: keys sorted by UTF-16 code units, no white space, numbers and strings as ECMAScript writes them.
 * @throws {TypeError} it has a number that is not finite or a lone surrogate, or is nested too deeply
 * @example
 * canonicalJson({ b: 1, a: [1.5, 'x'] }); // => '{"a":[1.5,"x"],"b":1}'
 */
export function canonicalJson(value: Json, depth = 0): string {
  if (depth > MAX_DEPTH) throw new TypeError('nested too deeply');
  if (typeof value === 'number' && !Number.isFinite(value)) throw new TypeError('not a number');
  if (typeof value === 'string' && !value.isWellFormed()) throw new TypeError('a lone surrogate');
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (Array.isArray(value)) {
    return `[${value.map((one: Json) => canonicalJson(one, depth + 1)).join(',')}]`;
  }
  const members = Object.entries(value)
    .filter(([, one]) => one !== undefined)
    .toSorted(([one], [other]) => Number(one > other) - Number(one < other))
    .map(([key, one]) => `${canonicalJson(key)}:${canonicalJson(one, depth + 1)}`);
  return `{${members.join(',')}}`;
}

const MAX_DEPTH = 64;
