/** The OpenAPI document in version 3.1, for tools that do not read 3.2. */
import type { Json } from './references.ts';
import { onlyUsed } from './slice.ts';

/**
 * Converts the document to OpenAPI 3.1, which has no `$self`, no `allowReserved` outside queries, and no schema for the
 * items of a stream, so a stream becomes text.
 */
export function asOpenApi31(document: object): object {
  const { $self: _, ...rest } = document as Json;
  // Without schemas that only streams used.
  return onlyUsed({ ...(older(rest) as Json), openapi: '3.1.1' });
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
