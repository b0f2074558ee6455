/** The small words of the language of captions, by which their lines break. */
import { addLanguages } from '../../../server/captions/language.ts';
import { baseOf } from '../../../server/captions/language-tag.ts';

/**
 * Loads the words of a language; those of English are there. Without the service they may stay away: lines then break at
 * punctuation and in the middle, as in a language without such a list.
 * @param tag BCP 47
 */
export async function knowLanguage(tag: string): Promise<void> {
  if (baseOf(tag) === 'en') return;
  await import('../../../server/captions/language-words.ts').then(
    ({ LANGUAGE_WORDS }) => addLanguages(LANGUAGE_WORDS),
    () => {},
  );
}
