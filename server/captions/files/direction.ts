/** The direction in which captions are read. */

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
