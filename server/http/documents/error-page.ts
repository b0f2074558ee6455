/** The page of an error: a document with marks that the error replaces. */
import { lazily } from '../../base/concurrency.ts';
import { type Source, escapeHtml } from './html.ts';
import type { Problem } from '../problems.ts';
import { COMMON_HEADERS } from '../response-headers.ts';
import { PAGE_LANGUAGES } from './page-languages.ts';
import { ENGLISH } from './page-words.ts';
import { PAGE_POLICY, renderPage } from './page.ts';

/** Makes the page of an error in a language, or in English if there is none in it. */
export type ErrorPage = (problem: Problem, language: string) => Response;

/** The values of error.md's placeholders before they are replaced; no text of ours contains them. */
export const ERROR_MARKS = {
  error_title: '\uE000title\uE000',
  error_message: '\uE000message\uE000',
  error_code: '\uE000code\uE000',
};

/** Creates the error page, in each language. @param sources by language */
export function errorPage(sources: ReadonlyMap<string, Source>, baseUrl: string): ErrorPage {
  const pages = new Map(
    [...sources].map(([language, source]) => [
      language,
      lazily(() => ({ html: renderPage(source, { baseUrl, place: null, language }) })),
    ]),
  );
  return ({ status, code, message, options }, wanted) => {
    const language = pages.has(wanted) ? wanted : 'en';
    const { titles, messages, other } = PAGE_LANGUAGES[language]?.words ?? ENGLISH;
    const known: Readonly<Record<number, string>> = titles;
    const title = known[status] ?? (status < 500 ? titles[400] : titles[500]);
    const html = pages.get(language)!()
      .html.replaceAll(ERROR_MARKS.error_title, () => escapeHtml(title))
      .replaceAll(ERROR_MARKS.error_code, () => escapeHtml(code))
      .replaceAll(ERROR_MARKS.error_message, () => escapeHtml(messages[code] ?? other(message)));
    return new Response(html, {
      status,
      headers: {
        ...COMMON_HEADERS,
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': PAGE_POLICY,
        'content-language': language,
        vary: 'Accept, Accept-Language',
        ...options.headers,
      },
    });
  };
}
