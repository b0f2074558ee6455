/** Converts the sample rate to 16 kHz, block by block. */
import libsamplerate from '@alexanderolsen/libsamplerate-js';

/** The rate of speech recognition in Hz. */
export const SPEECH_RATE = 16_000;

/**
 * Input samples on either side that affect a converted sample (46 zero crossings at 48 kHz: 138).
 */
export const RESAMPLER_REACH = 512;

/** Converts one channel, keeping its state between blocks. */
export interface Resampler {
  /** Takes the next samples, and returns those available so far (valid until the next call). */
  push(samples: Float32Array): Float32Array;
  free(): void;
}

/**
 * Creates a converter from `rate` Hz to 16 kHz. Output sample 0 coincides with input sample 0; the
 * output lags behind, so push zeros at the end to flush it.
 */
export async function createResampler(rate: number): Promise<Resampler> {
  if (rate === SPEECH_RATE) return { push: (samples) => samples, free: () => {} };
  const converter = await libsamplerate.create(1, rate, SPEECH_RATE, {
    converterType: libsamplerate.ConverterType.SRC_SINC_FASTEST,
  });
  let output = new Float32Array(0);
  const written = { frames: 0 };
  return {
    push(samples) {
      if (samples.length === 0) return samples;
      const room = Math.ceil((samples.length * SPEECH_RATE) / rate) + 4 * RESAMPLER_REACH;
      if (output.length < room) output = new Float32Array(room);
      // `full` keeps the filter's state; `simple` would start anew with each block.
      converter.full(samples, output, written);
      return output.subarray(0, written.frames);
    },
    free: () => converter.destroy(),
  };
}
