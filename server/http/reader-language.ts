/** The language of whoever reads an answer: that of the address, or the best that the request accepts. */
import { bestLanguage } from '../contract/best-language.ts';
import { LANGUAGE_TAGS } from '../texts/languages.ts';
import { wantedLanguages } from './negotiate.ts';

/** A longer query, in characters, is not read for a language. */
const MAX_QUERY = 1000;

/** The language of a page or a mail for a request: that of its address (`?lang=de`), or the best that it accepts. */
export function readerLanguage(request: Request): string {
  const query = request.url.split('?')[1] ?? '';
  const carried = query.length > MAX_QUERY ? null : new URLSearchParams(query).get('lang');
  const wanted = wantedLanguages(request.headers.get('accept-language'));
  return bestLanguage([...(carried === null ? [] : [carried]), ...wanted], LANGUAGE_TAGS) ?? 'en';
}
