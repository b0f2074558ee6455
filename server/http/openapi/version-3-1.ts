/** The OpenAPI document in version 3.1, for tools that do not read 3.2. */
import type { Json } from './references.ts';

/**
 * Converts the document to OpenAPI 3.1, which has no `$self`, no `allowReserved` outside queries, and no schema for the
 * items of a stream, so a stream becomes text.
 */
export function asOpenApi31(document: object): object {
  const { $self: _, ...rest } = document as Json;
  const made: Json = { ...(older(rest) as Json), openapi: '3.1.1' };
  const { schemas } = made['components'] as { schemas: Json };
  // Removes schemas that only streams used.
  const text = JSON.stringify(made);
  for (const name of Object.keys(schemas)) {
    if (!text.includes(`"#/components/schemas/${name}"`)) delete schemas[name];
  }
  return made;
}

function older(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(older);
  if (typeof node !== 'object' || node === null) return node;
  const { itemSchema, ...rest } = node as Json;
  if (itemSchema !== undefined) {
    return { ...rest, schema: { type: 'string', description: 'server-sent events' } };
  }
  if (rest['in'] === 'path') delete rest['allowReserved'];
  return Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, older(value)]));
}
