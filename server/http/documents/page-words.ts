/** The words around a document for people, and those of errors, in English. */

/** The words of the pages of a language. */
export interface PageWords {
  skip: string;
  site: string;
  more: string;
  onThisPage: string;
  /** The languages at the foot of a page. */
  languages: string;
  developers: string;
  /** The pages, by address. */
  links: Readonly<Record<(typeof SITE_LINKS | typeof MORE_LINKS)[number], string>>;
  /** What stands before the day of the last change. */
  changed: (day: string) => string;
  markdown: string;
  askFor: string;
  /** By status; 400 and 500 stand for all others of their kind. */
  titles: Readonly<Record<401 | 403 | 404 | 405 | 503 | 400 | 500, string>>;
  /** What is said of an error; null shows the service's own message, which is English. */
  messages: Readonly<Record<string, string>>;
  /** Before a message in English. */
  other: (message: string) => string;
}

/** For people; what programs and agents need is below each page. */
export const SITE_LINKS = ['/', '/guide', '/docs', '/app'] as const;

/** What programs and agents need, and the small print. */
export const MORE_LINKS = [
  '/auth',
  '/openai',
  '/limits',
  '/privacy',
  '/skills/captioner/SKILL.md',
  '/openapi.json',
  '/llms.txt',
] as const;

/** English. */
export const ENGLISH: PageWords = {
  skip: 'Skip to the content',
  site: 'Site',
  more: 'More',
  onThisPage: 'On this page',
  languages: 'Languages',
  developers: 'For developers and agents',
  links: {
    '/': 'Product',
    '/app': 'Open the app',
    '/guide': 'Guide',
    '/auth': 'Get a key',
    '/docs': 'For developers',
    '/openai': 'From whisper-1',
    '/limits': 'Limits',
    '/privacy': 'Privacy',
    '/skills/captioner/SKILL.md': 'Agent skill',
    '/openapi.json': 'OpenAPI',
    '/llms.txt': 'llms.txt',
  },
  changed: (day) => `Last changed ${day}.`,
  markdown: 'This page as Markdown',
  askFor: 'ask for',
  titles: {
    401: 'A key is needed',
    403: 'Your key does not allow this',
    404: 'Page not found',
    405: 'This address is not a page',
    503: 'Not now',
    400: 'The request failed',
    500: 'Something went wrong',
  },
  messages: {},
  other: (message) => message,
};
