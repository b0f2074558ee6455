/** Interval estimates of a share of words from passages that were drawn, whose errors may come in bursts. */

/** What was counted in a passage. */
export interface CountedPassage {
  /** The passages of the talk that it stands for. */
  readonly weight: number;
  /** The part of the sample whose passages are compared with each other. */
  readonly stratum: number;
  readonly errors: number;
  /** The words that were said. */
  readonly words: number;
}

/** A share of words in error, with its interval. */
export interface ErrorEstimate {
  readonly rate: number;
  readonly low: number;
  readonly high: number;
  /** By how much the variance is larger than that of as many words drawn one by one. */
  readonly designEffect: number;
}

/**
 * What is assumed of the design effect before any error is seen, and how many passages with errors that assumption
 * weighs as much as. Measured by `npm run bench -- evidence`, see docs/benchmarks.md.
 */
const ASSUMED = { designEffect: 2, weight: 4 };

/**
 * Estimates the errors per word of a talk. The variance is that of a ratio over passages (Taylor), so that errors that
 * come together count as what they are; its design effect turns the words into an effective number, for which the limits
 * are those of a binomial share (Korn and Graubard, 1998, for rare events in samples of clusters; here Jeffreys').
 * @param judged the share of the talk that was drawn; with all of it the interval is the figure itself
 * @param alpha the share of samples whose interval may miss the true rate
 */
export function estimateErrors(
  passages: readonly CountedPassage[],
  judged: number,
  alpha: number,
): ErrorEstimate {
  const total = sum(passages, ({ weight, words }) => weight * words);
  const words = sum(passages, (passage) => passage.words);
  if (total === 0) return { rate: 0, low: 0, high: 1, designEffect: 1 };
  const ratio = sum(passages, ({ weight, errors }) => weight * errors) / total;
  const rate = Math.min(1, ratio);
  if (judged >= 1) return { rate, low: rate, high: rate, designEffect: 0 };
  const designEffect = designEffectOf(passages, ratio, total, words);
  const freedom = Math.max(1, passages.length - new Set(passages.map((p) => p.stratum)).size);
  const effective =
    ((words / designEffect) *
      (normalQuantile(1 - alpha / 2) / tQuantile(1 - alpha / 2, freedom)) ** 2) /
    (1 - judged);
  return { rate, ...binomialLimits(rate * effective, effective, alpha), designEffect };
}

/** The design effect as the passages show it, drawn towards what is assumed while few of them have errors. */
function designEffectOf(
  passages: readonly CountedPassage[],
  ratio: number,
  total: number,
  words: number,
): number {
  const residuals = new Map<number, number[]>();
  for (const { weight, stratum, errors, words: said } of passages) {
    const list = residuals.get(stratum) ?? [];
    list.push((weight * (errors - ratio * said)) / total);
    residuals.set(stratum, list);
  }
  let variance = 0;
  for (const list of residuals.values()) {
    if (list.length < 2) continue;
    const mean = sum(list, (value) => value) / list.length;
    const squares = sum(list, (value) => (value - mean) ** 2);
    variance += (squares * list.length) / (list.length - 1);
  }
  const binomial = (Math.min(1, ratio) * Math.max(0, 1 - ratio)) / words;
  const seen = passages.filter(({ errors }) => errors > 0).length;
  const shown = binomial > 0 ? variance / binomial : ASSUMED.designEffect;
  const { designEffect, weight } = ASSUMED;
  return Math.max(1, (seen * shown + weight * designEffect) / (seen + weight));
}

/** Jeffreys' limits; neither number has to be whole. */
export function binomialLimits(
  errors: number,
  words: number,
  alpha: number,
): { low: number; high: number } {
  return {
    low: errors <= 0 ? 0 : betaQuantile(alpha / 2, errors + 0.5, words - errors + 0.5),
    high: errors >= words ? 1 : betaQuantile(1 - alpha / 2, errors + 0.5, words - errors + 0.5),
  };
}

const sum = <T>(list: readonly T[], of: (one: T) => number): number =>
  list.reduce((all, one) => all + of(one), 0);

/** The place where a rising function reaches a value, between two bounds. */
function placeOf(rising: (at: number) => number, value: number, low: number, high: number): number {
  let [from, to] = [low, high];
  for (let step = 0; step < 80; step += 1) {
    const middle = (from + to) / 2;
    if (rising(middle) < value) from = middle;
    else to = middle;
  }
  return (from + to) / 2;
}

const betaQuantile = (share: number, a: number, b: number): number =>
  placeOf((at) => betaShare(at, a, b), share, 0, 1);

/** The quantile of Student's t above the median. */
const tQuantile = (share: number, freedom: number): number =>
  placeOf((t) => 1 - betaShare(freedom / (freedom + t * t), freedom / 2, 0.5) / 2, share, 0, 1e4);

/** The quantile of the normal distribution above the median. */
const normalQuantile = (share: number): number => tQuantile(share, 1e7);

/** The regularised incomplete beta function, by its continued fraction (Lentz). */
function betaShare(x: number, a: number, b: number): number {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  if (x > (a + 1) / (a + b + 2)) return 1 - betaShare(1 - x, b, a);
  const front = Math.exp(
    logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x),
  );
  const away = (value: number): number => (Math.abs(value) < 1e-300 ? 1e-300 : value);
  let c = 1;
  let d = 1 / away(1 - ((a + b) * x) / (a + 1));
  let fraction = d;
  for (let m = 1; m <= 10_000; m += 1) {
    const before = fraction;
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    for (const part of [even, odd]) {
      d = 1 / away(1 + part * d);
      c = away(1 + part / c);
      fraction *= c * d;
    }
    if (Math.abs(fraction / before - 1) < 1e-12) break;
  }
  return (front * fraction) / a;
}

/** The logarithm of the gamma function, by Stirling's series. */
function logGamma(x: number): number {
  let [at, shift] = [x, 0];
  while (at < 10) shift -= Math.log(at++);
  const square = at * at;
  const series =
    1 / 12 - 1 / (360 * square) + 1 / (1260 * square * square) - 1 / (1680 * square ** 3);
  return shift + (at - 0.5) * Math.log(at) - at + Math.log(2 * Math.PI) / 2 + series / at;
}
