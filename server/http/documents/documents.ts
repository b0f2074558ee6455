/** Serves the documents over HTTP from memory: finds them by path and negotiates their form. */
import { prefersMarkdown } from '../negotiate.ts';
import type { Problem } from '../problems.ts';
import type { PublicAddress } from '../public-address.ts';
import { pathOf } from '../request.ts';
import { send } from './representation.ts';
import { OPENAPI_PATH, openApiPath, renderSite, type Site, type SiteOptions } from './site.ts';
import type { Source } from './source.ts';

export interface Documents {
  /** Responds to GET and HEAD for a document; null for every other request. */
  answer(request: Request): Response | null;
  /** The page that shows an error to a person. */
  errorPage(request: Request, problem: Problem): Response;
  /** The Markdown documents by address, as rendered for the sender of a request. */
  sources(request: Request): ReadonlyMap<string, Source>;
  /** The paths of all documents. */
  paths: string[];
}

interface DocumentOptions extends SiteOptions {
  /** Determines the address at which a request reached the service; if absent, it is always `baseUrl`. */
  address?: PublicAddress;
  /** Epoch milliseconds. */
  now?: () => number;
}

/**
 * The most renderings that are kept, and that are made per minute. Without BASE_URL, documents name the address that
 * the client used, and anyone can send any Host. Beyond the limit, a client gets the rendering for `baseUrl`.
 */
const MAX_RENDERINGS = 12;
const RENDERINGS_A_MINUTE = 12;

/**
 * Reads every document: immediately for `baseUrl`, on the first request for any other address.
 * @throws {DocumentError} a document is invalid
 */
export function createDocuments(options: DocumentOptions): Documents {
  const { address, now = Date.now, ...site } = options;
  const standard = renderSite(site);
  const others = new Map<string, Site>();
  /** The times of the latest renderings. */
  let made: number[] = [];

  const render = (baseUrl: string): Site => {
    const minuteAgo = now() - 60_000;
    made = made.filter((at) => at > minuteAgo);
    if (made.length >= RENDERINGS_A_MINUTE) return standard;
    made.push(now());
    const rendered = renderSite({ ...site, baseUrl });
    others.set(baseUrl, rendered);
    for (const oldest of [...others.keys()].slice(0, -MAX_RENDERINGS)) others.delete(oldest);
    return rendered;
  };
  const siteFor = (request: Request): Site => {
    const baseUrl = address?.of(request) ?? site.baseUrl;
    if (baseUrl === site.baseUrl) return standard;
    const rendered = others.get(baseUrl);
    if (!rendered) return render(baseUrl);
    // Keeps the least recently used rendering first.
    others.delete(baseUrl);
    others.set(baseUrl, rendered);
    return rendered;
  };

  const vary = address?.varyBy.join(', ') ?? '';
  const negotiate = (request: Request, path: string): Response | null => {
    const { pages, files } = siteFor(request);
    const page = pages.get(path);
    if (page) {
      const markdown = prefersMarkdown(request.headers.get('accept'));
      return send(request, markdown ? page.markdown : page.html);
    }
    const file = files.get(path);
    return file ? send(request, file) : null;
  };
  return {
    errorPage: (request, problem) => siteFor(request).errorPage(problem),
    sources: (request) => siteFor(request).sources,
    paths: [...standard.pages.keys(), ...standard.files.keys()].filter(
      (path) => !path.includes('?'),
    ),
    answer(request) {
      if (request.method !== 'GET' && request.method !== 'HEAD') return null;
      const path = documentPath(request.url);
      if (!standard.pages.has(path) && !standard.files.has(path)) return null;
      const response = negotiate(request, path);
      if (vary !== '') response?.headers.append('vary', vary);
      return response;
    },
  };
}

/** The path of a document. Queries are ignored, except for that of the OpenAPI document. */
function documentPath(url: string): string {
  const path = pathOf(url);
  const asked = path === OPENAPI_PATH ? url.slice(url.indexOf(path) + path.length) : '';
  if (asked === '') return path;
  const { version = '3.2', tag, ...others } = Object.fromEntries(new URLSearchParams(asked));
  // Anything else is refused by the route.
  return Object.keys(others).length === 0 ? openApiPath(version, tag) : `${path}${asked}`;
}
