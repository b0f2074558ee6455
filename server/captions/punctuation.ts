/** The punctuation of all scripts that ends sentences or matters for breaks. */
import type { Language } from './language.ts';

/**
 * Matches punctuation that ends a sentence in any script (Unicode's Sentence_Terminal: `.` `?` `!` `。` `؟` `۔` `।` `።`
 * …), an ellipsis, or one of the two Thai end marks, with any closing quotes and brackets. An opening quote may follow
 * too, because German closes a quotation with the mark that opens one in English.
 */
const STOP = /[\p{STerm}…⋯๚๛][\p{Pe}\p{Pf}\p{Pi}\p{Cf}"'`＂＇\s]*$/u;

/**
 * Whether a word ends with punctuation that ends a sentence. Abbreviations do too.
 * @example
 * endsWithStop('(Really?)'); // => true
 * endsWithStop('Dr.'); // => true
 */
export const endsWithStop = (word: string): boolean => STOP.test(word);

/**
 * A word in lower case without leading punctuation; an abbreviation keeps its full stops.
 * @example
 * lowerFromLetter('“U.S.'); // => 'u.s.'
 */
export const lowerFromLetter = (word: string): string =>
  word.toLowerCase().replace(/^[^\p{L}\p{N}]+/u, '');

/**
 * Whether a sentence ends with a word, whatever quotes or brackets follow its punctuation.
 *
 * With a language, its abbreviations count: “Dr.” does not end a sentence, “No.” does not before a number, and “U.S.”
 * does only if the next word is a small one with a capital (“the U.S. We …”). Without a language, only the punctuation
 * counts.
 * @param next the word after it; punctuation at the very end always ends a sentence
 * @example
 * endsSentence('Dr.', 'Smith', languageOf('en')); // => false
 * endsSentence('done.', 'Then', languageOf('en')); // => true
 */
export function endsSentence(word: string, next?: string, language?: Language): boolean {
  if (!endsWithStop(word)) return false;
  if (next === undefined || language === undefined) return true;
  const lower = lowerFromLetter(word);
  if (language.titles.has(lower)) return false;
  if (/^\p{N}/u.test(next) && (language.counters.has(lower) || /^\p{N}+\.$/u.test(lower))) {
    return false;
  }
  if (language.abbreviations.has(lower) || /^\p{L}\.$/u.test(lower)) {
    return isCapitalisedSmallWord(next, language);
  }
  return true;
}

const isCapitalisedSmallWord = (word: string, language: Language): boolean =>
  /^\p{Lu}/u.test(word) && !/^I(?:$|['’])/.test(word) && language.classes.has(bareWord(word));

/**
 * Matches from the first letter or digit to the last, including vowel signs that are written as marks, without
 * backtracking over a word.
 */
const LETTERS = /[\p{L}\p{N}'].*[\p{L}\p{M}\p{N}']|[\p{L}\p{N}']/su;

/**
 * A word without its outer punctuation, in lower case.
 * @example
 * bareWord('“Hello,”'); // => 'hello'
 */
export const bareWord = (word: string): string =>
  LETTERS.exec(word.toLowerCase().replaceAll('’', "'"))?.[0] ?? '';

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
