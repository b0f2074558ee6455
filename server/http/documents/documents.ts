/** The documents of the service over HTTP: found by their path, negotiated, sent from memory. */
import { API_VERSION } from '../../contract/openapi.ts';
import { prefersMarkdown } from '../negotiate.ts';
import { send } from './representation.ts';
import { renderSite, type Site, type SiteOptions } from './site.ts';

export interface DocumentOptions extends Omit<SiteOptions, 'version'> {
  /** Default: the version of the interface. */
  version?: string;
}

export interface Documents extends Pick<Site, 'errorPage' | 'sources'> {
  /** Answers GET and HEAD of a document; null for every other request. */
  answer(request: Request): Response | null;
  /** Whether a document is at this path. */
  has(path: string): boolean;
}

/**
 * Renders every document, once.
 * @throws {DocumentError} a document that cannot be served
 */
export function createDocuments({ version = API_VERSION, ...options }: DocumentOptions): Documents {
  const { pages, files, errorPage, sources } = renderSite({ ...options, version });
  return {
    errorPage,
    sources,
    has: (path) => pages.has(path) || files.has(path),
    answer(request) {
      if (request.method !== 'GET' && request.method !== 'HEAD') return null;
      const path = pathOf(request.url);
      const page = pages.get(path);
      if (page) {
        const markdown = prefersMarkdown(request.headers.get('accept'));
        return send(request, markdown ? page.markdown : page.html);
      }
      const file = files.get(path);
      return file ? send(request, file) : null;
    },
  };
}

/** The path of an address as it was sent; reading it out by hand costs a tenth of parsing it. */
export function pathOf(url: string): string {
  // Behind `http://` and a host of at least one character.
  const start = url.indexOf('/', 8);
  if (start < 0) return '/';
  const query = url.indexOf('?', start);
  return query < 0 ? url.slice(start) : url.slice(start, query);
}
