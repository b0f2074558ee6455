/** What there is to read in a cue, and how fast it may be read. */
import { withoutItalics } from './italics.ts';
import { graphemes, isWideText } from './width.ts';

/** Characters a second that adults read comfortably; wide scripts are read at fewer. */
export const SPEED_LIMIT = 20;
const WIDE_SPEED_LIMIT = 9;

const wordSegmenter = new Intl.Segmenter(undefined, { granularity: 'word' });

/** Characters a second at which a text is comfortable to read: fewer in wide scripts. */
export const comfortableSpeed = (text: string): number =>
  isWideText(text) ? WIDE_SPEED_LIMIT : SPEED_LIMIT;

/** The characters of a cue's lines as a reader counts them; a line break counts as a space. */
export const countCharacters = (lines: readonly string[]): number =>
  charactersOf(withoutItalics(lines).map(graphemes));

/** The same of lines whose lengths are known. */
export const charactersOf = (lineLengths: readonly number[]): number =>
  lineLengths.reduce((sum, length) => sum + length, 0) + Math.max(0, lineLengths.length - 1);

/** Words of a text. */
export function countWords(text: string): number {
  // Where words are parted by spaces, that is how people count them.
  if (!isWideText(text))
    return text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
  let count = 0;
  for (const { isWordLike } of wordSegmenter.segment(text)) if (isWordLike) count += 1;
  return count;
}
