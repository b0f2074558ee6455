/** The Fourier transform and the mel spectrogram, against their definitions and known tones. */
import { describe, expect, test } from 'bun:test';
import { fourierTransform } from '../../../../server/whisper/model/fourier.ts';
import { HOP, spectrograms } from '../../../../server/whisper/model/mel.ts';
import fc from 'fast-check';

const RATE = 16_000;

test.each([1, 2, 3, 4, 5, 7, 12, 20, 25, 49, 60, 100])(
  'the transform of %i values is the sum that defines it',
  (size) => {
    fc.assert(
      fc.property(fc.infiniteStream(fc.double({ min: -1, max: 1, noNaN: true })), (numbers) => {
        const next = () => Number(numbers.next().value);
        const re = Float64Array.from({ length: size }, next);
        const im = Float64Array.from({ length: size }, next);
        const outRe = new Float64Array(size);
        const outIm = new Float64Array(size);
        fourierTransform(size).transform(re, im, outRe, outIm);
        for (let k = 0; k < size; k += 1) {
          let sumRe = 0;
          let sumIm = 0;
          for (let n = 0; n < size; n += 1) {
            const turn = (-2 * Math.PI * k * n) / size;
            sumRe += re[n]! * Math.cos(turn) - im[n]! * Math.sin(turn);
            sumIm += re[n]! * Math.sin(turn) + im[n]! * Math.cos(turn);
          }
          expect(outRe[k]).toBeCloseTo(sumRe, 9);
          expect(outIm[k]).toBeCloseTo(sumIm, 9);
        }
      }),
      { numRuns: 3 },
    );
  },
);

test('the transform of a single value is that value', () => {
  const [re, im] = [new Float64Array(1), new Float64Array(1)];
  fourierTransform(1).transform(Float64Array.of(0.5), Float64Array.of(0.25), re, im);
  expect([re[0], im[0]]).toEqual([0.5, 0.25]);
});

const tone = (hz: number, seconds: number): Float32Array =>
  Float32Array.from({ length: RATE * seconds }, (_, at) =>
    Math.sin((2 * Math.PI * hz * at) / RATE),
  );

/** The band with the highest value in a frame. */
function loudestBand(samples: Float32Array, bands: number, frame: number): number {
  const { values, frames } = spectrograms(bands)(samples, 100);
  const column = Array.from({ length: bands }, (_, band) => values[band * frames + frame]!);
  return column.indexOf(Math.max(...column));
}

describe('the mel spectrogram', () => {
  // The centres of Slaney's bands: 0 to 8,000 Hz is 0 to 45.245 mel, in 81 or 129 steps.
  test.each([
    [200, 80, 4],
    [1000, 80, 26],
    [4000, 80, 61],
    [1000, 128, 42],
  ])('%i Hz is loudest in its band of %i', (hz, bands, band) => {
    expect(Math.abs(loudestBand(tone(hz, 1), bands, 50) - band)).toBeLessThanOrEqual(1);
  });

  test('odd and even frames agree, and silence follows the last sample', () => {
    const { values, frames } = spectrograms(80)(tone(1000, 0.5), 100);
    const at = (band: number, frame: number): number => values[band * frames + frame]!;
    for (let band = 0; band < 80; band += 1) expect(at(band, 20)).toBeCloseTo(at(band, 21), 3);
    const end = (0.5 * RATE) / HOP;
    const top = Math.max(...values);
    for (let band = 0; band < 80; band += 1) {
      expect(at(band, end + 3)).toBeCloseTo(top - 2, 5);
    }
  });

  test('silence is uniform', () => {
    const { values } = spectrograms(80)(new Float32Array(RATE), 100);
    expect(new Set(values)).toEqual(new Set([-1.5]));
  });
});
