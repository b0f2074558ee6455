/** Words as providers return them, with all their faults → tokens that captions can be built of. */
import type { TranscriptWord } from '../contract/transcript.ts';
import { LAST_INSTANT_MS } from './clock.ts';
import { columns, graphemes, hasSpaceless, joinsWithoutSpace } from './width.ts';

export type CaptionWord = Pick<TranscriptWord, 'text' | 'start' | 'end'> & { speaker?: string };

/** A piece of text that is never divided. Times in seconds, in order, never overlapping. */
export interface Token {
  text: string;
  start: number;
  end: number;
  speaker: string | undefined;
  /** Whether a space stands before it. */
  spaced: boolean;
  columns: number;
  graphemes: number;
}

/** What a spoken character takes where a word's end is missing or absurd, in seconds. */
const SECONDS_PER_CHARACTER = 0.08;
/** No word is spoken for longer; what says so has swallowed a silence. */
const LONGEST_WORD = 3;
const SHORTEST_WORD = 0.001;

/** Tokens in the order of the words, with sound times: repaired, never dropped. */
export function tokensOf(words: readonly CaptionWord[]): Token[] {
  const timed = repairTimes(words);
  const pieces = segmentSpaceless(timed.flatMap(splitAtSpaces));
  return pieces.map((piece, index) => {
    const before = pieces[index - 1];
    return {
      ...piece,
      spaced: before !== undefined && !joinsWithoutSpace(before.text, piece.text),
      columns: columns(piece.text),
      graphemes: graphemes(piece.text),
    };
  });
}

interface Piece {
  text: string;
  start: number;
  end: number;
  speaker: string | undefined;
}

/**
 * Gives every word a start and an end: missing ones are taken from their neighbours, a start that
 * falls back is lifted to the last word's, an end past the next start is cut there.
 */
function repairTimes(words: readonly CaptionWord[]): Piece[] {
  const pieces: Piece[] = words
    .map(({ text, start, end, speaker }) => ({ text: cleanText(text), start, end, speaker }))
    .filter((piece) => piece.text !== '');
  let earliest = 0;
  for (const piece of pieces) {
    const start = Number.isFinite(piece.start) ? Math.max(piece.start, earliest) : earliest;
    const spoken = piece.text.length * SECONDS_PER_CHARACTER;
    const longest = Math.max(LONGEST_WORD, spoken * 2);
    let { end } = piece;
    if (!Number.isFinite(end) || end <= start) end = start + Math.min(spoken, SHORTEST_WORD);
    if (end - start > longest) end = start + longest;
    if (start * 1000 > LAST_INSTANT_MS) {
      throw new RangeError('The recording goes past 99:59:59,999, where captions end.');
    }
    piece.start = start;
    piece.end = end;
    earliest = start;
  }
  spreadPiles(pieces);
  return pieces;
}

/** `-->` parts the times of a cue: in its text it would end the cue for a player. */
const cleanText = (text: string): string =>
  (typeof text === 'string' ? text : '')
    .replaceAll('-->', '→')
    // oxlint-disable-next-line no-control-regex
    .replace(/[\u0000-\u0008\u000b\u000e-\u001f\u007f\u200b\u2060\ufeff]/g, '')
    .trim();

/**
 * Words that start at the same moment, or run into the next one, share the time there is: each start
 * moves on, in the measure of the letters, towards the next start that is later.
 */
function spreadPiles(pieces: Piece[]): void {
  for (let i = 0; i < pieces.length; i += 1) {
    const first = pieces[i];
    if (!first) continue;
    let j = i;
    while (pieces[j + 1] && (pieces[j + 1]?.start ?? 0) - first.start < SHORTEST_WORD) j += 1;
    if (j > i) {
      const pile = pieces.slice(i, j + 1);
      const until = pieces[j + 1]?.start ?? Number.POSITIVE_INFINITY;
      const letters = pile.reduce((sum, piece) => sum + piece.text.length, 0);
      const wanted = letters * SECONDS_PER_CHARACTER;
      const room = Math.min(until - first.start, Math.max(wanted, first.end - first.start));
      let at = first.start;
      for (const piece of pile) {
        piece.start = at;
        at += (room * piece.text.length) / letters;
        piece.end = at;
      }
    }
    i = j;
  }
  for (const [index, piece] of pieces.entries()) {
    const next = pieces[index + 1];
    if (next && piece.end > next.start) piece.end = Math.max(piece.start, next.start);
  }
}

/** A “word” with spaces in it is several: they share its time by their letters. */
function splitAtSpaces(piece: Piece): Piece[] {
  const parts = piece.text.split(/\s+/);
  return parts.length === 1 ? [piece] : share(piece, parts);
}

function share({ text, start, end, speaker }: Piece, parts: readonly string[]): Piece[] {
  const letters = parts.reduce((sum, part) => sum + part.length, 0) || text.length;
  let at = start;
  return parts.map((part) => {
    const from = at;
    at += ((end - start) * part.length) / letters;
    return { text: part, start: from, end: at, speaker };
  });
}

const wordSegmenter = new Intl.Segmenter(undefined, { granularity: 'word' });
/** Marks that may not begin a line. */
const CLOSING = /^[\p{Pe}\p{Pf}、。，．：；？！ー…・々〜]+$/u;
/** Marks that may not end one. */
const OPENING = /^[\p{Ps}\p{Pi}]+$/u;

/**
 * Runs of a script without spaces, whether they came a character or a sentence at a time, become
 * words as a reader of the language sees them; marks stay with their word.
 */
function segmentSpaceless(pieces: readonly Piece[]): Piece[] {
  const out: Piece[] = [];
  let run: Piece[] = [];
  const flush = () => {
    if (run.length > 0) out.push(...segmentRun(run));
    run = [];
  };
  for (const piece of pieces) {
    const last = run.at(-1);
    const belongs =
      hasSpaceless(piece.text) &&
      (!last ||
        (piece.start - last.end < 0.3 &&
          piece.speaker === last.speaker &&
          joinsWithoutSpace(last.text, piece.text)));
    if (!belongs) flush();
    if (hasSpaceless(piece.text)) run.push(piece);
    else out.push(piece);
  }
  flush();
  return out;
}

function segmentRun(run: readonly Piece[]): Piece[] {
  const text = run.map((piece) => piece.text).join('');
  const times = run.flatMap((piece) =>
    Array.from({ length: piece.text.length }, (_, index) => {
      const step = (piece.end - piece.start) / piece.text.length;
      return { start: piece.start + step * index, end: piece.start + step * (index + 1) };
    }),
  );
  const parts: string[] = [];
  for (const { segment } of wordSegmenter.segment(text)) {
    const last = parts.at(-1);
    if (last !== undefined && (CLOSING.test(segment) || OPENING.test(last))) {
      parts[parts.length - 1] = last + segment;
    } else parts.push(segment);
  }
  let at = 0;
  const speaker = run[0]?.speaker;
  return parts.map((part) => {
    const start = times[at]?.start ?? 0;
    at += part.length;
    return { text: part, start, end: times[at - 1]?.end ?? start, speaker };
  });
}
