/** What has to survive a translation: numbers, addresses, technical names and terms. */
import { spokenLength } from './sentences.ts';

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
  const translation = known.get(tag) ?? known.get(tag.split('-')[0]!);
  return {
    canonical,
    ...(aliases && { aliases }),
    ...(translation !== undefined && { translation }),
    ...(kind === 'person_name' && { isPerson: true }),
  };
}

const NUMBER = /\p{Nd}+(?:[.,:٫٬'’]\p{Nd}+|[ \u00a0\u202f]\p{Nd}{3}(?!\p{Nd}))*/gu;
const ADDRESS =
  /(?:https?:\/\/|www\.)[^\s<>]+|(?<![\p{L}\p{N}._%+-])[\p{L}\p{N}._%+-]{1,64}@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+|(?<![a-z0-9.-])[a-z0-9-]+(?:\.[a-z0-9-]+)*\.(?:ai|app|ch|co|com|de|dev|edu|eu|fr|gov|io|jp|net|org|uk)\b(?:\/[^\s<>]*)?|(?<![\p{L}\p{N}])[@#][\p{L}_][\p{L}\p{N}_]+/giu;
/** Matches a name by its letters: `GitHub`, `iPhone`, `H100`, `GPT-4`. */
const NAME = /[\p{L}\p{N}][\p{L}\p{N}.+-]*[\p{L}\p{N}+]/gu;
const INNER_CAPITAL = /\p{Ll}\p{Lu}/u;
/** A number with a unit or an ending, which every language writes in its own way: `1st`, `5pm`, `90s`, `20er`. */
const COUNTED = /^\p{N}+(?:[.,:]\p{N}+)?-?\p{L}{1,3}$/u;

/** The digits of a number without separators: `1,234.5` is `12345`. */
const digitsOf = (number: string): string =>
  Array.from(number.replace(/\P{Nd}/gu, ''), (digit) => {
    const point = digit.codePointAt(0)!;
    if (point < 128) return digit;
    // The digits of every script are ten code points in a row, and the first one is not preceded by a digit.
    let zero = point;
    while (point - zero < 9 && /\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero -= 1;
    return String(point - zero);
  }).join('');

/** Ten thousand, and a hundred million, as Chinese, Japanese and Korean write them after a number. */
const MYRIADS: Readonly<Record<string, number>> = {
  万: 1e4,
  萬: 1e4,
  만: 1e4,
  億: 1e8,
  亿: 1e8,
  억: 1e8,
};
const IN_MYRIADS = /(?<![\p{Nd}.])(\p{Nd}+(?:\.\p{Nd}+)?)\s?([万萬만億亿억])/gu;

/** The digits of the numbers of a text that are written with such a word: those of `2万` are `20000`. */
const myriadsIn = (text: string): string[] =>
  Array.from(text.matchAll(IN_MYRIADS), ([, number = '', word = '']) =>
    String(Math.round(Number(number) * MYRIADS[word]!)),
  );

/** A time of the afternoon by the other clock: `3:30` is `15:30`. */
const onOtherClock = (number: string): string | null => {
  const [, hour = '', minute = ''] = /^(\d{1,2}):(\d\d)$/.exec(number) ?? [];
  return hour === '' ? null : `${(Number(hour) + 12) % 24}${minute}`;
};

const partsOf = (number: string): string[] => number.split(/\P{Nd}+/u).map(digitsOf);

const matches = (text: string, pattern: RegExp): string[] =>
  Array.from(text.matchAll(pattern), ([found]) => found);

const addressesIn = (text: string): string[] =>
  matches(text, ADDRESS).map((address) =>
    address.replace(/(?<![.,;:!?)\]}'"»”])[.,;:!?)\]}'"»”]+$/u, ''),
  );

/**
 * The numbers of a text that are missing in its translation, whatever digits and separators that uses.
 * @example
 * lostNumbers('1,200 of 5', '1.200 von fünf'); // => ['5']
 */
export function lostNumbers(source: string, text: string): string[] {
  const found = matches(text, NUMBER);
  if (found.length === 0) return matches(withoutAddresses(source), NUMBER);
  const wholes = new Set([...found.map(digitsOf), ...myriadsIn(text)]);
  const parts = new Set(found.flatMap(partsOf));
  return matches(withoutAddresses(source), NUMBER).filter(
    (number) =>
      !wholes.has(digitsOf(number)) &&
      !wholes.has(onOtherClock(number) ?? '') &&
      !partsOf(number).every((part) => parts.has(part)),
  );
}

const withoutAddresses = (text: string): string => text.replace(ADDRESS, ' ');

/**
 * The addresses and technical names of a text that are missing in its translation. A name of ordinary letters is only
 * known by a term.
 * @example
 * lostNames('See github.com, or ask GitHub.', 'Siehe github.com.'); // => ['GitHub']
 */
export function lostNames(
  source: string,
  text: string,
  terms: readonly TranslationTerm[] = [],
): string[] {
  const lost = addressesIn(source).filter((address) => !text.includes(address));
  const key = keyOf(text);
  const translated = terms.filter(({ translation }) => translation !== undefined);
  for (const name of matches(withoutAddresses(source), NAME)) {
    const isName =
      INNER_CAPITAL.test(name) ||
      (/\p{N}/u.test(name) && /\p{L}/u.test(name) && !COUNTED.test(name));
    if (!isName || translated.some((term) => keyOf(term.canonical).includes(keyOf(name)))) continue;
    if (!key.includes(keyOf(name))) lost.push(name);
  }
  return lost;
}

/**
 * A text without case, accents, spaces and hyphens.
 * @example
 * keyOf('Schlüssel-Bund'); // => 'schlusselbund'
 */
export const keyOf = (text: string): string =>
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
  if (UNSPACED.test(expected)) return keyOf(text).includes(keyOf(expected));
  const key = keyOf(text);
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

/** A text without the parts that are the same in every language. */
export function withoutKept(text: string, terms: readonly TranslationTerm[]): string {
  let rest = withoutAddresses(text).replace(NUMBER, ' ');
  for (const { canonical, aliases = [], translation = '' } of termsIn(text, terms)) {
    for (const form of [canonical, ...aliases, translation]) {
      if (spokenLength(form) > 0) rest = rest.replaceAll(form, ' ');
    }
  }
  return rest.replace(NAME, (name) =>
    INNER_CAPITAL.test(name) || /\p{N}/u.test(name) ? ' ' : name,
  );
}
