/** The routes of documents. Most of their requests never come here: `app.ts` asks for documents before the router. */
import { Elysia } from 'elysia';
import { notFound } from '../problems.ts';
import type { Documents } from './documents.ts';
import { DOCUMENT_OPERATIONS } from './operations.ts';

/**
 * Makes a route for each document, for what is read from routes: which methods an address answers, and
 * /openapi.json.
 * @throws {Error} a document that `operations.ts` does not describe
 */
export function documentRoutes({ paths, answer }: Pick<Documents, 'paths' | 'answer'>) {
  const routes = new Elysia();
  for (const path of paths) {
    const detail = DOCUMENT_OPERATIONS[path];
    if (!detail) throw new Error(`${path} is a document without a description`);
    routes.get(path, ({ request }) => answer(request) ?? notFound().response(), { detail });
  }
  return routes;
}
