/** The sounds of a transcript's tokens, each computed once, for the search for sound-alikes. */
import { isFunctionWord, isOrdinaryWord } from '../match/ordinary-words.ts';
import { soundOf } from '../match/similarity.ts';

/** The sound of a token, and whether it is an ordinary word or a function word. */
export interface TokenSound {
  sound: string;
  /** Whether it is an ordinary word; function words are. */
  isOrdinary: boolean;
  isFunction: boolean;
}

/** Looks up a token's sound in a cache, because speech repeats itself; computes and adds it if it is missing. */
export function tokenSound(token: string, cache: Map<string, TokenSound>): TokenSound {
  let found = cache.get(token);
  if (!found) {
    const isFunction = isFunctionWord(token);
    const isOrdinary = isFunction || isOrdinaryWord(token);
    found = { sound: soundOf(token, new Map()), isOrdinary, isFunction };
    cache.set(token, found);
  }
  return found;
}
