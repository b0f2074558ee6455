/** The Fourier transform of short frames, which is fast for lengths with small prime factors. */

/** A Fourier transform for one length. */
export interface FourierTransform {
  /** The length of a frame. */
  readonly size: number;
  /** Writes the transform of `re + i·im` to `outRe` and `outIm`; all four are as long as a frame. */
  transform(re: Float64Array, im: Float64Array, outRe: Float64Array, outIm: Float64Array): void;
}

/**
 * Prepares transforms of one length (Cooley and Tukey, mixed radix).
 * @example
 * const { transform } = fourierTransform(400);
 */
export function fourierTransform(size: number): FourierTransform {
  const factors = factorsOf(size);
  const cos = Float64Array.from({ length: size }, (_, at) => Math.cos((2 * Math.PI * at) / size));
  const sin = Float64Array.from({ length: size }, (_, at) => -Math.sin((2 * Math.PI * at) / size));
  const largest = Math.max(1, ...factors);
  const partRe = new Float64Array(largest);
  const partIm = new Float64Array(largest);

  return {
    size,
    transform(re, im, outRe, outIm) {
      /** The transform of the `length` values at `from`, `from + stride`, … to `to`, `to + 1`, … */
      const part = (from: number, stride: number, to: number, length: number, depth: number) => {
        const radix = factors[depth];
        if (radix === undefined) {
          outRe[to] = re[from]!;
          outIm[to] = im[from]!;
          return;
        }
        const rest = length / radix;
        for (let at = 0; at < radix; at += 1) {
          part(from + at * stride, stride * radix, to + at * rest, rest, depth + 1);
        }
        for (let k = 0; k < rest; k += 1) {
          for (let at = 0; at < radix; at += 1) {
            const turn = (at * k * stride) % size;
            const x = outRe[to + at * rest + k]!;
            const y = outIm[to + at * rest + k]!;
            partRe[at] = x * cos[turn]! - y * sin[turn]!;
            partIm[at] = x * sin[turn]! + y * cos[turn]!;
          }
          for (let q = 0; q < radix; q += 1) {
            let sumRe = partRe[0]!;
            let sumIm = partIm[0]!;
            for (let at = 1; at < radix; at += 1) {
              const turn = (at * q * (size / radix)) % size;
              sumRe += partRe[at]! * cos[turn]! - partIm[at]! * sin[turn]!;
              sumIm += partRe[at]! * sin[turn]! + partIm[at]! * cos[turn]!;
            }
            outRe[to + q * rest + k] = sumRe;
            outIm[to + q * rest + k] = sumIm;
          }
        }
      };
      part(0, 1, 0, size, 0);
    },
  };
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
