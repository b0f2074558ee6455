/** The page of an error: a document with marks that the error replaces. */
import { lazily } from '../../base/concurrency.ts';
import { type Source, escapeHtml } from './html.ts';
import type { Problem } from '../problems.ts';
import { COMMON_HEADERS } from '../response-headers.ts';
import { PAGE_POLICY, renderPage } from './page.ts';

export type ErrorPage = (problem: Problem) => Response;

/** The values of error.md's placeholders before they are replaced; no text of ours contains them. */
export const ERROR_MARKS = {
  error_title: '\uE000title\uE000',
  error_message: '\uE000message\uE000',
  error_code: '\uE000code\uE000',
};

const TITLES: Record<number, string> = {
  401: 'A key is needed',
  403: 'Your key does not allow this',
  404: 'Page not found',
  405: 'This address is not a page',
  503: 'Not now',
};

/** Creates the error page. */
export function errorPage(source: Source, baseUrl: string): ErrorPage {
  const page = lazily(() => ({ html: renderPage(source, { baseUrl, place: null }) }));
  return ({ status, code, message, options }) => {
    const title = TITLES[status] ?? (status < 500 ? 'The request failed' : 'Something went wrong');
    const html = page()
      .html.replaceAll(ERROR_MARKS.error_title, () => escapeHtml(title))
      .replaceAll(ERROR_MARKS.error_code, () => escapeHtml(code))
      .replaceAll(ERROR_MARKS.error_message, () => escapeHtml(message));
    return new Response(html, {
      status,
      headers: {
        ...COMMON_HEADERS,
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': PAGE_POLICY,
        vary: 'Accept',
        ...options.headers,
      },
    });
  };
}
