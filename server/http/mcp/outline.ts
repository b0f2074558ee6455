/**
 * Shortens the schemas of tools for tools/list, which every client reads in full and most put into a model's context.
 * Calls and answers are still checked against the full schemas, which /openapi.json documents.
 */
type Json = Record<string, unknown>;

/** The schema of an object, as JSON. */
export interface ObjectSchema extends Json {
  properties: Record<string, Json>;
  required?: string[];
}

/** Keywords that a caller rarely needs; a refusal explains them when one does. */
const RARE = new Set(['minLength', 'maxLength', 'pattern', 'format', 'maxItems']);

/**
 * The schema of arguments without limits on the length of texts and lists. Of a choice from a list of names, or a list
 * of such choices, only the list is shown, since it contains the same names again.
 * @example
 * brief({ type: 'object', properties: { n: { type: 'string', maxLength: 9, description: 'a name' } } });
 * // => { type: 'object', properties: { n: { type: 'string', description: 'a name' } } }
 */
export const brief = (schema: Json): Json => without(schema) as Json;

/** A schema, or a part of one, without rare keywords. A property may have the same name as a keyword. */
function without(part: unknown, named = false): unknown {
  if (Array.isArray(part)) return part.map((each) => without(each));
  if (typeof part !== 'object' || part === null) return part;
  const [one, many] = (part as { anyOf?: Json[] }).anyOf ?? [];
  if (!named && Array.isArray(one?.['enum']) && many?.['type'] === 'array') return without(many);
  const kept = Object.entries(part).filter(([key]) => named || !RARE.has(key));
  return Object.fromEntries(
    kept.map(([key, each]) => [key, without(each, !named && key === 'properties')]),
  );
}

/**
 * The schema of an answer, reduced to the names and types of its fields. Whatever fits the schema fits its outline.
 * @example
 * outline({ type: 'object', properties: { n: { type: 'integer', minimum: 1 } } });
 * // => { type: 'object', properties: { n: { type: 'integer' } } }
 */
export function outline({ required, properties }: ObjectSchema): Json {
  const fields = Object.entries(properties);
  return {
    type: 'object',
    properties: Object.fromEntries(fields.map(([name, each]) => [name, typeOf(each)])),
    ...(required !== undefined && { required }),
  };
}

/** The type of a field, and of the elements of a list unless they are objects. Not every client understands lists of types. */
function typeOf({ type, anyOf, items }: Json): Json {
  if (Array.isArray(anyOf)) {
    const types = [...new Set(anyOf.map((each: Json) => each['type']))];
    return types.length === 1
      ? { type: types[0] }
      : { anyOf: types.map((each) => ({ type: each })) };
  }
  const element = items as Json | undefined;
  if (element === undefined || element['type'] === 'object') return { type };
  return { type, items: typeOf(element) };
}
