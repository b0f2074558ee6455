/** Divides a text into words that are spoken one after the other. */
import { hasSpaceless, joinWords } from '../../../server/captions/width.ts';
import type { WrittenWord } from './timed-script.ts';

const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' });

/** The words of a text, in order; joined by the rules of their scripts they give the text again. */
export const writtenWords = (text: string, speaker?: string): WrittenWord[] =>
  text
    .split(/\s+/)
    .filter((word) => word !== '')
    .flatMap((word) => (hasSpaceless(word) ? segmented(word) : [word]))
    .map((word) => (speaker === undefined ? { text: word } : { text: word, speaker }));

/**
 * Divides text without spaces into words with their punctuation; leaves it whole if the words would
 * not join to it.
 */
function segmented(run: string): string[] {
  const words: string[] = [];
  for (const { segment, isWordLike } of segmenter.segment(run)) {
    if (isWordLike || words.length === 0) words.push(segment);
    else words.push(words.pop()! + segment);
  }
  return joinWords(words) === run ? words : [run];
}
