/** The page of an error: a document that the error is put into. */
import { fill } from '../../texts/fill.ts';
import { textsIn } from '../../texts/languages.ts';
import type { Problem } from '../problems.ts';
import { COMMON_HEADERS } from '../response-headers.ts';
import { escapeHtml } from './html.ts';
import { PAGE_POLICY, renderPage } from './page.ts';

/** Makes the page of an error in a language. */
export type ErrorPage = (problem: Problem, language: string) => Response;

/** What stands for the parts of the error until the page is made, once a language; no text of ours contains it. */
const MARKS = {
  title: '\uE000title\uE000',
  message: '\uE000message\uE000',
  code: '\uE000code\uE000',
};

/** Creates the error page. @param values those of placeholders */
export function errorPage(values: Record<string, string>): ErrorPage {
  const pages = new Map<string, string>();
  const pageIn = (language: string): string => {
    const made = pages.get(language) ?? render(language, values);
    pages.set(language, made);
    return made;
  };
  return ({ status, code, message, options }, language) => {
    const { errors, messages } = textsIn(language);
    const title = errors[status] ?? errors[status < 500 ? 400 : 500] ?? '';
    const said =
      messages[code] === undefined
        ? foreign(message, language, errors)
        : escapeHtml(messages[code]);
    const html = pageIn(language)
      .replaceAll(MARKS.title, () => escapeHtml(title))
      .replaceAll(MARKS.code, () => escapeHtml(code))
      .replaceAll(MARKS.message, () => said);
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

function render(language: string, values: Record<string, string>): string {
  const { errors } = textsIn(language);
  const links = fill('errors', errors['links'] ?? '', { ...values, error_code: MARKS.code });
  const markdown = `# ${MARKS.title}\n\n${MARKS.message}\n\n${links}\n`;
  const source = {
    title: `${MARKS.title} · Captioner`,
    name: '',
    description: errors['description'] ?? '',
    updated: '',
    markdown,
    whole: markdown,
  };
  return renderPage(source, { baseUrl: values['base_url'] ?? '', place: null, language });
}

/** The service's own message, which is English, said so. */
const foreign = (message: string, language: string, errors: Readonly<Record<string, string>>) =>
  language === 'en'
    ? escapeHtml(message)
    : fill('errors', escapeHtml(errors['other'] ?? ''), {
        message: `<bdi lang="en">${escapeHtml(message)}</bdi>`,
      });
