/** Other forms of the OpenAPI document: a part of it, for clients that should not read all, and version 3.1. */
import { TAGS, type Json } from './detail.ts';

/** The operations that turn a recording into captions, from the email address to the result. */
const CORE: ReadonlySet<string> = new Set([
  'startRegistration',
  'completeClaim',
  'uploadAudio',
  'startCaptioner',
  'getRun',
]);

/** The names of the parts: one for each tag, in lower case, and `core`. */
export const SLICES = ['core', ...TAGS.map(({ name }) => name.toLowerCase())];

type Operation = { operationId?: string; tags?: string[] };

/** The operations of a part, with the components that they refer to, directly or not. */
export function sliceOf(document: object, slice: string): object {
  const { paths, tags, ...rest } = document as { paths: Record<string, Json>; tags: Json[] };
  const belongs = ({ operationId = '', tags: own = [] }: Operation): boolean =>
    slice === 'core' ? CORE.has(operationId) : own.some((tag) => tag.toLowerCase() === slice);
  const kept: Record<string, Json> = {};
  const used = new Set<unknown>();
  for (const [path, operations] of Object.entries(paths)) {
    const some = Object.entries(operations).filter(([, each]) => belongs(each as Operation));
    if (some.length > 0) kept[path] = Object.fromEntries(some);
    for (const [, each] of some) for (const tag of (each as Operation).tags ?? []) used.add(tag);
  }
  const part = onlyUsed({ ...rest, tags: tags.filter(({ name }) => used.has(name)), paths: kept });
  return slice === 'core' ? (withoutExamples(part) as object) : part;
}

/** Examples are half of the core, and its readers know the formats from the schemas. */
function withoutExamples(part: unknown, named = false): unknown {
  if (Array.isArray(part)) return part.map((each) => withoutExamples(each));
  if (typeof part !== 'object' || part === null) return part;
  const kept = Object.entries(part).filter(
    ([key]) => named || (key !== 'example' && key !== 'examples'),
  );
  return Object.fromEntries(
    kept.map(([key, each]) => [key, withoutExamples(each, !named && key === 'properties')]),
  );
}

/** The document without components that nothing in it refers to. */
function onlyUsed(document: object): object {
  const { components, ...rest } = document as { components: Record<string, Json> };
  const { securitySchemes, ...kinds } = components;
  const kept: Record<string, Json> = {};
  let fresh = referencesIn(rest);
  while (fresh.length > 0) {
    const found: unknown[] = [];
    for (const [kind = '', name = ''] of fresh) {
      const component = kinds[kind]?.[name];
      if (component === undefined || kept[kind]?.[name] !== undefined) continue;
      (kept[kind] ??= {})[name] = component;
      found.push(component);
    }
    fresh = referencesIn(found);
  }
  // In the order of the whole document.
  const ordered = Object.entries(kinds).map(([kind, all]) => [
    kind,
    Object.fromEntries(Object.entries(all).filter(([name]) => kept[kind]?.[name] !== undefined)),
  ]);
  return { ...rest, components: { ...Object.fromEntries(ordered), securitySchemes } };
}

const referencesIn = (part: unknown): string[][] =>
  [...JSON.stringify(part).matchAll(/"#\/components\/([^"/]+)\/([^"/]+)"/g)].map((found) =>
    found.slice(1),
  );

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
