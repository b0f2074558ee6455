/**
 * Finds speech that a recogniser left out: it sometimes skips a short answer or whole sentences, mostly ones that begin
 * alike, and writes the text around them as if nothing had been spoken in between.
 */
import type { Stretch } from '../../contract/unheard.ts';
import { SPEECH_RATE } from '../../mp3/resample.ts';
import type { SpokenWord } from './text.ts';
import { soundWithin } from './sound-levels.ts';

/**
 * The shortest stretch without words that is recognised again, in seconds. Pauses of speakers are shorter or silent.
 */
const SHORTEST = 1.5;
/** The least sound in it, in seconds: a short answer, such as “thank you”. */
const MIN_SOUND = 0.4;
/** The least mean confidence of words that are added, since Whisper invents words in noise and music. */
const MIN_CONFIDENCE = 0.6;

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

/** A language that the sound of a window shows: its ISO 639 tag and its probability. */
export interface IdentifiedLanguage {
  language: string;
  probability: number;
}

/** The result for a window. */
export interface WindowResult {
  words: SpokenWord[];
  /** The ISO 639 tag and its probability (1 if the language was given). */
  language: string;
  languageProbability: number;
  /** The language by the sound, whichever was given; absent if the model cannot tell languages apart. */
  identified?: IdentifiedLanguage;
  /** The number of words dropped as hallucinations. */
  dropped: number;
  /** The words of a second search with key terms; absent if no term sounds like the words. */
  biased?: SpokenWord[];
  /** The words with terms in place of some, where the decoder finds these nearly as probable; absent if there are none. */
  weighed?: SpokenWord[];
  /** Set if the second search or the weighing of terms failed. */
  biasedFailed?: boolean;
}
