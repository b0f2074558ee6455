/** Texts as words with times, for recognitions to combine. */
import type { TranscriptWord } from '../../../server/contract/results.ts';

/** Words a third of a second apart, all with the same confidence. */
export const timedWords = (text: string, confidence = 0.6): TranscriptWord[] =>
  text.split(' ').map((word, at) => ({
    text: word,
    start: at / 3,
    end: at / 3 + 0.3,
    confidence,
  }));

/** The text of words. */
export const textOf = (words: readonly TranscriptWord[]): string =>
  words.map(({ text }) => text).join(' ');
