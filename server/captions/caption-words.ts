/** Words of a stored result → words that captions are built of. */
import type { CaptionWord } from './repair.ts';

/** The words of a result's transcript; what is no word of speech is left out. */
export const captionWordsOf = (words: readonly Record<string, unknown>[]): CaptionWord[] =>
  words.flatMap(({ text, start, end, speaker }) =>
    typeof text === 'string' && typeof start === 'number' && typeof end === 'number'
      ? [{ text, start, end, ...(typeof speaker === 'string' ? { speaker } : {}) }]
      : [],
  );
