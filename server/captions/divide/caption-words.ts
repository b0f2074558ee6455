/** Converts the words of a stored result into words to build captions from. */
import type { CaptionWord } from './fix-word-times.ts';

/**
 * The words of a result's transcript; entries without text or times are left out.
 * @example
 * captionWordsOf([{ text: 'Hello', start: 0, end: 0.4 }, { type: 'spacing' }]);
 * // => [{ text: 'Hello', start: 0, end: 0.4 }]
 */
export const captionWordsOf = (words: readonly Record<string, unknown>[]): CaptionWord[] =>
  words.flatMap(({ text, start, end, speaker }) =>
    typeof text === 'string' && typeof start === 'number' && typeof end === 'number'
      ? [{ text, start, end, ...(typeof speaker === 'string' ? { speaker } : {}) }]
      : [],
  );
