/**
 * Computes the log-mel spectrogram that Whisper takes as input: windows of 25 ms every 10 ms, 80 or 128 bands.
 * The numbers are those of openai-whisper's audio.py; the bands are Slaney's, as in librosa.
 */
import { SPEECH_RATE } from '../../mp3/resample.ts';

const FRAME = 400;
/** The samples between two frames: 10 ms. */
export const HOP = 160;
const BINS = FRAME / 2 + 1;
const FLOOR = 1e-10;
/** Values this far below the loudest one (in powers of ten) count as silence. */
const RANGE = 8;

/** Slaney's scale is linear to 1,000 Hz and logarithmic above. */
const LINEAR_HZ = 200 / 3;
const BREAK_HZ = 1000;
const BREAK_MEL = BREAK_HZ / LINEAR_HZ;
const LOG_STEP = Math.log(6.4) / 27;

const melOf = (hz: number): number =>
  hz < BREAK_HZ ? hz / LINEAR_HZ : BREAK_MEL + Math.log(hz / BREAK_HZ) / LOG_STEP;
const hzOf = (mel: number): number =>
  mel < BREAK_MEL ? mel * LINEAR_HZ : BREAK_HZ * Math.exp(LOG_STEP * (mel - BREAK_MEL));

/** The weights of a band, starting at the bin `first`. */
interface Band {
  first: number;
  weights: Float64Array;
}

/** Triangles, each of area 1, evenly spaced on the mel scale from 0 to 8,000 Hz. */
function melBands(count: number): Band[] {
  const top = melOf(SPEECH_RATE / 2);
  const edges = Array.from({ length: count + 2 }, (_, at) => hzOf((top * at) / (count + 1)));
  return Array.from({ length: count }, (_, at): Band => {
    const [low = 0, middle = 0, high = 0] = edges.slice(at, at + 3);
    const weights: number[] = [];
    let first = 0;
    for (let bin = 0; bin < BINS; bin += 1) {
      const hz = (bin * SPEECH_RATE) / FRAME;
      const weight = Math.min((hz - low) / (middle - low), (high - hz) / (high - middle));
      if (weight <= 0) continue;
      if (weights.length === 0) first = bin;
      weights.push((weight * 2) / (high - low));
    }
    return { first, weights: Float64Array.from(weights) };
  });
}

/** A spectrogram: `bands` rows of `frames` values. */
export interface Spectrogram {
  bands: number;
  frames: number;
  values: Float32Array;
}

/** Computes a spectrogram of so many frames. */
export type MakeSpectrogram = (samples: Float32Array, frames: number) => Spectrogram;

/** Creates the function that computes spectrograms with 80 bands, or 128 for Whisper large-v3 and turbo. */
export function spectrograms(bands: number): MakeSpectrogram {
  const filters = melBands(bands);
  const { transform } = fourierTransform(FRAME);
  const hann = Float64Array.from(
    { length: FRAME },
    (_, at) => 0.5 - 0.5 * Math.cos((2 * Math.PI * at) / FRAME),
  );
  const a = new Float64Array(FRAME);
  const b = new Float64Array(FRAME);
  const re = new Float64Array(FRAME);
  const im = new Float64Array(FRAME);
  const power = [new Float64Array(BINS), new Float64Array(BINS)] as const;

  /** Computes `frames` frames of 10 ms. The samples are followed by silence. */
  return (samples, frames) => {
    const values = new Float32Array(bands * frames);
    let loudest = Math.log10(FLOOR);
    // Frames are centred. The audio is mirrored at its start and followed by silence.
    const sample = (at: number): number => samples[at < 0 ? -at : at] ?? 0;
    const fill = (frame: Float64Array, number: number) => {
      const from = number * HOP - FRAME / 2;
      for (let at = 0; at < FRAME; at += 1) frame[at] = sample(from + at) * hann[at]!;
    };
    // Frames that begin after the last sample are silent.
    const heard = Math.min(frames, Math.ceil((samples.length + FRAME / 2) / HOP));
    values.fill(loudest);
    for (let frame = 0; frame < heard; frame += 2) {
      // One complex transform computes two real frames, whose spectra are its symmetric and skew-symmetric parts.
      fill(a, frame);
      fill(b, frame + 1);
      transform(a, b, re, im);
      for (let bin = 0; bin < BINS; bin += 1) {
        const mirror = (FRAME - bin) % FRAME;
        const sumRe = re[bin]! + re[mirror]!;
        const differenceIm = im[bin]! - im[mirror]!;
        const sumIm = im[bin]! + im[mirror]!;
        const differenceRe = re[mirror]! - re[bin]!;
        power[0][bin] = (sumRe * sumRe + differenceIm * differenceIm) / 4;
        power[1][bin] = (sumIm * sumIm + differenceRe * differenceRe) / 4;
      }
      for (const [offset, spectrum] of power.entries()) {
        if (frame + offset >= frames) break;
        for (const [band, { first, weights }] of filters.entries()) {
          let sum = 0;
          for (let at = 0; at < weights.length; at += 1)
            sum += weights[at]! * spectrum[first + at]!;
          const level = Math.log10(Math.max(sum, FLOOR));
          loudest = Math.max(loudest, level);
          values[band * frames + frame + offset] = level;
        }
      }
    }
    for (let at = 0; at < values.length; at += 1) {
      values[at] = (Math.max(values[at]!, loudest - RANGE) + 4) / 4;
    }
    return { bands, frames, values };
  };
}

