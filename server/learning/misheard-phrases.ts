/** Classifies a phrase that was recognised in place of a term: strange, or made of ordinary words. Pure. */
import { isEnglishWord } from '../terminology/match/english-words.ts';
import { isFunctionWord } from '../terminology/match/ordinary-words.ts';

/**
 * Whether a surface cannot be meant itself: it has separate letters, or it is longer than a few letters and contains a
 * word that is not English.
 */
export const isStrange = (surface: string): boolean => {
  const tokens = surface.split(' ');
  if (tokens.length > 2 && tokens.filter(isLooseLetter).length > 1) return true;
  return surface.length >= 4 && tokens.some((token) => token.length >= 3 && !isEnglishWord(token));
};

/** A letter that is not a word. */
const isLooseLetter = (token: string): boolean => /^[b-hj-z]$/.test(token);

/** The number of words in a surface that are not merely grammatical. */
export const contentWords = (surface: string): number =>
  surface.split(' ').filter((token) => token.length > 1 && !isFunctionWord(token)).length;
