/** Measures the length of text as a reader sees it, and the speed at which it can be read. */
import { withoutItalics } from './italics.ts';

const graphemeSegmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
/** Plain Latin text, in which each code unit is a character. */
const SIMPLE = /^[\u0020-\u02ff\u2010-\u2027]*$/;
/** East Asian wide characters and most emoji. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Extended_Pictographic}|\p{Regional_Indicator}|[\u{20000}-\u{3fffd}]/u;
/** Scripts written without spaces between words. */
const SPACELESS =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\u3000-\u303f\u30fc\uff00-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65]/u;

/**
 * Chinese and Japanese scripts and their full-width punctuation, which do not use spaces next to Latin letters and digits
 * either.
 */
const EAST_ASIAN =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3001-\u303f\u30fc\uff00-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65]/u;
/**
 * The characters that may stand beside these scripts without a space: Latin letters, digits, signs, and marks that they
 * share.
 */
const BESIDE_EAST_ASIAN = /[A-Za-z0-9%°℃“”‘’…—·]/;
/** The first code point of Thai, the lowest of the scripts without spaces. */
const FIRST_SPACELESS = 0x0e00;

/**
 * The number of characters as a reader counts them; an emoji, or a letter with its diacritics, counts as one.
 * @example
 * graphemes('naïve 👩‍🚀'); // => 7
 */
export function graphemes(text: string): number {
  if (SIMPLE.test(text)) return text.length;
  let count = 0;
  for (const _ of graphemeSegmenter.segment(text)) count += 1;
  return count;
}

/**
 * The number of columns on the screen: a wide character takes two.
 * @example
 * columns('日本 TV'); // => 7
 */
export function columns(text: string): number {
  if (SIMPLE.test(text)) return text.length;
  let count = 0;
  for (const { segment } of graphemeSegmenter.segment(text)) count += WIDE.test(segment) ? 2 : 1;
  return count;
}

/** Whether a text is mostly wide characters, as “字幕です” is, which people read at a slower rate. */
function isWideText(text: string): boolean {
  if (SIMPLE.test(text)) return false;
  return columns(text) > 1.5 * graphemes(text);
}

/**
 * Whether a text has characters of a script without spaces.
 * @example
 * hasSpaceless('日本'); // => true
 * hasSpaceless('Japan'); // => false
 */
export const hasSpaceless = (text: string): boolean => !SIMPLE.test(text) && SPACELESS.test(text);

/**
 * Whether two words follow each other without a space: both in a script without spaces, or one in Chinese or Japanese
 * and the other in Latin letters, digits or quotation marks (“2026年”).
 * @example
 * joinsWithoutSpace('2026', '年'); // => true
 */
export function joinsWithoutSpace(left: string, right: string): boolean {
  if (left.charCodeAt(left.length - 1) < FIRST_SPACELESS && right.charCodeAt(0) < FIRST_SPACELESS) {
    return false;
  }
  const last = Array.from(left.slice(-2)).at(-1) ?? '';
  const [first = ''] = right;
  if (!SPACELESS.test(last)) return BESIDE_EAST_ASIAN.test(last) && EAST_ASIAN.test(first);
  return SPACELESS.test(first) || (EAST_ASIAN.test(last) && BESIDE_EAST_ASIAN.test(first));
}

/**
 * Joins words into running text.
 * @example
 * joinWords(['Hello', 'there.']); // => 'Hello there.'
 */
export function joinWords(words: readonly string[]): string {
  // Kept separately, because looking at the end of the whole text would copy it each time.
  let before = '';
  let text = '';
  for (const word of words) {
    text += before === '' || joinsWithoutSpace(before, word) ? word : ` ${word}`;
    if (word !== '') before = word;
  }
  return text;
}

/**
 * The fastest reading speed that gets no warning, in characters a second; it is lower in wide scripts. The times of
 * captions aim at a slower one, TIMING.targetSpeed.
 */
export const SPEED_LIMIT = 20;
const WIDE_SPEED_LIMIT = 9;

const wordSegmenter = new Intl.Segmenter(undefined, { granularity: 'word' });

/**
 * The fastest reading speed of a text that gets no warning, in characters a second; it is lower in wide scripts.
 * @example
 * speedLimitOf('Hello'); // => 20
 */
export const speedLimitOf = (text: string): number =>
  isWideText(text) ? WIDE_SPEED_LIMIT : SPEED_LIMIT;

/**
 * The number of characters in a cue's lines, as a reader counts them. A line break counts as a space.
 * @example
 * countCharacters(['Hello', 'there']); // => 11
 */
export const countCharacters = (lines: readonly string[]): number =>
  charactersOf(withoutItalics(lines).map(graphemes));

/**
 * The same number for lines of known lengths.
 * @example
 * charactersOf([5, 5]); // => 11
 */
export const charactersOf = (lineLengths: readonly number[]): number =>
  lineLengths.reduce((sum, length) => sum + length, 0) + Math.max(0, lineLengths.length - 1);

/**
 * The number of words in a text.
 * @example
 * countWords('Two words.'); // => 2
 */
export function countWords(text: string): number {
  // In languages that separate words with spaces, count as people do.
  if (!isWideText(text))
    return text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
  let count = 0;
  for (const { isWordLike } of wordSegmenter.segment(text)) if (isWordLike) count += 1;
  return count;
}
