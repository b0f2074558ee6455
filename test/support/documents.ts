/** The documents of the service, rendered for a base URL and requested as by a client. */
import type { Any } from './servers/client.ts';
import { createRoutes, type AppServices } from '../../server/app.ts';
import { createDocuments } from '../../server/http/documents/routes.ts';
import type { SiteOptions } from '../../server/http/documents/site.ts';
import { type Bounds, type Lifetimes, readConfig } from '../../server/config/config.ts';
import { loadTermPacks } from '../../server/terminology/packs/packs.ts';
import { termPackList } from '../../server/terminology/packs/pack.ts';

export const packs = termPackList(await loadTermPacks());

/** The default lifetimes and limits, for the documents. */
export const lifetimes: Lifetimes & Bounds = readConfig({});

/** The routes' own descriptions. No service is called, except to listen to it. */
export const paths = () =>
  createRoutes({
    ...lifetimes,
    packs,
    baseUrl: 'http://localhost',
    runs: {},
    onErased() {},
  } as unknown as AppServices).paths;

/** Renders them, and returns the response for a path; 404 if there is none. */
export function documentsOf(options: Partial<SiteOptions> & { baseUrl: string }) {
  const documents = createDocuments({ packs, paths, ...lifetimes, ...options });
  return (path: string, init: RequestInit = {}): Response =>
    documents.answer(new Request(`http://localhost${path}`, init)) ??
    new Response(null, { status: 404 });
}

/** All objects in a JSON value, with their paths. */
export function* objects(value: Any, at = '#'): Generator<[string, Any]> {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) yield [at, value];
  for (const [key, inner] of Object.entries(value)) yield* objects(inner, `${at}/${key}`);
}
