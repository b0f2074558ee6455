/**
 * The routes of documents. Most requests never reach them, because `app.ts` answers requests for documents before the
 * router.
 */
import { Elysia } from 'elysia';
import { closed, enumeration, Type } from '../../contract/schema.ts';
import { notFound } from '../problems.ts';
import { SLICES } from '../openapi/slice.ts';
import { wireQuery } from '../wire.ts';
import type { Documents } from './documents.ts';
import { documentOperation } from './operations.ts';

/**
 * Creates a route for each document, for everything that is derived from routes: the methods of an address, and
 * /openapi.json.
 * @throws {Error} a document that `operations.ts` does not describe
 */
export function documentRoutes({ paths, answer }: Pick<Documents, 'paths' | 'answer'>) {
  const routes = new Elysia();
  for (const path of paths) {
    const detail = documentOperation(path, paths);
    if (path === '/openapi.json') continue;
    routes.get(path, ({ request }) => answer(request) ?? notFound().response(), { detail });
  }
  // Reached with a query other than that of a document.
  return routes.get(
    '/openapi.json',
    ({ request }) => {
      const plain = new Request(request.url.replace(/\?.*/s, ''), request);
      return answer(plain) ?? notFound().response();
    },
    { query: wireQuery(Versions), detail: documentOperation('/openapi.json', paths) },
  );
}

const Versions = closed({
  version: Type.Optional(
    enumeration(['3.1', '3.2'], {
      description: 'The version of OpenAPI; 3.1 is for tools that do not support 3.2.',
      default: '3.2',
    }),
  ),
  tag: Type.Optional(
    enumeration(SLICES, {
      description:
        'Only a part: the operations of a tag, or `core`, the five from registration to captions.',
    }),
  ),
});
