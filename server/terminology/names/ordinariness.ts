/** How ordinary English words are, by the lists of SCOWL in which they first occur. */
import { isEnglishWord } from '../match/english-words.ts';
import { isCommonWord, isFunctionWord, isOrdinaryWord } from '../match/ordinary-words.ts';

/** No English word: a name, or nothing at all. */
export const STRANGE = 0;
/** A function word, a letter or a number. */
export const FUNCTION_WORD = 5;

/** The most tokens of which it is kept, because speech repeats itself. */
const MAX_KEPT = 20_000;
const kept = new Map<string, number>();

/**
 * From 0 (no English word) to 5 (a function word, a letter or a number).
 * @example
 * ordinariness('the'); // => 5
 * ordinariness('monroe'); // => 0
 */
export function ordinariness(token: string): number {
  let known = kept.get(token);
  if (known === undefined) {
    if (kept.size >= MAX_KEPT) kept.clear();
    kept.set(token, (known = classOf(token)));
  }
  return known;
}

function classOf(token: string): number {
  if (isFunctionWord(token) || /^\d/.test(token) || token.length === 1) return FUNCTION_WORD;
  if (isCommonWord(token)) return 4;
  if (isOrdinaryWord(token)) return 2;
  return isEnglishWord(token) ? 1 : STRANGE;
}
