/** The Fourier transform of short frames, which is fast for lengths with small prime factors. */

/** A Fourier transform for one length. */
interface FourierTransform {
  /** The length of a frame. */
  readonly size: number;
  /** Writes the transform of `re + i·im` to `outRe` and `outIm`; all four are as long as a frame. */
  transform(re: Float64Array, im: Float64Array, outRe: Float64Array, outIm: Float64Array): void;
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
export function fourierTransform(size: number): FourierTransform {
  const steps = stepsOf(size);
  const spare = [new Float64Array(size), new Float64Array(size)] as const;

  return {
    size,
    transform(re, im, outRe, outIm) {
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
