/** Measures whether audio is silent, and how much of a stretch of it is sound. */
import { SPEECH_RATE } from '../../mp3/resample.ts';
import { frameEnergies } from '../model/mel.ts';

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

/** The loudness of each whole step in dB. */
function levelsOf(samples: Float32Array): Float32Array {
  const whole = frameEnergies(samples, STEP).subarray(0, Math.floor(samples.length / STEP));
  return Float32Array.from(whole, (energy) => 10 * Math.log10(energy / STEP + 1e-10));
}
