/** The public face: the service document and everything that leads a client with nothing but a URL to the job. */
import { Elysia } from 'elysia';
import type { Health } from '../contract/discovery.ts';
import { API_VERSION } from '../contract/openapi.ts';
import type { ProviderSummary } from '../contract/providers.ts';
import type { TermPackList } from '../contract/terminology.ts';
import type { MetadataOptions } from './documents/metadata.ts';
import { send } from './documents/representation.ts';
import { renderSite } from './documents/site.ts';
import { prefersMarkdown } from './negotiate.ts';

export interface DiscoveryServices extends MetadataOptions {
  packs: TermPackList;
  /** What the documents tell of providers. */
  providers?: readonly ProviderSummary[];
  /** Version of the interface, for the server card and the OpenAPI document. */
  version?: string;
  /** Whether the database and the audio store answer. May throw. */
  health(): Promise<boolean>;
}

/** A check that takes longer than this counts as failed: whoever asks is waiting. */
const HEALTH_TIMEOUT_MS = 5000;

/**
 * The discovery routes, each for GET and HEAD. Every document is rendered here, once.
 * @throws {DocumentError} a document that cannot be served
 */
export function discoveryRoutes({ version = API_VERSION, ...services }: DiscoveryServices) {
  const { pages, files } = renderSite({ ...services, version });
  const routes = new Elysia();
  const serve = (
    path: string,
    handler: (context: { request: Request }) => Response | Promise<Response>,
  ) => routes.get(path, handler).head(path, handler);

  for (const [path, { html, markdown }] of pages) {
    serve(path, ({ request }) =>
      send(request, prefersMarkdown(request.headers.get('accept')) ? markdown : html),
    );
  }
  for (const [path, file] of files) serve(path, ({ request }) => send(request, file));
  serve('/health', ({ request }) => answerHealth(request, () => services.health()));
  return routes;
}

/** Always 200: the body is the answer, as the contract has it. */
async function answerHealth(request: Request, check: () => Promise<boolean>): Promise<Response> {
  const body: Health = { ok: await holds(check) };
  return new Response(request.method === 'HEAD' ? null : JSON.stringify(body), {
    headers: { 'content-type': 'application/json' },
  });
}

async function holds(check: () => Promise<boolean>): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), HEALTH_TIMEOUT_MS);
  });
  try {
    return await Promise.race([check(), late]);
  } catch {
    return false;
  } finally {
    clearTimeout(timer);
  }
}
