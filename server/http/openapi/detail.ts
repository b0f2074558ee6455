/** The description of a route for the OpenAPI document, and schemas as plain JSON with nested named schemas as $ref. */
import type { DocumentDecoration } from 'elysia';
import type { TSchema } from '../../contract/schema.ts';

/** The groups of operations, in the order in which readers see them. */
export const TAGS = [
  { name: 'Registration', description: 'Exchange an email address for an API key.' },
  { name: 'Members', description: 'The people of a workspace, and what they did.' },
  { name: 'Captioning', description: 'Turn an MP3 into captions.' },
  { name: 'Terminology', description: 'The terms of a workspace, and what it learns.' },
  { name: 'OpenAI', description: 'The audio endpoints of OpenAI, for clients of its API.' },
  { name: 'MCP', description: 'The service for MCP clients.' },
  { name: 'Discovery', description: 'Public documents about the service.' },
] as const;

/** An operation of OpenAPI 3.2. The information in a route's schemas is added when the document is generated. */
export interface OperationDetail {
  operationId: string;
  summary: string;
  description?: string;
  tags: [(typeof TAGS)[number]['name']];
  /** Parameters that no schema of the route describes. */
  parameters?: object[];
  /** A body that is not JSON, or an example of a JSON body. */
  requestBody?: object;
  /** By status: descriptions of responses, or the parts of them that no schema contains. */
  responses?: Record<string, object>;
  /** What the service sends in consequence. */
  callbacks?: object;
}

/** An operation as the option `detail` of a route. */
export const detail = (operation: OperationDetail) => operation as unknown as DocumentDecoration;

/** A route that is not part of the interface: files of pages, routes for operators. */
export const HIDDEN: DocumentDecoration = Object.freeze({ hide: true });

/** A JSON response whose schema is in the route: its description and an example. */
export const answer = (description: string, example?: unknown) => ({
  description,
  ...(example !== undefined && { content: { 'application/json': { example } } }),
});

/** An example for a JSON body whose schema is in the route. */
export const bodyExample = (example: unknown) => ({ content: { 'application/json': { example } } });

/**
 * The reference to a component.
 * @example
 * schemaRef('CaptionCue'); // => { $ref: '#/components/schemas/CaptionCue' }
 */
export const schemaRef = (name: string): { $ref: string } => ({
  $ref: `#/components/schemas/${name}`,
});

/** An object of a document. */
type Json = Record<string, unknown>;

/** The components by name, with nested components replaced by references. */
export function referencedSchemas(components: Record<string, TSchema>): Json {
  const names = namesOf(components);
  return Object.fromEntries(
    Object.entries(components).map(([name, schema]) => [name, plain(schema, names, true)]),
  );
}

/**
 * A route's schema: a reference if it is a component, otherwise the schema with references to its nested components.
 */
export const referencedSchema = (components: Record<string, TSchema>, schema: object): Json =>
  plain(schema, namesOf(components), false) as Json;

const namesOf = (components: Record<string, TSchema>): Map<unknown, string> =>
  new Map(Object.entries(components).map(([name, schema]) => [heart(schema), name]));

function plain(node: unknown, names: Map<unknown, string>, isRoot: boolean): unknown {
  if (Array.isArray(node)) return node.map((entry) => plain(entry, names, false));
  if (typeof node !== 'object' || node === null) return node;
  const inside = heart(node);
  const name = isRoot || inside === undefined ? undefined : names.get(inside);
  if (name !== undefined) return schemaRef(name);
  const entries = Object.entries(node)
    .filter(([key]) => key !== '~standard')
    .map(([key, value]) => [key, plain(value, names, false)]);
  return asDouble(plainRecord(Object.fromEntries(entries) as Json));
}

/** Marks numbers as doubles, because generators for Go and others would use 32 bits, too few for a time. */
const asDouble = (schema: Json): Json =>
  schema['type'] === 'number' && !('format' in schema) ? { ...schema, format: 'double' } : schema;

/**
 * The part that identifies a schema. Making a property optional copies the schema's outer object but keeps the inner
 * one; a plain text has none, and so cannot be made optional.
 */
function heart(schema: object): unknown {
  const { properties, enum: values, anyOf, type } = schema as Record<string, unknown>;
  return properties ?? values ?? anyOf ?? (type === 'string' ? schema : undefined);
}

/** Replaces the pattern of a record that matches every key by the clearer `additionalProperties`. */
function plainRecord(schema: Record<string, unknown>): Record<string, unknown> {
  const { patternProperties, ...rest } = schema;
  if (typeof patternProperties !== 'object' || patternProperties === null) return schema;
  const [[pattern, value] = [], ...others] = Object.entries(patternProperties);
  if (pattern !== '^.*$' || others.length > 0) return schema;
  const any = Object.keys(value as object).length === 0;
  return { ...rest, additionalProperties: any ? true : value };
}
