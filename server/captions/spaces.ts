/** Words that have spaces in them. */
import type { TimedText } from './repair.ts';

/** A part of a word, or a whole one. */
export interface Piece extends TimedText {
  /** Whether a space stands before it, where the word itself tells. */
  spaced?: boolean;
}

/** A “word” with spaces in it is several: they share its time by their letters. */
export function splitAtSpaces(word: TimedText): Piece[] {
  const parts = word.text.split(/\s+/);
  if (parts.length === 1) return [word];
  const letters = parts.reduce((sum, part) => sum + part.length, 0);
  const { end, speaker } = word;
  let { start } = word;
  const each = (end - start) / letters;
  return parts.map((text, index) => {
    const from = start;
    start += each * text.length;
    const piece = { text, start: from, end: start, speaker };
    return index === 0 ? piece : { ...piece, spaced: true };
  });
}
