/**
 * Trims words to the audible speech. Word times from attention include a pause in the word before or after it; the
 * loudness shows where the pause is.
 */
import type { SpokenWord } from './text.ts';
import { SPEECH_RATE } from '../../../mp3/resample.ts';
import { frameEnergies } from '../frame-energies.ts';

/** The samples of a step: 10 ms. */
const STEP = 160;
/** The threshold of sound, as a fraction of the way from the quiet to the loud level of the window in dB. */
const SOUND = 0.35;
/** The quantiles of all steps at which the quiet and the loud level are. */
const QUIET = 0.05;
const LOUD = 0.9;
/** The range between the levels, in dB, below which pauses cannot be detected (music, noise). */
const LEAST_RANGE = 10;
/** The shortest pause, in seconds; a shorter quiet stretch is part of a word, such as the closure of a consonant. */
const PAUSE = 0.08;
/** The least sound after a pause that counts as a word, in seconds. */
const LEAST_AFTER = 0.05;
/**
 * The time, in seconds, by which attention reaches a word before its sound begins if no pause precedes it: the median
 * difference from the word times of another recogniser in six languages.
 */
const REACHED_EARLY = 0.09;
/** The largest fraction of its duration that a word loses to that correction. */
const MOST_SHIFT = 0.4;
/** The duration below which a word is not trimmed, in seconds. */
const SHORTEST = 0.06;

/** Moves starts and ends to the edges of pauses. Words keep their order. */
export function trimQuiet(words: readonly SpokenWord[], samples: Float32Array): SpokenWord[] {
  const sound = soundLevels(samples);
  if (!sound) return [...words];
  const pauses = quietStretches(sound.levels, sound.threshold);
  const out: SpokenWord[] = [];
  for (const word of words) {
    let { start, end } = word;
    for (const pause of pauses) {
      // A word that is entirely below the threshold keeps its times.
      const covered = pause.start <= start && pause.end >= end;
      if (pause.end <= start || pause.start >= end || covered) continue;
      // Attention is accurate at the end of a word and early at its start, so the end counts more.
      const after = end - pause.end;
      if (after >= LEAST_AFTER || (after > 0 && pause.start - start <= SHORTEST)) {
        const last = out.at(-1);
        // The sound before the pause belongs to the previous word.
        if (last && start - last.end < PAUSE) last.end = Math.max(last.end, pause.start);
        start = pause.end;
      } else {
        end = pause.start;
        break;
      }
    }
    const last = out.at(-1);
    if (last && start <= last.end) {
      start = last.end + Math.min(REACHED_EARLY, (end - last.end) * MOST_SHIFT);
    }
    out.push({ ...word, start, end: Math.max(end, Math.min(start + SHORTEST, word.end)) });
  }
  return out;
}

/** The loudness of each step, and the threshold from which a step is sound; null if pauses cannot be detected. */
function soundLevels(samples: Float32Array): { levels: Float32Array; threshold: number } | null {
  const levels = levelsOf(samples);
  const sorted = levels.toSorted();
  const at = (part: number): number => sorted[Math.floor((sorted.length - 1) * part)] ?? 0;
  const range = at(LOUD) - at(QUIET);
  return range < LEAST_RANGE ? null : { levels, threshold: at(QUIET) + range * SOUND };
}

/** The seconds of sound in each stretch; all of them are sound if pauses cannot be detected. */
export function soundWithin(
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

/** Stretches of at least PAUSE below the threshold, in seconds. */
function quietStretches(levels: Float32Array, threshold: number): { start: number; end: number }[] {
  const stretches: { start: number; end: number }[] = [];
  let from: number | null = null;
  for (let step = 0; step <= levels.length; step += 1) {
    const quiet = step < levels.length && levels[step]! < threshold;
    if (quiet) from ??= step;
    else if (from !== null) {
      const stretch = { start: (from * STEP) / SPEECH_RATE, end: (step * STEP) / SPEECH_RATE };
      if (stretch.end - stretch.start >= PAUSE) stretches.push(stretch);
      from = null;
    }
  }
  return stretches;
}

/** The loudness of each whole step in dB. */
function levelsOf(samples: Float32Array): Float32Array {
  const whole = frameEnergies(samples, STEP).subarray(0, Math.floor(samples.length / STEP));
  return Float32Array.from(whole, (energy) => 10 * Math.log10(energy / STEP + 1e-10));
}
