/** How long a text is to a reader. */

const graphemeSegmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
/** Plain Latin text: each code unit is a character. */
const SIMPLE = /^[\u0020-\u02ff\u2010-\u2027]*$/;
/** East Asian wide characters and most emoji. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Extended_Pictographic}|\p{Regional_Indicator}|[\u{20000}-\u{3fffd}]/u;
/** Scripts that are written without spaces between words. */
const SPACELESS =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\u3000-\u303f\u30fc\uff00-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65]/u;

/** The scripts of Chinese and Japanese, which put no space beside Latin letters and figures either. */
const EAST_ASIAN = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3001-\u303f\u30fc]/u;
const ALPHANUMERIC = /[A-Za-z0-9]/;
/** The scripts without spaces begin with Thai. */
const FIRST_SPACELESS = 0x0e00;

/** Characters as a reader counts them: an emoji or a letter with its marks is one. */
export function graphemes(text: string): number {
  if (SIMPLE.test(text)) return text.length;
  let count = 0;
  for (const _ of graphemeSegmenter.segment(text)) count += 1;
  return count;
}

/** Columns on the screen: a wide character takes two. */
export function columns(text: string): number {
  if (SIMPLE.test(text)) return text.length;
  let count = 0;
  for (const { segment } of graphemeSegmenter.segment(text)) count += WIDE.test(segment) ? 2 : 1;
  return count;
}

/** Whether most of a text is of wide characters: it is read at fewer a second. */
export function isWideText(text: string): boolean {
  if (SIMPLE.test(text)) return false;
  return columns(text) > 1.5 * graphemes(text);
}

/** Whether a text has characters of a script without spaces. */
export const hasSpaceless = (text: string): boolean => !SIMPLE.test(text) && SPACELESS.test(text);

/**
 * Whether nothing stands between two words: both are of a script without spaces, or one is Chinese or
 * Japanese and the other Latin letters or figures (“2026年”).
 */
export function joinsWithoutSpace(left: string, right: string): boolean {
  if (left.charCodeAt(left.length - 1) < FIRST_SPACELESS && right.charCodeAt(0) < FIRST_SPACELESS) {
    return false;
  }
  const last = Array.from(left.slice(-2)).at(-1) ?? '';
  const [first = ''] = right;
  if (!SPACELESS.test(last)) return ALPHANUMERIC.test(last) && EAST_ASIAN.test(first);
  return SPACELESS.test(first) || (EAST_ASIAN.test(last) && ALPHANUMERIC.test(first));
}

/** Words in running text. */
export function joinWords(words: readonly string[]): string {
  // The word before, not the text so far: to look at its end would copy all of it each time.
  let before = '';
  let text = '';
  for (const word of words) {
    text += before === '' || joinsWithoutSpace(before, word) ? word : ` ${word}`;
    if (word !== '') before = word;
  }
  return text;
}
