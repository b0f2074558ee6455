/** The direction of lines: which languages run from right to left, and how formats without directions keep it. */

/** Scripts that run from right to left (Unicode Standard Annex 9), by their ISO 15924 codes. */
const RIGHT_TO_LEFT = new Set([
  'Adlm',
  'Arab',
  'Hebr',
  'Mand',
  'Nkoo',
  'Rohg',
  'Samr',
  'Syrc',
  'Thaa',
]);

/**
 * Whether a language is written from right to left.
 * @param language BCP 47; anything else is read from left to right
 * @example
 * isRightToLeft('ar-EG'); // => true
 * isRightToLeft('az'); // => false
 */
export function isRightToLeft(language: string): boolean {
  try {
    return RIGHT_TO_LEFT.has(new Intl.Locale(language).maximize().script ?? '');
  } catch {
    return false;
  }
}

const RIGHT_TO_LEFT_MARK = '\u200f';
const RIGHT_TO_LEFT_LETTER =
  /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;

/**
 * A written line of a language from right to left; one that begins with a letter from left to right gets a mark before
 * it, because players would otherwise show its words in the wrong order and its full stop on the wrong side.
 * @param written the line with its markup
 * @param runs its text
 * @example
 * lineInDirection('API هو', [{ text: 'API هو' }], 'ar'); // => '\u200fAPI هو'
 */
export function lineInDirection(
  written: string,
  runs: readonly { text: string }[],
  language: string,
): string {
  if (!isRightToLeft(language)) return written;
  const text = runs.map((run) => run.text).join('');
  const [first] = /\p{L}/u.exec(text) ?? [];
  const isPlain = first === undefined || RIGHT_TO_LEFT_LETTER.test(first);
  return isPlain || text.startsWith(RIGHT_TO_LEFT_MARK) ? written : RIGHT_TO_LEFT_MARK + written;
}

/**
 * The language of captions whose language nobody knows, as far as their direction needs it: `ar` or `he` where most of
 * their letters are from right to left; otherwise empty.
 * @example
 * languageByLetters([{ lines: ['שלום'] }]); // => 'he'
 */
export function languageByLetters(captions: readonly { lines: readonly string[] }[]): string {
  const text = captions
    .slice(0, 200)
    .flatMap(({ lines }) => lines)
    .join(' ')
    .slice(0, 20_000);
  const count = (letters: RegExp): number => text.match(letters)?.length ?? 0;
  const [all, arabic, hebrew] = [
    count(/\p{L}/gu),
    count(/\p{Script=Arabic}/gu),
    count(/\p{Script=Hebrew}/gu),
  ];
  if ((arabic + hebrew) * 2 <= all) return '';
  return arabic > hebrew ? 'ar' : 'he';
}
