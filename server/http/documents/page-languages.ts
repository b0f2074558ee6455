/**
 * The languages of the pages for people, a row each: the part of the front page for people, the guide, the page of
 * errors, and the words around them. Documents for programs and agents are English everywhere.
 */
import errorDe from '../../../content/de/error.md' with { type: 'text' };
import frontDe from '../../../content/de/front.html' with { type: 'text' };
import guideDe from '../../../content/de/guide.md' with { type: 'text' };
import { bestLanguage } from '../../contract/best-language.ts';
import { wantedLanguages } from '../negotiate.ts';
import { GERMAN } from './page-words-de.ts';
import type { PageWords } from './page-words.ts';

/** A language besides English. */
export interface PageLanguage {
  /** By the address of the page. */
  readonly documents: Readonly<Partial<Record<string, string>>>;
  readonly front: { readonly title: string; readonly description: string; readonly html: string };
  readonly error: string;
  readonly words: PageWords;
}

/** The languages besides English, by their BCP 47 tags. */
export const PAGE_LANGUAGES: Readonly<Record<string, PageLanguage>> = {
  // The types of Bun take every HTML file for a bundle.
  de: {
    documents: { '/guide': guideDe },
    front: {
      title: 'Captioner: Untertitel mit richtigen Namen',
      description:
        'Ein Vortrag hinein, Untertitel mit richtigen Namen heraus: prüfen, herunterladen, veröffentlichen.',
      html: frontDe as unknown as string,
    },
    error: errorDe,
    words: GERMAN,
  },
};

const TAGS = ['en', ...Object.keys(PAGE_LANGUAGES)];

/** The language of a page for a request: that of its address (`?lang=de`), or the best that it accepts. */
export function pageLanguage(request: Request): string {
  const query = request.url.split('?')[1] ?? '';
  const carried = query.length > MAX_QUERY ? null : new URLSearchParams(query).get('lang');
  const wanted = wantedLanguages(request.headers.get('accept-language'));
  return bestLanguage([...(carried === null ? [] : [carried]), ...wanted], TAGS) ?? 'en';
}

/** A longer query, in characters, is not read for a language. */
const MAX_QUERY = 1000;

/** The name of a language in itself. */
export function ownName(tag: string): string {
  const name = new Intl.DisplayNames([tag], { type: 'language' }).of(tag) ?? tag;
  return `${name.charAt(0).toLocaleUpperCase(tag)}${name.slice(1)}`;
}
