/** Reads the logits of a decoder: one value for each token, which determines the probability that it comes next. */

/** The tokens that a text may not contain. */
export interface Steering {
  /** The token that ends a text. */
  end: number;
  /** The first of the special tokens, which a text never contains. */
  special: number;
  /** Tokens that are never chosen. */
  unspoken: readonly number[];
  /** Tokens with which no text begins, such as a single space. */
  neverFirst: readonly number[];
  /** Returns the additions to the logits of tokens, given the text so far; none by default. */
  boost?: (said: readonly number[]) => ReadonlyMap<number, number>;
}

/**
 * Rules out the tokens that may not come next, and boosts those of key terms. Changes the logits, and returns them.
 * @param said the tokens of the text so far
 */
export function steered(
  logits: Float32Array,
  rules: Steering,
  said: readonly number[],
): Float32Array {
  for (const id of rules.unspoken) logits[id] = -Infinity;
  logits.fill(-Infinity, rules.special);
  if (said.length === 0) for (const id of rules.neverFirst) logits[id] = -Infinity;
  for (const [id, by] of rules.boost?.(said) ?? []) logits[id]! += by;
  return logits;
}

/**
 * A token counts in the sum with its exact power if its logit is less than EXACTLY below the highest, and not at all from
 * COUNTED on. In between, the power is looked up in steps, because computing those of all 50,000 tokens would
 * take most of the time of a search. The steps are wrong by 0.8% at most, upwards as often as downwards, and are only a
 * small part of the sum.
 */
const EXACTLY = 4;
const COUNTED = 30;
const STEPS = 64;
const POWERS = Float64Array.from({ length: COUNTED * STEPS }, (_, step) =>
  Math.exp(-(step + 0.5) / STEPS),
);

/**
 * The natural log probability of a token. The loops count, because iterators would take four times as long over the
 * values of each step.
 */
export function logProbability(logits: Float32Array, token: number): number {
  const top = logits[likeliest(logits)]!;
  let sum = 0;
  for (let at = 0; at < logits.length; at += 1) {
    const below = top - logits[at]!;
    if (below >= COUNTED) continue;
    sum += below < EXACTLY ? Math.exp(-below) : POWERS[(below * STEPS) | 0]!;
  }
  return logits[token]! - top - Math.log(sum);
}

/** The token with the highest logit. */
export function likeliest(logits: Float32Array): number {
  let best = 0;
  for (let at = 1; at < logits.length; at += 1) if (logits[at]! > logits[best]!) best = at;
  return best;
}

/** The probability that nobody speaks; 0 for a model without a token for it. */
export const silence = (logits: Float32Array, token: number | null): number =>
  token === null ? 0 : Math.exp(logProbability(logits, token));
