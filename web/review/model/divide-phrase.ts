/** Words in place of a phrase that begins in one cue and ends in the next. */
import type { Place } from './correction-places.ts';

/**
 * The texts of the two cues with other words in place of the phrase; one text where the second cue
 * has no words left. As many words as before are divided as before. Otherwise they go to the first
 * cue, but for those at the end that stand in the second already.
 * @param text of both cues, with `\n` between them
 * @param place of the phrase in it
 * @param edge where the text of the first cue ends
 * @param wanted the other words
 */
export function dividePhrase(
  text: string,
  { from, to }: Pick<Place, 'from' | 'to'>,
  edge: number,
  wanted: string,
): [string] | [string, string] {
  const [before, after] = [text.slice(0, from), text.slice(to)];
  const [top, bottom] = [wordsOf(text.slice(from, edge)), wordsOf(text.slice(edge + 1, to))];
  const words = wordsOf(wanted);
  const atFirst = join(before, after, words, firstCount(top, bottom, words));
  // Neither cue is left without words for the sake of the other.
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

/** How many of the words go to the first cue. */
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
  // The marks around the phrase go where its words go.
  const opening =
    top === '' ? (/(?<![\p{Ps}\p{Pi}"'])[\p{Ps}\p{Pi}"']+$/u.exec(before)?.[0] ?? '') : '';
  const closing = bottom === '' ? (/^[^\s\p{L}\p{N}]+/u.exec(after)?.[0] ?? '') : '';
  return [
    `${before.slice(0, before.length - opening.length)}${top}${closing}`.trimEnd(),
    `${opening}${bottom}${after.slice(closing.length)}`.trimStart(),
  ];
}
