/** The terms of a sentence, and whether its translation holds them. */
import { baseOf } from '../captions/language-tag.ts';

/** A term, and what it is called in the language of the translation. */
export interface TranslationTerm {
  canonical: string;
  aliases?: readonly string[];
  /** Its translation; if absent, it stays as it is. */
  translation?: string;
  /** Whether it names a person, whom other scripts spell by sound. */
  isPerson?: boolean;
}

/**
 * A term of a pack or a workspace for a translation: with what it is called in that language, or in its first part.
 * @example
 * termIn('de-AT', { canonical: 'keyring', translations: { de: 'Schlüsselbund' } }).translation;
 * // => 'Schlüsselbund'
 */
export function termIn(
  language: string,
  {
    canonical,
    aliases,
    translations = {},
    kind,
  }: {
    canonical: string;
    kind?: string;
    aliases?: readonly string[];
    translations?: Readonly<Record<string, string>>;
  },
): TranslationTerm {
  const tag = language.toLowerCase();
  const known = new Map(
    Object.entries(translations).map(([of, text]) => [of.toLowerCase(), text] as const),
  );
  const translation = known.get(tag) ?? known.get(baseOf(tag));
  return {
    canonical,
    ...(aliases && { aliases }),
    ...(translation !== undefined && { translation }),
    ...(kind === 'person_name' && { isPerson: true }),
  };
}

/**
 * A text without case, accents, spaces and hyphens.
 * @example
 * termKeyOf('Schlüssel-Bund'); // => 'schlusselbund'
 */
export const termKeyOf = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/[\p{Mn}\s\p{Pd}'’]+/gu, '')
    .toLowerCase();

const words = (text: string): string[] =>
  text
    .normalize('NFKD')
    .replace(/\p{Mn}+/gu, '')
    .toLowerCase()
    .match(/[\p{L}\p{N}+#]+/gu) ?? [];

/**
 * The terms that occur in a text.
 * @example
 * termsIn('Ask AuthKit.', [{ canonical: 'AuthKit' }, { canonical: 'SCIM' }]).length; // => 1
 */
export function termsIn(text: string, terms: readonly TranslationTerm[]): TranslationTerm[] {
  if (terms.length === 0) return [];
  const spoken = ` ${words(text).join(' ')} `;
  return terms.filter((term) =>
    keysOf(term).some((key) => spoken.includes(key) && isWhole(spoken, key)),
  );
}

const knownKeys = new WeakMap<TranslationTerm, readonly string[]>();

/** The forms of a term as words in lower case, with a space before them. */
function keysOf(term: TranslationTerm): readonly string[] {
  let keys = knownKeys.get(term);
  if (!keys) {
    const forms = [term.canonical, ...(term.aliases ?? [])];
    keys = forms.map((form) => ` ${words(form).join(' ')}`).filter((key) => key !== ' ');
    knownKeys.set(term, keys);
  }
  return keys;
}

/** Whether a form ends at a word's end, or with the ending of a plural or genitive. */
const isWhole = (spoken: string, key: string): boolean =>
  spoken.includes(`${key} `) || spoken.includes(`${key}s `);

/** The letters that may change at the end of a word of this length. */
const endingOf = (length: number): number =>
  length >= 8 ? 3 : length >= 5 ? 2 : length >= 4 ? 1 : 0;

/** Scripts whose words follow each other without a space, so that a term is found anywhere. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u;

/**
 * Whether a translation holds a form of a term. Endings, compounds and joined articles are allowed.
 * @example
 * holdsTerm('mit den Schlüsselbunden', 'Schlüsselbund'); // => true
 */
export function holdsTerm(text: string, expected: string): boolean {
  if (UNSPACED.test(expected)) return termKeyOf(text).includes(termKeyOf(expected));
  const key = termKeyOf(text);
  return words(expected).every((word) =>
    key.includes(word.slice(0, word.length - endingOf(word.length))),
  );
}

/**
 * The terms of a sentence whose form is missing in its translation, each as the form that is expected.
 * @param isLatin whether the translation is written in Latin letters
 */
export const lostTerms = (
  source: string,
  text: string,
  terms: readonly TranslationTerm[],
  isLatin: boolean,
): string[] =>
  termsIn(source, terms)
    .filter(
      ({ translation, isPerson = false }) => translation !== undefined || isLatin || !isPerson,
    )
    .map(({ canonical, translation = canonical }) => translation)
    .filter((expected) => !holdsTerm(text, expected));
