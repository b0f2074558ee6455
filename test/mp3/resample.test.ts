/** The resampler against theoretical samples. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { createResampler, RESAMPLER_REACH, SPEECH_RATE } from '../../server/mp3/resample.ts';

/** All sample rates of MP3 except 16 kHz. */
const RATES = [48_000, 44_100, 32_000, 24_000, 22_050, 12_000, 11_025, 8000];

const wave = (rate: number, hertz: number, seconds: number): Float32Array =>
  new Float32Array(rate * seconds).map((_, at) => Math.cos((2 * Math.PI * hertz * at) / rate));

/** Pushes samples in blocks of these sizes, repeated, and then silence. */
function resampled(rate: number, samples: Float32Array, sizes: readonly number[]): Float32Array {
  const resampler = createResampler(rate);
  const out: number[] = [];
  for (let at = 0, turn = 0; at < samples.length; turn += 1) {
    const size = sizes[turn % sizes.length] ?? 1;
    out.push(...resampler.push(samples.subarray(at, at + size)));
    at += size;
  }
  out.push(...resampler.push(new Float32Array(1024)));
  return Float32Array.from(out);
}

describe.each(RATES)('from %i Hz', (rate) => {
  const highest = Math.min(rate, SPEECH_RATE) * 0.45;
  test('audible sound keeps its time and level', () => {
    for (const hertz of [0, 100, 1000, highest * 0.99]) {
      const out = resampled(rate, wave(rate, hertz, 1), [rate]);
      const right = wave(SPEECH_RATE, hertz, 1);
      // The edges are next to the silence around the samples.
      const errors = right.slice(200, -200).map((value, at) => Math.abs(value - out[at + 200]!));
      expect(Math.max(...errors)).toBeLessThan(0.001);
    }
  });
  test('the division into blocks changes nothing', () => {
    const samples = wave(rate, 440, 1).slice(0, 5000);
    const whole = resampled(rate, samples, [samples.length]);
    const sizes = fc.array(fc.integer({ min: 1, max: 700 }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(sizes, (cut) => {
        expect(resampled(rate, samples, cut)).toEqual(whole);
      }),
      { numRuns: 10 },
    );
  });
});

test.each([48_000, 44_100, 32_000, 24_000])(
  'from %i Hz, frequencies above the limit of 16 kHz are removed',
  (rate) => {
    for (const hertz of [9000, 10_000, 11_900]) {
      const out = resampled(rate, wave(rate, hertz, 1), [rate]).slice(200, 15_800);
      expect(Math.max(...out.map(Math.abs))).toBeLessThan(0.001);
    }
  },
);

test.each([
  [48_000, 68],
  [44_100, 60],
  [8000, 24],
])('from %i Hz, a sample affects only what is at most %i samples away', (rate, reach) => {
  const samples = new Float32Array(3 * rate);
  samples[rate] = 1;
  const out = resampled(rate, samples, [rate]);
  const affected = [...out.keys()].filter((at) => out[at] !== 0);
  const farthest = Math.max(...affected.map((at) => Math.abs((at * rate) / SPEECH_RATE - rate)));
  expect(farthest).toBeLessThanOrEqual(reach);
  expect(farthest).toBeGreaterThan(reach - 4);
  expect(reach).toBeLessThan(RESAMPLER_REACH);
});
