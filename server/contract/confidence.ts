/** The recogniser's confidence in a transcript: the figures in its metadata, and a sentence for people. */
import type { TranscriptWord } from './results.ts';

/** A word is unsure if its confidence is below this. */
export const UNSURE_BELOW = 0.5;

const LEAST_CONFIDENCE = 0.02;
const MOST_CONFIDENCE = 0.995;

/** The logarithm of the odds of a probability, away from 0 and 1, where it has none. */
export function logit(probability: number): number {
  const within = Math.min(MOST_CONFIDENCE, Math.max(LEAST_CONFIDENCE, probability));
  return Math.log(within / (1 - within));
}

/** The figures in `transcript.metadata`. */
interface ConfidenceFigures {
  /** The mean confidence of the words that have one, 0..1. */
  meanConfidence: number;
  /** The number of words with a confidence below `unsureBelow`. */
  unsureWords: number;
  unsureBelow: number;
}

/**
 * The mean of the confidences that words have, 0..1; null if none has one.
 * @example
 * meanConfidence([{ confidence: 0.9 }, {}, { confidence: 0.5 }]); // => 0.7
 */
export function meanConfidence(
  words: readonly Pick<TranscriptWord, 'confidence'>[],
): number | null {
  const known = words.flatMap(({ confidence }) => confidence ?? []);
  if (known.length === 0) return null;
  return known.reduce((sum, confidence) => sum + confidence, 0) / known.length;
}

/**
 * The figures for the words of a transcript; null if no word has a confidence, because the engine gives none or nothing
 * was spoken. A corrected word counts with the confidence of the word it replaced.
 * @example
 * confidenceFigures([{ confidence: 0.9 }, { confidence: 0.2 }]);
 * // => { meanConfidence: 0.55, unsureWords: 1, unsureBelow: 0.5 }
 */
export function confidenceFigures(
  words: readonly Pick<TranscriptWord, 'confidence'>[],
): ConfidenceFigures | null {
  const mean = meanConfidence(words);
  if (mean === null) return null;
  return {
    meanConfidence: Math.round(mean * 1000) / 1000,
    unsureWords: words.filter(({ confidence = 1 }) => confidence < UNSURE_BELOW).length,
    unsureBelow: UNSURE_BELOW,
  };
}

/**
 * Describes the confidence in a transcript, from its metadata and number of words; empty if it has no words. Mentions an
 * engine that reports no confidences, or is the rough fallback.
 * @example
 * confidenceSummary({ unsureWords: 46, rough: true }, 120);
 * // => '46 of 120 words unsure (rough fallback engine)'
 */
export function confidenceSummary(
  metadata: Readonly<Record<string, unknown>>,
  words: number,
): string {
  if (words === 0) return '';
  const { unsureWords, rough } = metadata;
  const engine = rough === true ? ' (rough fallback engine)' : '';
  const many = `${words.toLocaleString('en')} ${words === 1 ? 'word' : 'words'}`;
  return typeof unsureWords === 'number'
    ? `${unsureWords.toLocaleString('en')} of ${many} unsure${engine}`
    : `${many}, the engine reports no confidence${engine}`;
}

/**
 * The score of the captions' format together with the confidence in their words, since neither alone says how good
 * captions are.
 * @example
 * scoreAndConfidence(1, { unsureWords: 46, rough: true }, 120);
 * // => 'Captions 1.00 · 46 of 120 words unsure (rough fallback engine)'
 */
export function scoreAndConfidence(
  score: number,
  metadata: Readonly<Record<string, unknown>>,
  words: number,
): string {
  const doubt = confidenceSummary(metadata, words);
  return `Captions ${score.toFixed(2)}${doubt === '' ? '' : ` · ${doubt}`}`;
}
