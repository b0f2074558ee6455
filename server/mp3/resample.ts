/** Converts the sample rate to 16 kHz, block by block, with a polyphase filter. */
import { filterCode } from './filter-code.ts';

/** The sample rate of speech recognition in Hz. */
export const SPEECH_RATE = 16_000;

/** An upper bound of the input samples on either side that affect a converted sample (at 48 kHz: 68). */
export const RESAMPLER_REACH = 512;

/** The band that passes unchanged, as a fraction of half the lower rate: up to 7.2 kHz at 16 kHz. */
const PASSED = 0.9;
/**
 * The attenuation in dB above the transition band, which extends as far above half the lower rate as it begins below
 * it.
 */
const ATTENUATION = 70;
/** The shape of a Kaiser window and the length of a filter, by Kaiser's formulas (1974). */
const WINDOW_SHAPE = 0.1102 * (ATTENUATION - 8.7);
const LENGTH_FACTOR = (ATTENUATION - 8) / (2.285 * 2 * Math.PI);
/** The number of coefficients that the loop takes at a time. */
const STEP = 8;
const BYTES = 4;
const PAGE = 65_536;

/** Converts one channel, keeping its state between blocks. */
interface Resampler {
  /** Takes the next samples and returns those available so far, which are valid until the next call. */
  push(samples: Float32Array): Float32Array;
}

/**
 * Creates a converter from `rate` Hz to 16 kHz. Output sample 0 coincides with input sample 0. The output lags behind,
 * so push zeros at the end to flush it.
 */
export function createResampler(rate: number): Resampler {
  if (rate === SPEECH_RATE) return { push: (samples) => samples };
  const divisor = greatestCommonDivisor(rate, SPEECH_RATE);
  const [phases, advance] = [SPEECH_RATE / divisor, rate / divisor];
  const { coefficients, length } = filterBank(rate, phases);
  const memory = new WebAssembly.Memory({
    initial: Math.ceil((coefficients.length * BYTES) / PAGE),
  });
  new Float32Array(memory.buffer, 0, coefficients.length).set(coefficients);
  const filter = filterCode(memory);
  const inputAt = coefficients.length * BYTES;
  const [whole, part] = [Math.floor(advance / phases), advance % phases];

  // The first output sample is at the first input sample, so half a filter of silence precedes the input.
  let held = new Float32Array(length / 2 - 1);
  let phase = 0;
  return {
    push(samples) {
      const available = held.length + samples.length;
      // Output n needs `length` samples, the first of which is (phase + n × advance) / phases.
      const last = available - length;
      const count = last < 0 ? 0 : Math.floor((last * phases + phases - 1 - phase) / advance) + 1;
      const outputAt = inputAt + available * BYTES;
      const needed = outputAt + count * BYTES - memory.buffer.byteLength;
      if (needed > 0) memory.grow(Math.ceil(needed / PAGE));
      const input = new Float32Array(memory.buffer, inputAt, available);
      input.set(held);
      input.set(samples, held.length);
      filter(inputAt, outputAt, count, phase, phases, whole * BYTES, part, length * BYTES);
      const moved = phase + count * advance;
      held = input.slice(Math.min(available, Math.floor(moved / phases)));
      phase = moved % phases;
      return new Float32Array(memory.buffer, outputAt, count);
    },
  };
}

/** The greatest common divisor of two numbers. */
export const greatestCommonDivisor = (a: number, b: number): number =>
  b === 0 ? a : greatestCommonDivisor(b, a % b);

/**
 * Low-pass filters (a sinc in a Kaiser window), one after the other, for each position that an output sample may have
 * between two input samples.
 */
function filterBank(rate: number, phases: number): { coefficients: Float32Array; length: number } {
  const lower = Math.min(rate, SPEECH_RATE) / rate;
  const transition = lower * (1 - PASSED);
  const length = Math.ceil(LENGTH_FACTOR / transition / STEP) * STEP;
  const coefficients = new Float32Array(phases * length);
  const half = length / 2;
  for (let phase = 0; phase < phases; phase += 1) {
    let sum = 0;
    for (let at = 0; at < length; at += 1) {
      const distance = at - (half - 1) - phase / phases;
      const inside = Math.sqrt(Math.max(0, 1 - (distance / half) ** 2));
      const value = sinc(distance * lower) * bessel(WINDOW_SHAPE * inside);
      coefficients[phase * length + at] = value;
      sum += value;
    }
    // Scaled so that a constant signal keeps its level.
    for (let at = 0; at < length; at += 1) coefficients[phase * length + at]! /= sum;
  }
  return { coefficients, length };
}

const sinc = (x: number): number => (x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x));

/** The modified Bessel function of the first kind and order zero. */
function bessel(x: number): number {
  let [sum, term] = [1, 1];
  for (let k = 1; term > sum * 1e-12; k += 1) {
    term *= (x / (2 * k)) ** 2;
    sum += term;
  }
  return sum;
}
