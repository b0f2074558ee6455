/** Counts the text of a cue, and the speed at which it can be read. */
import { withoutItalics } from '../italics.ts';
import { graphemes, isWideText } from '../width.ts';

/**
 * The fastest reading speed that gets no warning, in characters a second; it is lower in wide scripts. The times of
 * captions aim at a slower one, TARGET_SPEED.
 */
export const SPEED_LIMIT = 20;
const WIDE_SPEED_LIMIT = 9;

const wordSegmenter = new Intl.Segmenter(undefined, { granularity: 'word' });

/**
 * The fastest reading speed of a text that gets no warning, in characters a second; it is lower in wide scripts.
 * @example
 * speedLimitOf('Hello'); // => 20
 */
export const speedLimitOf = (text: string): number =>
  isWideText(text) ? WIDE_SPEED_LIMIT : SPEED_LIMIT;

/**
 * The number of characters in a cue's lines, as a reader counts them. A line break counts as a space.
 * @example
 * countCharacters(['Hello', 'there']); // => 11
 */
export const countCharacters = (lines: readonly string[]): number =>
  charactersOf(withoutItalics(lines).map(graphemes));

/**
 * The same number for lines of known lengths.
 * @example
 * charactersOf([5, 5]); // => 11
 */
export const charactersOf = (lineLengths: readonly number[]): number =>
  lineLengths.reduce((sum, length) => sum + length, 0) + Math.max(0, lineLengths.length - 1);

/**
 * The number of words in a text.
 * @example
 * countWords('Two words.'); // => 2
 */
export function countWords(text: string): number {
  // In languages that separate words with spaces, count as people do.
  if (!isWideText(text))
    return text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
  let count = 0;
  for (const { isWordLike } of wordSegmenter.segment(text)) if (isWordLike) count += 1;
  return count;
}
