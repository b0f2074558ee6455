/**
 * Divides a window whose text repeats itself, because the speech may really have been spoken twice, or whose text is
 * empty although there is sound.
 */
import { SPEECH_RATE } from '../../mp3/resample.ts';
import { frameEnergies, HOP } from '../model/mel.ts';
import type { WindowResult } from './missed-speech.ts';

/** The shortest window that is divided, in seconds. */
const SHORTEST_HALF = 8;
/** The part of a window, around its middle, in which it may be cut. */
const MIDDLE = 0.4;
/** The stretch whose loudness decides where the cut is, in steps of 10 ms. */
const STRETCH = 20;

/** Whether a window is long enough to be divided. */
export const isDivisibleWindow = (samples: Float32Array, shortest = SHORTEST_HALF): boolean =>
  samples.length >= shortest * SPEECH_RATE;

/**
 * The sample at which to divide a window: the middle of the quietest 200 ms near its middle; null if it is too short.
 * @param samples 16 kHz mono
 * @param shortest the shortest window that is divided, in seconds
 */
export function splitPoint(samples: Float32Array, shortest = SHORTEST_HALF): number | null {
  if (!isDivisibleWindow(samples, shortest)) return null;
  const energies = frameEnergies(samples, HOP);
  const from = Math.floor((samples.length * (1 - MIDDLE)) / 2 / HOP);
  const to = Math.floor((samples.length * (1 + MIDDLE)) / 2 / HOP) - STRETCH;
  let best = from;
  let least = Infinity;
  for (let step = from; step <= to; step += 1) {
    const energy = energies.subarray(step, step + STRETCH).reduce((sum, each) => sum + each, 0);
    if (energy < least) [least, best] = [energy, step];
  }
  return (best + STRETCH / 2) * HOP;
}

/** Two halves as one window; the language is that of the half with more words. */
export function joinSplitWindow(
  first: WindowResult,
  second: WindowResult,
  cut: number,
): WindowResult {
  const later = (words: WindowResult['words']) =>
    words.map((word) => ({
      ...word,
      start: word.start + cut / SPEECH_RATE,
      end: word.end + cut / SPEECH_RATE,
    }));
  const { language, languageProbability, identified } =
    second.words.length > first.words.length ? second : first;
  const both = (kind: 'biased' | 'weighed') =>
    first[kind] || second[kind]
      ? { [kind]: [...(first[kind] ?? first.words), ...later(second[kind] ?? second.words)] }
      : {};
  return {
    words: [...first.words, ...later(second.words)],
    ...both('biased'),
    ...both('weighed'),
    ...(first.biasedFailed || second.biasedFailed ? { biasedFailed: true } : {}),
    dropped: first.dropped + second.dropped,
    language,
    languageProbability,
    ...(identified && { identified }),
  };
}
