/** When the text after a cut is spoken. */
import type { TranscriptWord } from '../../../server/contract/transcript.ts';
import type { ReviewCue } from './cue.ts';

/** A word of the transcript, with its times in seconds. */
export type TimedWord = Pick<TranscriptWord, 'text' | 'start' | 'end'>;

/** How far the speech of a cue may lie outside of its time, in seconds. */
const MARGIN = 1;

/** Words as speech and text have them in common: letters and figures, in small letters. */
const lettersOf = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}]+/gu, '');

/** A word with its place in the letters of all that is spoken around a cue. */
interface Spoken {
  readonly start: number;
  readonly end: number;
  readonly letters: string;
  readonly at: number;
}

/**
 * When the first word after a cut begins, in seconds; null where the words that are spoken then do not
 * tell. They tell where they are the cue's text, and, where that was edited, where the words on both
 * sides of the cut stand side by side in them just once.
 */
export function spokenCut(
  cue: ReviewCue,
  left: string,
  right: string,
  words: readonly TimedWord[],
): number | null {
  const spoken: Spoken[] = [];
  let all = '';
  for (const { text, start, end } of words) {
    if (end < cue.start - MARGIN || start > cue.end + MARGIN) continue;
    const letters = lettersOf(text);
    if (letters === '') continue;
    spoken.push({ start, end, letters, at: all.length });
    all += letters;
  }
  return (
    byWholeText(cue, lettersOf(left), lettersOf(right), spoken, all) ?? byPair(left, right, spoken)
  );
}

function byWholeText(
  cue: ReviewCue,
  left: string,
  right: string,
  spoken: readonly Spoken[],
  all: string,
): number | null {
  if (left === '' || right === '') return null;
  const ends = new Set(spoken.map(({ at, letters }) => at + letters.length));
  let nearest: Spoken | undefined;
  for (const word of spoken) {
    if (!all.startsWith(left + right, word.at)) continue;
    if (!ends.has(word.at + left.length + right.length)) continue;
    // The same words may be spoken twice.
    const isNearer =
      !nearest || Math.abs(word.start - cue.start) < Math.abs(nearest.start - cue.start);
    if (isNearer) nearest = word;
  }
  if (!nearest) return null;
  const cut = nearest.at + left.length;
  const word = spoken.find(({ at, letters }) => cut < at + letters.length);
  // Within a word its letters share its time.
  return word
    ? word.start + ((word.end - word.start) * (cut - word.at)) / word.letters.length
    : null;
}

function byPair(left: string, right: string, spoken: readonly Spoken[]): number | null {
  const before = lettersOf(left.split(/\s+/).at(-1) ?? '');
  const after = lettersOf(right.split(/\s+/)[0] ?? '');
  const found = spoken.filter(
    ({ letters }, at) => letters === after && spoken[at - 1]?.letters === before,
  );
  return found.length === 1 ? (found[0]?.start ?? null) : null;
}
