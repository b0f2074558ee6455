/** The punctuation of all scripts that matters for breaks. */

/**
 * Matches a comma at the end of a word, or stronger punctuation inside a sentence; a dash may be written as hyphens.
 */
const COMMA = /[,、，،]["'”’»)\]」』]*$/u;
const CLAUSE_MARK = /(?:[;:—–；：؛]|--)["'”’»)\]」』]*$/u;
const CLOSING_MARK = /^(?:[\p{Pe}\p{Pf}\p{Po}\p{Pd}'"]+)$/u;
const OPENING_MARK = /^[\p{Ps}\p{Pi}¿¡]+$/u;

/**
 * Whether a word ends with a comma.
 * @example
 * endsWithComma('well,'); // => true
 */
export const endsWithComma = (word: string): boolean => COMMA.test(word);

/**
 * Whether a word ends with a semicolon, a colon or a dash.
 * @example
 * endsWithClauseMark('this:'); // => true
 */
export const endsWithClauseMark = (word: string): boolean => CLAUSE_MARK.test(word);

/** Whether a text begins with a Latin letter, as most words do; much faster than a pattern. */
function isWord(text: string): boolean {
  const lower = text.charCodeAt(0) | 32;
  return lower >= 97 && lower <= 122;
}

/**
 * Whether a text is only punctuation that belongs to the previous word; some providers return it separately.
 * @example
 * isClosingMark('»'); // => true
 */
export const isClosingMark = (text: string): boolean => !isWord(text) && CLOSING_MARK.test(text);

/**
 * Whether a text is only punctuation that belongs to the next word.
 * @example
 * isOpeningMark('«'); // => true
 */
export const isOpeningMark = (text: string): boolean => !isWord(text) && OPENING_MARK.test(text);

const OPENS = /^["'“‘«„([（「『]/u;
const CLOSES = /["'”’»)\]）」』][.,;:!?…。，]*$/u;

/**
 * Whether a quotation or bracket begins or ends with a word; `neither` if both do.
 * @example
 * marksOf('“Hello'); // => 'opens'
 * marksOf('“Hello”'); // => 'neither'
 */
export function marksOf(text: string): 'opens' | 'closes' | 'neither' {
  const opens = OPENS.test(text) && text.length > 1;
  if (opens === CLOSES.test(text)) return 'neither';
  return opens ? 'opens' : 'closes';
}
