/** Converts the words of providers, with all their flaws, into the tokens of captions. */
import { type CaptionWord, fixWordTimes, type TimedText } from './fix-word-times.ts';
import { columns, hasSpaceless, joinsWithoutSpace } from '../width.ts';
import { isClosingMark, isOpeningMark } from '../punctuation.ts';

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

/** A word, or a part of one. */
interface Piece extends TimedText {
  /** Whether a space precedes it, if the word itself shows that. */
  spaced?: boolean;
}

/** Splits a “word” that contains spaces into several, which share its time in proportion to their letters. */
const splitAtSpaces = (words: readonly TimedText[]): Piece[] =>
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

const wordSegmenter = new Intl.Segmenter(undefined, { granularity: 'word' });
/** Punctuation that may not begin a line, and small kana, which belong to the sound before them: 言った. */
const CLOSING =
  /^(?:[\p{Pe}\p{Pf}、。，．：；？！ー…・々〜ๆฯ]+$|[ぁぃぅぇぉっゃゅょゎァィゥェォッャュョヮ])/u;
/** Punctuation that may not end a line. */
const OPENING = /^[\p{Ps}\p{Pi}]+$/u;
/** A pause of this many seconds separates two words, whatever their letters. */
const PAUSE = 0.3;

/** Matches a single Latin letter, digit or sign in a number, which speech models may return like such a character. */
const LONE = /^[A-Za-z0-9.,:%]$/;
/** Matches a mark that these scripts share with others. */
const SHARED = /^[“”‘’…—]$/u;

/**
 * Divides runs of such a script, which services return character by character or as whole sentences, into words as
 * readers of the language see them. Punctuation stays with its word. Everything else is unchanged.
 */
function segmentSpaceless(pieces: readonly Piece[]): Piece[] {
  const out: Piece[] = [];
  let run: Piece[] = [];
  /** @param next the piece after the run */
  const flush = (next = '') => {
    const before = out.at(-1)?.text ?? '';
    // Thai has spaces around Latin letters, so these are a run of their own.
    const isSpaceless = [before, ...run.map(({ text }) => text), next].some(hasSpaceless);
    for (const word of isSpaceless ? segmentRun(run) : run) {
      const last = out.at(-1);
      // Also after a word in Latin letters, which is not part of the run: Captioner，
      if (last && CLOSING.test(word.text) && continues(word, last, false)) {
        out[out.length - 1] = { ...last, text: last.text + word.text, end: word.end };
      } else out.push(word);
    }
    run = [];
  };
  for (const piece of pieces) {
    const lone = LONE.test(piece.text);
    const belongs = lone || SHARED.test(piece.text) || hasSpaceless(piece.text);
    const last = run.at(-1);
    if (last && !(belongs && continues(piece, last, lone))) flush(piece.text);
    if (belongs) run.push(piece);
    else out.push(piece);
  }
  flush();
  return out;
}

/** Matches a text that begins with a vowel sign or a tone mark of the letter before it. */
const COMBINES = /^\p{M}/u;

const continues = (piece: Piece, last: Piece, lone: boolean): boolean =>
  piece.spaced !== true &&
  (piece.start - last.end < PAUSE || COMBINES.test(piece.text)) &&
  piece.speaker === last.speaker &&
  ((lone && LONE.test(last.text)) || joinsWithoutSpace(last.text, piece.text));

function segmentRun(run: readonly Piece[]): Piece[] {
  const words = segment(run.map((piece) => piece.text).join(''));
  const times = run.flatMap(({ text: { length }, start, end }) => {
    const step = (end - start) / length;
    return Array.from({ length }, (_, index) => ({
      start: start + step * index,
      end: start + step * (index + 1),
    }));
  });
  const [{ speaker, spaced } = { speaker: undefined }] = run;
  let at = 0;
  return words.map((text, index) => {
    const start = times[at]?.start ?? 0;
    at += text.length;
    const piece = { text, start, end: times[at - 1]?.end ?? start, speaker };
    if (index > 0) return { ...piece, spaced: false };
    return spaced === undefined ? piece : { ...piece, spaced };
  });
}

/** The words of a text without spaces, each with its punctuation. */
function segment(text: string): string[] {
  const words: string[] = [];
  for (const { segment: part } of wordSegmenter.segment(text)) {
    const last = words.at(-1);
    if (last !== undefined && (CLOSING.test(part) || OPENING.test(last))) {
      words[words.length - 1] = last + part;
    } else words.push(part);
  }
  return words;
}
