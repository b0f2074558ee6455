/** Converts the words of providers, with all their flaws, into the tokens of captions. */
import { isClosingMark, isOpeningMark } from './punctuation.ts';
import { fixWordTimes, type CaptionWord, type TimedText } from './fix-word-times.ts';
import { PAUSE, segmentSpaceless } from './spaceless.ts';
import { splitAtSpaces, type Piece } from './spaces.ts';
import { columns, hasSpaceless, joinsWithoutSpace } from '../width.ts';

/** A piece of text that is never divided. Times are in seconds, in order, without overlaps. */
export interface Token {
  text: string;
  start: number;
  end: number;
  speaker: string | undefined;
  /** Whether a space precedes it. */
  spaced: boolean;
  columns: number;
}

/**
 * The running text of the tokens from `from` up to but not including `to`.
 * @example
 * textOfTokens([{ text: 'One', spaced: true }, { text: 'two.', spaced: true }], 0, 2); // => 'One two.'
 */
export function textOfTokens(tokens: readonly Token[], from: number, to: number): string {
  let text = '';
  for (let at = from; at < to; at += 1) {
    const token = tokens[at]!;
    text += at > from && token.spaced ? ` ${token.text}` : token.text;
  }
  return text;
}

/** Matches a letter of a script that has spaces between phrases, though not between words. */
const SPACED_BY_PHRASE = /[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

/** Whether a word is written with a space before it; in Thai, a pause between phrases is one. */
const isWrittenApart = (before: Piece, { text, start }: Pick<Piece, 'text' | 'start'>): boolean =>
  !joinsWithoutSpace(before.text, text) ||
  (start - before.end >= PAUSE &&
    SPACED_BY_PHRASE.test(before.text.slice(-1)) &&
    SPACED_BY_PHRASE.test(text.slice(0, 1)));

/**
 * The tokens of words, in order and with valid times; faulty words are repaired, never dropped.
 * @example
 * tokensOf([{ text: 'Hello there.', start: 0, end: 1 }]).map(({ text }) => text); // => ['Hello', 'there.']
 */
export function tokensOf(words: readonly CaptionWord[]): Token[] {
  const timed = fixWordTimes(words);
  const pieces: readonly Piece[] = areWhole(timed) ? timed : segmentSpaceless(splitAtSpaces(timed));
  joinMarks(pieces);
  const tokens: Token[] = [];
  let before: Piece | undefined;
  for (const piece of pieces) {
    const { text, start, end, speaker, spaced } = piece;
    tokens.push({
      text,
      start,
      end,
      speaker,
      spaced: before !== undefined && (spaced ?? isWrittenApart(before, piece)),
      columns: columns(text),
    });
    before = piece;
  }
  return tokens;
}

/** Matches a Latin word without a space inside. */
const LATIN = /^[!-~\u00a1-\u02ff\u2010-\u2027]*$/;

/** Whether no word needs to be divided. */
function areWhole(words: readonly TimedText[]): boolean {
  for (const { text } of words) {
    if (!LATIN.test(text) && (/\s/.test(text) || hasSpaceless(text))) return false;
  }
  return true;
}

/** Marks that are spoken, and dashes and quotation marks that may belong to the next word. */
const OWN_TIME = /[%‰&#@*/\\\p{Pd}"']/u;

const endsItsWord = (mark: string): boolean =>
  isClosingMark(mark) && !isOpeningMark(mark) && !OWN_TIME.test(mark);

/**
 * Moves punctuation that stands alone to its word, because a provider may put a silence before the question mark in
 * “true ?”, and a silence begins another caption.
 */
function joinMarks(pieces: readonly Piece[]): void {
  for (let at = 1; at < pieces.length; at += 1) {
    const [before, piece] = [pieces[at - 1]!, pieces[at]!];
    if (piece.start > before.end && endsItsWord(piece.text)) {
      piece.start = piece.end = before.end;
    }
  }
  for (let at = pieces.length - 2; at >= 0; at -= 1) {
    const [piece, after] = [pieces[at]!, pieces[at + 1]!];
    if (after.start > piece.end && isOpeningMark(piece.text)) {
      piece.start = piece.end = after.start;
    }
  }
}
