/** Divides text in scripts without spaces between words: Chinese, Japanese, Thai and others. */
import type { Piece } from './spaces.ts';
import { hasSpaceless, joinsWithoutSpace } from '../width.ts';

const wordSegmenter = new Intl.Segmenter(undefined, { granularity: 'word' });
/** Punctuation that may not begin a line, and small kana, which belong to the sound before them: 言った. */
const CLOSING =
  /^(?:[\p{Pe}\p{Pf}、。，．：；？！ー…・々〜ๆฯ]+$|[ぁぃぅぇぉっゃゅょゎァィゥェォッャュョヮ])/u;
/** Punctuation that may not end a line. */
const OPENING = /^[\p{Ps}\p{Pi}]+$/u;
/** A pause of this many seconds separates two words, whatever their letters. */
export const PAUSE = 0.3;

/** Matches a single Latin letter, digit or sign in a number, which speech models may return like such a character. */
const LONE = /^[A-Za-z0-9.,:%]$/;
/** Matches a mark that these scripts share with others. */
const SHARED = /^[“”‘’…—]$/u;

/**
 * Divides runs of such a script, which services return character by character or as whole sentences, into words as
 * readers of the language see them. Punctuation stays with its word. Everything else is unchanged.
 */
export function segmentSpaceless(pieces: readonly Piece[]): Piece[] {
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