/**
 * The energy of each frame of so many samples: the sum of their squares. The last frame may be shorter.
 * @param frame in samples
 */
export function frameEnergies(samples: Float32Array, frame: number): Float64Array {
  const energies = new Float64Array(Math.ceil(samples.length / frame));
  for (let at = 0; at < energies.length; at += 1) {
    const end = Math.min(samples.length, (at + 1) * frame);
    let sum = 0;
    for (let place = at * frame; place < end; place += 1) sum += samples[place]! ** 2;
    energies[at] = sum;
  }
  return energies;
}

/**
 * A step of the transform, for one prime factor: it divides each of `stride` interleaved transforms of `radix × parts`
 * values into `radix` transforms of `parts` values.
 */
interface Step {
  radix: number;
  stride: number;
  parts: number;
  /** For each part, the factors of its `radix` values in each of the `radix` results. */
  cos: Float64Array;
  sin: Float64Array;
}

/**
 * Prepares transforms of one length (Cooley and Tukey, mixed radix, in Stockham's order).
 * @example
 * const { transform } = fourierTransform(400);
 */
function fourierTransform(size: number) {
  const steps = stepsOf(size);
  const spare = [new Float64Array(size), new Float64Array(size)] as const;

  return {
    /** The length of a frame. */
    size,
    /** Writes the transform of `re + i·im` to `outRe` and `outIm`; all four are as long as a frame. */
    transform(re: Float64Array, im: Float64Array, outRe: Float64Array, outIm: Float64Array): void {
      let [fromRe, fromIm] = [re, im];
      for (const [at, step] of steps.entries()) {
        // The steps alternate between the result and the spare room, so that the last one writes the result.
        const [toRe, toIm] = (steps.length - at) % 2 === 1 ? [outRe, outIm] : spare;
        take(step, fromRe, fromIm, toRe, toIm);
        [fromRe, fromIm] = [toRe, toIm];
      }
      if (steps.length === 0) [outRe[0], outIm[0]] = [re[0]!, im[0]!];
    },
  };
}

function take(
  { radix, stride, parts, cos, sin }: Step,
  re: Float64Array,
  im: Float64Array,
  outRe: Float64Array,
  outIm: Float64Array,
): void {
  const apart = stride * parts;
  let factor = 0;
  for (let part = 0; part < parts; part += 1) {
    for (let result = 0; result < radix; result += 1) {
      const to = stride * (radix * part + result);
      for (let value = 0; value < radix; value += 1) {
        const c = cos[factor]!;
        const s = sin[factor]!;
        factor += 1;
        const from = stride * part + apart * value;
        if (value === 0) {
          for (let at = 0; at < stride; at += 1) {
            outRe[to + at] = re[from + at]! * c - im[from + at]! * s;
            outIm[to + at] = re[from + at]! * s + im[from + at]! * c;
          }
        } else {
          for (let at = 0; at < stride; at += 1) {
            outRe[to + at]! += re[from + at]! * c - im[from + at]! * s;
            outIm[to + at]! += re[from + at]! * s + im[from + at]! * c;
          }
        }
      }
    }
  }
}

function stepsOf(size: number): Step[] {
  const steps: Step[] = [];
  let stride = 1;
  for (const radix of factorsOf(size)) {
    const parts = size / stride / radix;
    const turns = Float64Array.from({ length: parts * radix * radix }, (_, at) => {
      const value = at % radix;
      const result = Math.floor(at / radix) % radix;
      const part = Math.floor(at / radix / radix);
      const turn = (value * result * (size / radix) + part * result * stride) % size;
      return (-2 * Math.PI * turn) / size;
    });
    steps.push({ radix, stride, parts, cos: turns.map(Math.cos), sin: turns.map(Math.sin) });
    stride *= radix;
  }
  return steps;
}

function factorsOf(size: number): number[] {
  const factors: number[] = [];
  let rest = size;
  for (const prime of [4, 2, 3, 5]) {
    while (rest % prime === 0) {
      factors.push(prime);
      rest /= prime;
    }
  }
  if (rest !== 1) factors.push(rest);
  return factors;
}
