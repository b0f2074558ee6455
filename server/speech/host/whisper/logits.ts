/** Reads the logits of a decoder: one value for each token, from which its probability to come next follows. */

/** The tokens that a text may not contain. */
export interface Steering {
  /** The token that ends a text; all tokens above it are special. */
  end: number;
  /** Tokens that are never chosen. */
  unspoken: readonly number[];
  /** The token of a single space, with which no text begins. */
  space: number;
  /** What is added to the logits of tokens, given the text so far; nothing by default. */
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
  logits.fill(-Infinity, rules.end + 1);
  if (said.length === 0) logits[rules.space] = logits[rules.end] = -Infinity;
  for (const [id, by] of rules.boost?.(said) ?? []) logits[id]! += by;
  return logits;
}

/** The natural log probability of a token. */
export function logProbability(logits: Float32Array, token: number): number {
  let top = -Infinity;
  for (const logit of logits) if (logit > top) top = logit;
  let sum = 0;
  for (const logit of logits) sum += Math.exp(logit - top);
  return logits[token]! - top - Math.log(sum);
}
