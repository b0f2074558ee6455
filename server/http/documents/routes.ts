/**
 * The routes of documents. Most requests never reach them, because `app.ts` answers documents
 * before the router.
 */
import { Elysia } from 'elysia';
import { notFound } from '../problems.ts';
import type { Documents } from './documents.ts';
import { documentOperation } from './operations.ts';

/**
 * Creates a route for each document, for everything derived from routes: the methods of an address,
 * and /openapi.json.
 * @throws {Error} a document that `operations.ts` does not describe
 */
export function documentRoutes({ paths, answer }: Pick<Documents, 'paths' | 'answer'>) {
  const routes = new Elysia();
  for (const path of paths) {
    const detail = documentOperation(path, paths);
    routes.get(path, ({ request }) => answer(request) ?? notFound().response(), { detail });
  }
  return routes;
}
