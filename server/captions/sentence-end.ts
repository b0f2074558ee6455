/** Where a sentence ends: one answer for captions, transcripts, terms and moderation. */
import type { Language } from './language.ts';

/**
 * A mark that ends a sentence in any script (Unicode's Sentence_Terminal: `.` `?` `!` `。` `؟` `۔` `।` `።` …),
 * an ellipsis, or one of the two Thai end marks; then closing quotes and brackets. German closes a quotation with
 * the mark that opens one in English, so an opening quote may stand there too.
 */
const STOP = /[\p{STerm}…⋯๚๛][\p{Pe}\p{Pf}\p{Pi}\p{Cf}"'`＂＇\s]*$/u;

/** Whether a word ends with the mark of a sentence's end; an abbreviation does too. */
export const endsWithStop = (word: string): boolean => STOP.test(word);

/** A word in lower case without what stands before it: abbreviations keep their points. */
export const lowerFromLetter = (word: string): string =>
  word.toLowerCase().replace(/^[^\p{L}\p{N}]+/u, '');

/**
 * Whether a sentence ends with a word, whatever quotes or brackets follow its mark.
 *
 * Where the language is given, its abbreviations count: “Dr.” ends no sentence, “No.” none before a number,
 * “U.S.” one only where the next word is a small one with a capital (“the U.S. We …”). Without it the mark alone
 * counts.
 * @param next the word after it; a mark at the end of everything ends a sentence
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
  /^\p{Lu}/u.test(word) && !/^I(?:$|['’])/.test(word) && language.classes.has(bare(word));

/** From the first letter or figure to the last; without going over a word twice. */
const LETTERS = /[\p{L}\p{N}'].*[\p{L}\p{N}']|[\p{L}\p{N}']/su;

/** A word without the punctuation around it, in lower case. */
export const bare = (word: string): string =>
  LETTERS.exec(word.toLowerCase().replaceAll('’', "'"))?.[0] ?? '';
