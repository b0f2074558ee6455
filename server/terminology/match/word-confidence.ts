/** The recogniser's confidence in the words of a span. */
import { meanConfidence } from '../../contract/confidence.ts';
import type { TranscriptWord } from '../../contract/transcript.ts';
import { tokenizeWord } from './normalize.ts';
import { isFunctionWord } from './ordinary-words.ts';

/**
 * The mean confidence below which a recogniser is unsure of nearly everything, so that a low confidence says nothing.
 */
const MIN_MEAN = 0.7;

/**
 * Whether low confidence in single words is meaningful: only if the recogniser is confident of most words of the
 * transcript, unlike rough engines.
 * @example
 * isConfidenceInformative([{ text: 'all', start: 0, end: 0.2, confidence: 0.6 }]); // => false
 */
export const isConfidenceInformative = (words: readonly TranscriptWord[]): boolean =>
  (meanConfidence(words) ?? 0) >= MIN_MEAN;

/**
 * The least confidence among the words of a span, 0..1; function words count only if there are no others, because their
 * confidence is often low and means little. It is 1 if the recogniser gives none.
 * @example
 * const words = [
 *   { text: 'a', start: 0, end: 0.1, confidence: 0.2 },
 *   { text: 'jag', start: 0.1, end: 0.4, confidence: 0.6 },
 * ];
 * leastConfidence(words, 0, 1); // => 0.6
 */
export function leastConfidence(
  words: readonly TranscriptWord[],
  firstWord: number,
  lastWord: number,
): number {
  const span = words.slice(firstWord, lastWord + 1);
  const names = span.filter(({ text }) => !tokenizeWord(text).every(isFunctionWord));
  return Math.min(1, ...(names.length > 0 ? names : span).flatMap((word) => word.confidence ?? []));
}
