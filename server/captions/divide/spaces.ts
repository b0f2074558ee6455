/** Splits words that contain spaces. */
import type { TimedText } from './fix-word-times.ts';

/** A word, or a part of one. */
export interface Piece extends TimedText {
  /** Whether a space precedes it, if the word itself shows that. */
  spaced?: boolean;
}

/** Splits a “word” that contains spaces into several, which share its time in proportion to their letters. */
export const splitAtSpaces = (words: readonly TimedText[]): Piece[] =>
  words.flatMap((word): Piece | Piece[] => (/\s/.test(word.text) ? split(word) : word));

function split({ text, start, end, speaker }: TimedText): Piece[] {
  const parts = text.split(/\s+/);
  const letters = parts.reduce((sum, part) => sum + part.length, 0);
  const each = (end - start) / letters;
  let at = start;
  return parts.map((part, index) => {
    const from = at;
    at += each * part.length;
    const piece = { text: part, start: from, end: at, speaker };
    return index === 0 ? piece : { ...piece, spaced: true };
  });
}
