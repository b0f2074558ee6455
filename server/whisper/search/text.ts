/** Builds words with times and confidences from tokens. */

/** A decoded token of text. */
export interface SpokenToken {
  bytes: Uint8Array;
  /** In seconds from the first sample. */
  start: number;
  /** The natural log probability. */
  logProbability: number;
}

/** A word in a window of audio. */
export interface SpokenWord {
  text: string;
  start: number;
  end: number;
  /** 0 to 1: the geometric mean of the probabilities of its tokens, without punctuation. */
  confidence: number;
}

/** Languages written without spaces, in which each piece of text is a word. */
const UNSPACED = new Set(['zh', 'ja', 'th', 'lo', 'my', 'yue', 'km', 'bo']);
/** Whether a language (ISO 639 tag) is written without spaces between words. */
export const isUnspaced = (language: string): boolean => UNSPACED.has(language);

/** Punctuation that belongs to the previous word, and punctuation that belongs to the next. */
const CLOSING = /^[\p{Pe}\p{Pf}\p{Po}\p{Pd}"'%‰°€]+$/u;
const OPENING = /^\s*[\p{Ps}\p{Pi}¿¡"'([{-]+$/u;
const SAYS_SOMETHING = /[\p{L}\p{N}]/u;

/** Tokens that form complete characters: one character can be spread over several tokens. */
interface Piece {
  text: string;
  tokens: SpokenToken[];
  end: number;
}

/**
 * Builds the words of a window. Punctuation is attached to its word.
 * @param end the end of the last token, in seconds
 */
export function spokenWords(
  tokens: readonly SpokenToken[],
  language: string,
  end: number,
): SpokenWord[] {
  const pieces = wholePieces(tokens, end);
  const words: Piece[] = [];
  for (const piece of pieces) {
    const last = words.at(-1);
    const mark = !SAYS_SOMETHING.test(piece.text);
    const begins = UNSPACED.has(language) ? !mark : /^\s/.test(piece.text);
    const closes = CLOSING.test(piece.text);
    const afterOpening = last !== undefined && OPENING.test(last.text);
    if (last && ((!begins && !closes) || closes || afterOpening)) {
      last.text += piece.text;
      // Punctuation is silent, so a word ends where its punctuation begins.
      if (!closes) last.end = piece.end;
      if (!mark) last.tokens.push(...piece.tokens);
      if (afterOpening && !mark) last.tokens = piece.tokens;
    } else words.push({ ...piece, tokens: [...piece.tokens] });
  }
  return words
    .map(({ text, tokens: own, end: until }) => ({
      text: text.trim(),
      start: own[0]!.start,
      end: until,
      confidence: Math.exp(own.reduce((sum, token) => sum + token.logProbability, 0) / own.length),
    }))
    .filter(({ text }) => SAYS_SOMETHING.test(text));
}

function wholePieces(tokens: readonly SpokenToken[], end: number): Piece[] {
  const pieces: Piece[] = [];
  let open: SpokenToken[] = [];
  const decoder = new TextDecoder('utf-8', { fatal: true });
  for (const [at, token] of tokens.entries()) {
    open.push(token);
    const bytes = open.flatMap((part) => [...part.bytes]);
    let text: string;
    try {
      text = decoder.decode(Uint8Array.from(bytes));
    } catch {
      if (at < tokens.length - 1) continue;
      text = new TextDecoder().decode(Uint8Array.from(bytes)).replaceAll('\uFFFD', '');
    }
    pieces.push({ text, tokens: open, end: tokens[at + 1]?.start ?? end });
    open = [];
  }
  return pieces;
}
