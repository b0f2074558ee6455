/** Determines when the text around a cut is spoken. */
import type { TranscriptWord } from '../../../server/contract/results.ts';
import { type ReviewCue, withoutTags } from './cue.ts';

/** A word of the transcript, with its times in seconds. */
export type TimedWord = Pick<TranscriptWord, 'text' | 'start' | 'end'>;

/** The speech on both sides of a cut, in seconds. */
interface SpokenCut {
  /** The end of the last word before the cut. */
  readonly end: number;
  /** The start of the first word after the cut; the same as `end` if the cut is within a word. */
  readonly start: number;
}

/** How far the speech of a cue may lie outside its time, in seconds. */
const MARGIN = 1;

/** The letters and digits of a text in lower case, for comparing it with speech. */
export const lettersOf = (text: string): string =>
  withoutTags(text)
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}]+/gu, '');

/** A word with its position in the letters of all speech around a cue. */
interface Spoken {
  readonly start: number;
  readonly end: number;
  readonly letters: string;
  readonly at: number;
}

/** The words spoken around a time, and all their letters. */
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
 * The times at which the words on both sides of a cut are spoken; null if the transcript does not
 * say. It does if its words are the cue's text or, where that was edited, if the two words at the
 * cut are next to each other in it exactly once.
 * @param cue the time during which both sides are shown
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

/** The end of the last word of a cue, in seconds; null if the transcript does not say. */
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

/** The first word of the run of whole words with exactly these letters. */
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
    // The same words may occur twice; the nearest count.
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
  if (cut === word.at) return { end: spoken[at - 1]!.end, start: word.start };
  // The letters of a word share its time equally.
  const within = word.start + ((word.end - word.start) * (cut - word.at)) / word.letters.length;
  return { end: within, start: within };
}

function byPair(left: string, right: string, spoken: readonly Spoken[]): SpokenCut | null {
  const before = lettersOf(left.split(/\s+/).at(-1)!);
  const after = lettersOf(right.split(/\s+/)[0]!);
  const found = spoken.flatMap((word, at) => {
    const last = spoken[at - 1];
    return word.letters === after && last?.letters === before
      ? [{ end: last.end, start: word.start }]
      : [];
  });
  return found.length === 1 ? found[0]! : null;
}
