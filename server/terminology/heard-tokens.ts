/** Tokens of a transcript as the search for sound-alikes needs them, each worked out once. */
import { isFunctionWord, isOrdinaryWord } from './ordinary-words.ts';
import { soundOf } from './sounds.ts';

/** A token: its sound, and whether it is a word of everyday speech or of grammar. */
export interface Heard {
  sound: string;
  /** An ordinary word or one of grammar. */
  isOrdinary: boolean;
  isFunction: boolean;
}

/** What is known of a token; `known` keeps it, since speech repeats itself. */
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
