/** The spectrogram, compared with its definition in openai-whisper's audio.py, written out plainly. */
import { expect, test } from 'bun:test';
import { HOP, spectrograms } from '../../../../server/whisper/model/mel.ts';

const WINDOW = 400;

/** Slaney's scale: linear up to 1,000 Hz, where it is 15, and then 27 steps for each factor of 6.4. */
const hertz = (mel: number): number =>
  mel < 15 ? (mel * 200) / 3 : 1000 * 6.4 ** ((mel - 15) / 27);
const TOP_MEL = 15 + (27 * Math.log(8)) / Math.log(6.4);

/** The power of a frame at each multiple of 40 Hz, by the sum that defines the transform. */
function powers(samples: Float32Array, frame: number): number[] {
  const windowed = Array.from({ length: WINDOW }, (_, at) => {
    const place = frame * 160 - 200 + at;
    return (samples[Math.abs(place)] ?? 0) * Math.sin((Math.PI * at) / WINDOW) ** 2;
  });
  return Array.from({ length: 201 }, (_, bin) => {
    let [re, im] = [0, 0];
    for (const [at, value] of windowed.entries()) {
      const turn = (2 * Math.PI * ((bin * at) % WINDOW)) / WINDOW;
      re += value * Math.cos(turn);
      im += value * Math.sin(turn);
    }
    return re ** 2 + im ** 2;
  });
}

/** The power in a band: a triangle of the height 2 / width between the middles of its neighbours. */
function inBand(power: readonly number[], band: number, bands: number): number {
  const [low, middle, high] = [0, 1, 2].map((step) =>
    hertz((TOP_MEL * (band + step)) / (bands + 1)),
  ) as [number, number, number];
  return power.reduce((sum, own, bin) => {
    const hz = bin * 40;
    const height = hz <= middle ? (hz - low) / (middle - low) : (high - hz) / (high - middle);
    return sum + (own * Math.max(0, height) * 2) / (high - low);
  }, 0);
}

function expected(samples: Float32Array, bands: number, frames: number): number[] {
  const levels = Array.from({ length: frames }, (_, frame) => powers(samples, frame)).map((power) =>
    Array.from({ length: bands }, (_, band) =>
      Math.log10(Math.max(1e-10, inBand(power, band, bands))),
    ),
  );
  const loudest = Math.max(...levels.flat());
  return Array.from({ length: bands * frames }, (_, at) => {
    const level = levels[at % frames]![Math.floor(at / frames)]!;
    return (Math.max(level, loudest - 8) + 4) / 4;
  });
}

/** A sound that differs everywhere and begins loud, so that its mirrored beginning is heard. */
const sound = (length: number, loudness: number): Float32Array =>
  Float32Array.from({ length }, (_, at) => loudness * Math.cos(at * at * 0.003 + 1));

test.each([
  { bands: 80, frames: 7, length: 1000, loudness: 0.8 },
  // An odd number of frames, the last of which the sound does not fill.
  { bands: 80, frames: 5, length: 5 * HOP, loudness: 0.001 },
  { bands: 128, frames: 4, length: 2000, loudness: 0.5 },
  // The sound is longer than the frames.
  { bands: 80, frames: 2, length: 3000, loudness: 1 },
  { bands: 80, frames: 3, length: 250, loudness: 1 },
])('$bands bands in $frames frames of $length samples', ({ bands, frames, length, loudness }) => {
  const samples = sound(length, loudness);
  const made = spectrograms(bands)(samples, frames);
  expect([made.bands, made.frames, made.values.length]).toEqual([bands, frames, bands * frames]);
  const wanted = expected(samples, bands, frames);
  for (const [at, value] of made.values.entries()) expect(value).toBeCloseTo(wanted[at]!, 4);
});

test('one function computes several windows, none of which changes the others', () => {
  const compute = spectrograms(80);
  const first = compute(sound(800, 1), 5);
  const before = [...first.values];
  compute(sound(1600, 0.1), 10);
  expect([...first.values]).toEqual(before);
  expect([...compute(sound(800, 1), 5).values]).toEqual(before);
});
