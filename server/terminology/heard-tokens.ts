/** The facts about a transcript's tokens that the search for sound-alikes needs, each computed once. */
import { isFunctionWord, isOrdinaryWord } from './ordinary-words.ts';
import { soundOf } from './sounds.ts';

/** The sound of a token, and whether it is an ordinary word or a function word. */
export interface Heard {
  sound: string;
  /** Whether it is an ordinary word; function words are. */
  isOrdinary: boolean;
  isFunction: boolean;
}

/** The facts about a token, with `known` as a cache, because speech repeats itself. */
export function heardOf(token: string, known: Map<string, Heard>): Heard {
  let heard = known.get(token);
  if (!heard) {
    const isFunction = isFunctionWord(token);
    const isOrdinary = isFunction || isOrdinaryWord(token);
    heard = { sound: soundOf(token, new Map()), isOrdinary, isFunction };
    known.set(token, heard);
  }
  return heard;
}
