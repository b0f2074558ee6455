/** Determines when the text around a cut is spoken. */
import type { TranscriptWord } from '../../../server/contract/transcript.ts';
import type { ReviewCue } from './cue.ts';
import { withoutTags } from './cut-italics.ts';

/** A word of the transcript, with its times in seconds. */
export type TimedWord = Pick<TranscriptWord, 'text' | 'start' | 'end'>;

/** The speech on both sides of a cut, in seconds. */
export interface SpokenCut {
  /** When the last word before the cut ends … */
  readonly end: number;
  /** … and the first word after it begins; the same where the cut is within a word. */
  readonly start: number;
}

/** How far the speech of a cue may lie outside of its time, in seconds. */
const MARGIN = 1;

/** Words as speech and text have them in common: letters and figures, in small letters. */
export const lettersOf = (text: string): string =>
  withoutTags(text)
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

/** The words that are spoken around a time, and all their letters. */
function spokenAround(
  { start: from, end: to }: Pick<ReviewCue, 'start' | 'end'>,
  words: readonly TimedWord[],
): { spoken: Spoken[]; all: string } {
  const spoken: Spoken[] = [];
  let all = '';
  for (const { text, start, end } of words) {
    if (end < from - MARGIN || start > to + MARGIN) continue;
    const letters = lettersOf(text);
    if (letters === '') continue;
    spoken.push({ start, end, letters, at: all.length });
    all += letters;
  }
  return { spoken, all };
}

/**
 * When the words on both sides of a cut are spoken; null where the transcript does not tell. It tells
 * where its words are the cue's text, and, where that was edited, where the words on both sides of
 * the cut stand side by side in it just once.
 * @param cue when both sides are shown
 */
export function spokenCut(
  cue: Pick<ReviewCue, 'start' | 'end'>,
  left: string,
  right: string,
  words: readonly TimedWord[],
): SpokenCut | null {
  const { spoken, all } = spokenAround(cue, words);
  return (
    byWholeText(cue, lettersOf(left), lettersOf(right), spoken, all) ?? byPair(left, right, spoken)
  );
}

/** When the last word of a cue ends, in seconds; null where the transcript does not tell. */
export function speechEnd(
  cue: Pick<ReviewCue, 'start' | 'end'>,
  text: string,
  words: readonly TimedWord[],
): number | null {
  const { spoken, all } = spokenAround(cue, words);
  const letters = lettersOf(text);
  const first = letters === '' ? undefined : nearestRun(cue, letters, spoken, all);
  if (!first) return null;
  const end = first.at + letters.length;
  return spoken.find(({ at, letters }) => at + letters.length === end)?.end ?? null;
}

/** The first word of the run of whole words that have just these letters. */
function nearestRun(
  cue: Pick<ReviewCue, 'start'>,
  letters: string,
  spoken: readonly Spoken[],
  all: string,
): Spoken | undefined {
  const ends = new Set(spoken.map(({ at, letters }) => at + letters.length));
  let nearest: Spoken | undefined;
  for (const word of spoken) {
    if (!all.startsWith(letters, word.at)) continue;
    if (!ends.has(word.at + letters.length)) continue;
    // The same words may be spoken twice.
    const isNearer =
      !nearest || Math.abs(word.start - cue.start) < Math.abs(nearest.start - cue.start);
    if (isNearer) nearest = word;
  }
  return nearest;
}

function byWholeText(
  cue: Pick<ReviewCue, 'start'>,
  left: string,
  right: string,
  spoken: readonly Spoken[],
  all: string,
): SpokenCut | null {
  if (left === '' || right === '') return null;
  const nearest = nearestRun(cue, left + right, spoken, all);
  if (!nearest) return null;
  const cut = nearest.at + left.length;
  const at = spoken.findIndex((word) => cut < word.at + word.letters.length);
  const word = spoken[at];
  if (!word) return null;
  if (cut === word.at) return { end: spoken[at - 1]?.end ?? word.start, start: word.start };
  // Within a word its letters share its time.
  const within = word.start + ((word.end - word.start) * (cut - word.at)) / word.letters.length;
  return { end: within, start: within };
}

function byPair(left: string, right: string, spoken: readonly Spoken[]): SpokenCut | null {
  const before = lettersOf(left.split(/\s+/).at(-1) ?? '');
  const after = lettersOf(right.split(/\s+/)[0] ?? '');
  const found = spoken.flatMap((word, at) => {
    const last = spoken[at - 1];
    return word.letters === after && last?.letters === before
      ? [{ end: last.end, start: word.start }]
      : [];
  });
  return found.length === 1 ? (found[0] ?? null) : null;
}
