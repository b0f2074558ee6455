/** The words of a text of Whisper that a key term may replace. */

/** A word of the recognised text as a range of tokens, without the punctuation after it. */
export interface RecognisedWord {
  first: number;
  end: number;
  text: string;
  /** Whether a mark follows that ends a phrase. */
  ends: boolean;
}

/** The text of words from one to another, both included. */
export const textOfWords = (words: readonly RecognisedWord[], from: number, to: number): string =>
  words
    .slice(from, to + 1)
    .map(({ text }) => text)
    .join(' ');
