/** Finds pauses in a window of audio, from its spectrogram. */
import type { Spectrogram } from './mel.ts';

/** The frames of a spectrogram in a second. */
export const FRAMES_PER_SECOND = 100;
/** The threshold of sound, as a fraction of the way from the quiet to the loud level of the window. */
const SOUND = 0.45;
/** The quantiles of all frames that define the quiet and the loud level. */
const QUIET = 0.05;
const LOUD = 0.9;
/** The range between the levels below which pauses cannot be detected (music, noise): 10 dB in the spectrogram's unit. */
const MIN_RANGE = 0.25;
/** The shortest pause, in frames; a shorter quiet stretch is part of a word, such as the closure of a consonant. */
const SHORTEST_PAUSE = 12;
/** The shortest sound that ends a pause, in frames; a shorter one is a click or a breath. */
const SHORTEST_SOUND = 8;

/** A stretch of frames that excludes its end. */
export interface Frames {
  start: number;
  end: number;
}

/**
 * The loudness of the frames with audio: the mean of all bands in dB. Fricatives, which have little energy, are about
 * as loud as vowels by this measure.
 */
export function loudnessOf({ bands, frames, values }: Spectrogram, heard: number): Float32Array {
  const loudness = new Float32Array(Math.min(frames, heard));
  for (let band = 0; band < bands; band += 1) {
    for (let at = 0; at < loudness.length; at += 1) {
      loudness[at]! += values[band * frames + at]! / bands;
    }
  }
  return loudness;
}

/** The pauses, in order; none if they cannot be distinguished from speech. */
export function pausesIn(loudness: Float32Array): Frames[] {
  const sorted = loudness.toSorted();
  const at = (part: number): number => sorted[Math.floor((sorted.length - 1) * part)] ?? 0;
  const range = at(LOUD) - at(QUIET);
  if (range < MIN_RANGE) return [];
  const threshold = at(QUIET) + range * SOUND;
  const pauses: Frames[] = [];
  for (let start = 0; start < loudness.length;) {
    let end = start + 1;
    if (loudness[start]! < threshold) {
      while (end < loudness.length && loudness[end]! < threshold) end += 1;
      if (end - start >= SHORTEST_PAUSE) addPause(pauses, { start, end });
    }
    start = end;
  }
  return pauses;
}

/** Adds a pause, or extends the last one if only a click is between them. */
function addPause(pauses: Frames[], pause: Frames): void {
  const last = pauses.at(-1);
  if (last && pause.start - last.end < SHORTEST_SOUND) last.end = pause.end;
  else pauses.push(pause);
}
