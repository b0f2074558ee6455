/** The documents of the service over HTTP: found by their path, negotiated, sent from memory. */
import { prefersMarkdown } from '../negotiate.ts';
import { pathOf } from '../request-path.ts';
import { send } from './representation.ts';
import { renderSite, type Site, type SiteOptions } from './site.ts';

export interface Documents extends Pick<Site, 'errorPage' | 'sources'> {
  /** Answers GET and HEAD of a document; null for every other request. */
  answer(request: Request): Response | null;
  /** Where there are documents. */
  paths: string[];
}

/**
 * Renders every document, once.
 * @throws {DocumentError} a document that cannot be served
 */
export function createDocuments(options: SiteOptions): Documents {
  const { pages, files, errorPage, sources } = renderSite(options);
  return {
    errorPage,
    sources,
    paths: [...pages.keys(), ...files.keys()],
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
