/**
 * Finds speech that a recogniser left out: it sometimes skips a short answer or whole sentences, mostly ones that begin
 * alike, and writes the text around them as if nothing had been spoken in between.
 */
import { SPEECH_RATE } from '../../mp3/resample.ts';
import { frameEnergies, HOP } from '../model/mel.ts';
import type { SpokenWord } from './text.ts';

/**
 * The shortest stretch without words that is recognised again, in seconds. Pauses of speakers are shorter or silent.
 */
const SHORTEST = 1.5;
/** The least sound in it, in seconds: a short answer, such as “thank you”. */
const MIN_SOUND = 0.4;
/** The least mean confidence of words that are added, since Whisper invents words in noise and music. */
const MIN_CONFIDENCE = 0.6;

/** A stretch in seconds from the first sample. */
interface Stretch {
  start: number;
  end: number;
}

/**
 * The stretches with sound but without words. There are none in a window without any word, because nobody speaks in it.
 * @param samples the window, 16 kHz mono
 */
export function missedSpeech(words: readonly SpokenWord[], samples: Float32Array): Stretch[] {
  if (words.length === 0) return [];
  const edges = [
    0,
    ...words.flatMap(({ start, end }) => [start, end]),
    samples.length / SPEECH_RATE,
  ];
  const gaps: Stretch[] = [];
  for (let at = 0; at < edges.length; at += 2) {
    const gap = { start: edges[at]!, end: edges[at + 1]! };
    if (gap.end - gap.start >= SHORTEST) gaps.push(gap);
  }
  if (gaps.length === 0) return [];
  const sound = soundWithin(samples, gaps);
  return gaps.filter((_, at) => sound[at]! >= MIN_SOUND);
}

/** Recognises the stretches that a window left out, and adds their words to it. */
export async function withMissed(
  window: WindowResult,
  samples: Float32Array,
  hear: (part: Float32Array) => Promise<WindowResult>,
): Promise<WindowResult> {
  for (const stretch of missedSpeech(window.words, samples)) {
    const part = samples.subarray(stretch.start * SPEECH_RATE, stretch.end * SPEECH_RATE);
    addMissed(window, await hear(part), stretch);
  }
  return window;
}

/** Adds the words of a stretch that was recognised again to a window. */
export function addMissed(window: WindowResult, missed: WindowResult, stretch: Stretch): void {
  for (const kind of ['biased', 'weighed'] as const) {
    if (!window[kind] && !missed[kind]) continue;
    const words = inWindow(missed[kind] ?? missed.words, stretch);
    window[kind] = withWords(window[kind] ?? window.words, words);
  }
  window.words = withWords(window.words, inWindow(missed.words, stretch));
}

/** The words of a stretch with the times of its window; none if their confidence is low. */
function inWindow(words: readonly SpokenWord[], { start }: Stretch): SpokenWord[] {
  const sure = words.reduce((sum, { confidence }) => sum + confidence, 0) / words.length;
  if (!(sure >= MIN_CONFIDENCE)) return [];
  return words.map((word) => ({ ...word, start: word.start + start, end: word.end + start }));
}

/** Adds words where a list has none. */
function withWords(words: SpokenWord[], missed: readonly SpokenWord[]): SpokenWord[] {
  const first = missed[0];
  const last = missed.at(-1);
  if (!first || !last) return words;
  if (words.some(({ start, end }) => start < last.end && end > first.start)) return words;
  const before = words.filter(({ end }) => end <= first.start);
  return [...before, ...missed, ...words.slice(before.length)];
}

// Measures whether audio is silent, and how much of a stretch of it is sound.

/** The samples of a step: 10 ms. */
const STEP = 160;
/** The level of the loudest step below which audio is silent (-60 dB). */
const AUDIBLE = 0.001;
/** The threshold of sound, as a fraction of the way from the quiet to the loud level of the window in dB. */
const SOUND = 0.35;
/** The quantiles of all steps that define the quiet and the loud level. */
const QUIET = 0.05;
const LOUD = 0.9;
/** The range between the levels, in dB, below which quiet cannot be distinguished from sound (music, noise). */
const MIN_RANGE = 10;

/** Whether no step of the audio is louder than silence. */
export const isSilent = (samples: Float32Array): boolean =>
  frameEnergies(samples, STEP).every((energy) => Math.sqrt(energy / STEP) < AUDIBLE);

/**
 * The loudness of each step, and the least loudness of sound; null if quiet and sound cannot be
 * distinguished.
 */
function soundLevels(samples: Float32Array): { levels: Float32Array; threshold: number } | null {
  const levels = levelsOf(samples);
  const sorted = levels.toSorted();
  const at = (part: number): number => sorted[Math.floor((sorted.length - 1) * part)] ?? 0;
  const range = at(LOUD) - at(QUIET);
  return range < MIN_RANGE ? null : { levels, threshold: at(QUIET) + range * SOUND };
}

/** The seconds of sound in each stretch; its whole length if quiet and sound cannot be distinguished. */
function soundWithin(
  samples: Float32Array,
  stretches: readonly { start: number; end: number }[],
): number[] {
  const sound = soundLevels(samples);
  const each = STEP / SPEECH_RATE;
  return stretches.map(({ start, end }) => {
    if (!sound) return end - start;
    const levels = sound.levels.subarray(Math.round(start / each), Math.round(end / each));
    return levels.filter((level) => level >= sound.threshold).length * each;
  });
}

/** The loudness of each whole step in dB. */
function levelsOf(samples: Float32Array): Float32Array {
  const whole = frameEnergies(samples, STEP).subarray(0, Math.floor(samples.length / STEP));
  return Float32Array.from(whole, (energy) => 10 * Math.log10(energy / STEP + 1e-10));
}

// Divides a window whose text repeats itself, because the speech may really have been spoken twice, or whose text is
// empty although there is sound.

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
  const { language, languageProbability } =
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
  };
}

// The result of recognising a window with Whisper.

/** The result for a window. */
export interface WindowResult {
  words: SpokenWord[];
  /** The ISO 639 tag and its probability (1 if the language was given). */
  language: string;
  languageProbability: number;
  /** The number of words dropped as hallucinations. */
  dropped: number;
  /** The words of a second search with key terms; absent if no term sounds like the words. */
  biased?: SpokenWord[];
  /** The words with terms in place of some, where the decoder finds these nearly as probable; absent if there are none. */
  weighed?: SpokenWord[];
  /** Set if the second search or the weighing of terms failed. */
  biasedFailed?: boolean;
}
