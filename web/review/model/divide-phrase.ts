/** Replaces a phrase that begins in one cue and ends in the next. */
import type { Place } from './correction-places.ts';

/**
 * The texts of the two cues with the phrase replaced; one text if the second cue has no words left.
 * A replacement with as many words as before is divided as before. Otherwise its words go to the
 * first cue, except those at its end that are already in the second.
 * @param text both cues' texts, joined by `\n`
 * @param place the phrase's position in it
 * @param edge the offset at which the first cue's text ends
 * @param wanted the replacement
 */
export function dividePhrase(
  text: string,
  { from, to }: Pick<Place, 'from' | 'to'>,
  edge: number,
  wanted: string,
): [string] | [string, string] {
  const [before, after] = [text.slice(0, from), text.slice(to)];
  const [top, bottom] = [wordsOf(text.slice(from, edge)), wordsOf(text.slice(edge, to))];
  const words = wordsOf(wanted);
  const atFirst = join(before, after, words, firstCount(top, bottom, words));
  // Do not leave either cue without words.
  const parts =
    atFirst[1] === '' && hasWords(before)
      ? join(before, after, words, 0)
      : atFirst[0] === ''
        ? join(before, after, words, words.length)
        : atFirst;
  return parts[1] === '' ? [parts[0]] : parts;
}

const wordsOf = (text: string): string[] => text.split(/\s+/).filter((word) => word !== '');
const hasWords = (text: string): boolean => /[\p{L}\p{N}]/u.test(text);
const lettersOf = (word: string | undefined): string =>
  (word ?? '').toLowerCase().replace(/[^\p{L}\p{N}\p{M}]+/gu, '');

/** The number of words that go to the first cue. */
function firstCount(
  top: readonly string[],
  bottom: readonly string[],
  words: readonly string[],
): number {
  if (words.length === top.length + bottom.length) return top.length;
  let kept = 0;
  const most = Math.min(bottom.length, words.length);
  while (kept < most && lettersOf(words.at(-1 - kept)) === lettersOf(bottom.at(-1 - kept)))
    kept += 1;
  return words.length - kept;
}

function join(
  before: string,
  after: string,
  words: readonly string[],
  count: number,
): [string, string] {
  const [top, bottom] = [words.slice(0, count).join(' '), words.slice(count).join(' ')];
  // The punctuation around the phrase goes with its words.
  const opening =
    top === '' ? (/(?<![\p{Ps}\p{Pi}"'])[\p{Ps}\p{Pi}"']+$/u.exec(before)?.[0] ?? '') : '';
  const closing = bottom === '' ? (/^[^\s\p{L}\p{N}]+/u.exec(after)?.[0] ?? '') : '';
  return [
    `${before.slice(0, before.length - opening.length)}${top}${closing}`.trimEnd(),
    `${opening}${bottom}${after.slice(closing.length)}`.trimStart(),
  ];
}
