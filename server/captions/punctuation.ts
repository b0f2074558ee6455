/** The marks of writing, in all scripts, as far as breaks ask for them. */

/** Ends with a comma, or with a stronger mark inside a sentence; a dash may be written as hyphens. */
const COMMA = /[,、，،]["'”’»)\]」』]*$/u;
const CLAUSE_MARK = /(?:[;:—–；：؛]|--)["'”’»)\]」』]*$/u;
const CLOSING_MARK = /^(?:[\p{Pe}\p{Pf}\p{Po}\p{Pd}'"]+)$/u;
const OPENING_MARK = /^[\p{Ps}\p{Pi}¿¡]+$/u;

/** Whether a word ends with a comma. */
export const endsWithComma = (word: string): boolean => COMMA.test(word);

/** Whether a word ends with a semicolon, a colon or a dash. */
export const endsWithClauseMark = (word: string): boolean => CLAUSE_MARK.test(word);

/** Whether a text is nothing but marks that belong to the word before, as some providers return them. */
export const isClosingMark = (text: string): boolean => CLOSING_MARK.test(text);

/** Whether a text is nothing but marks that belong to the word after. */
export const isOpeningMark = (text: string): boolean => OPENING_MARK.test(text);

const OPENS = /^["'“‘«„([（「『]/u;
const CLOSES = /["'”’»)\]）」』][.,;:!?…。，]*$/u;

/** Whether a quotation or a bracket begins with a word, or ends with it; neither where both do. */
export function marksOf(text: string): 'opens' | 'closes' | 'neither' {
  const opens = OPENS.test(text) && text.length > 1;
  if (opens === CLOSES.test(text)) return 'neither';
  return opens ? 'opens' : 'closes';
}
