/** Divides a text of Whisper into the words that a key term may replace. */

/** A word of the recognised text as a range of tokens, without the punctuation after it. */
export interface RecognisedWord {
  first: number;
  end: number;
  text: string;
  /** Whether a mark follows that ends a phrase. */
  ends: boolean;
}

/** The words of a text that begin with a space, and the first one. */
export function recognisedWords(
  tokens: readonly number[],
  bytes: readonly Uint8Array[],
): RecognisedWord[] {
  const texts = tokens.map((id) => textOf([id], bytes));
  const starts = tokens.flatMap((_, at) =>
    /^\s*[\p{L}\p{N}]/u.test(texts[at]!) && (at === 0 || /^\s/.test(texts[at]!)) ? [at] : [],
  );
  return starts.map((first, word) => {
    const until = starts[word + 1] ?? tokens.length;
    let end = until;
    // The first of its tokens has a letter or a digit.
    while (!/[\p{L}\p{N}]/u.test(texts[end - 1]!)) end -= 1;
    const text = texts.slice(first, end).join('').trim();
    return { first, end, text, ends: /[.?!,;:]/.test(texts.slice(end, until).join('')) };
  });
}

/** The text of words from one to another, both included. */
export const textOfWords = (words: readonly RecognisedWord[], from: number, to: number): string =>
  words
    .slice(from, to + 1)
    .map(({ text }) => text)
    .join(' ');

const textOf = (tokens: readonly number[], bytes: readonly Uint8Array[]): string =>
  new TextDecoder().decode(Uint8Array.from(tokens.flatMap((id) => [...(bytes[id] ?? [])])));
