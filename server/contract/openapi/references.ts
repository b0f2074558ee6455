/** Converts schemas to plain JSON for the OpenAPI document, with nested named schemas as $ref. */
import type { TSchema } from '../schema.ts';

/**
 * The reference to a component.
 * @example
 * schemaRef('CaptionCue'); // => { $ref: '#/components/schemas/CaptionCue' }
 */
export const schemaRef = (name: string): { $ref: string } => ({
  $ref: `#/components/schemas/${name}`,
});

/** The components by name, with nested components replaced by references. */
export function referencedSchemas(components: Record<string, TSchema>): Record<string, unknown> {
  const names = new Map<unknown, string>();
  for (const [name, schema] of Object.entries(components)) names.set(heart(schema), name);
  const walk = (node: unknown, isRoot: boolean): unknown => {
    if (Array.isArray(node)) return node.map((entry) => walk(entry, false));
    if (typeof node !== 'object' || node === null) return node;
    const inside = heart(node);
    const name = isRoot || inside === undefined ? undefined : names.get(inside);
    if (name !== undefined) return schemaRef(name);
    const entries = Object.entries(node).map(([key, value]) => [key, walk(value, false)]);
    return plainRecord(Object.fromEntries(entries) as Record<string, unknown>);
  };
  return Object.fromEntries(
    Object.entries(components).map(([name, schema]) => [name, walk(schema, true)]),
  );
}

/**
 * The part that identifies a schema. Marking a property optional copies the schema's outer object
 * and keeps the inner one.
 */
function heart(schema: object): unknown {
  const { properties, enum: values, anyOf } = schema as Record<string, unknown>;
  return properties ?? values ?? anyOf;
}

/**
 * Replaces the pattern of a record, which matches every key, by the clearer `additionalProperties`.
 */
function plainRecord(schema: Record<string, unknown>): Record<string, unknown> {
  const { patternProperties, ...rest } = schema;
  if (typeof patternProperties !== 'object' || patternProperties === null) return schema;
  const [[pattern, value] = [], ...others] = Object.entries(patternProperties);
  if (pattern !== '^.*$' || others.length > 0) return schema;
  const any = Object.keys(value as object).length === 0;
  return { ...rest, additionalProperties: any ? true : value };
}
