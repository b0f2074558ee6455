/** The text that a search finds for a window, the tokens it may contain, and the tests that end a bad search early. */

/** A text is in a loop if it ends in this many tokens that repeat a phrase of at most the second number of tokens. */
const LOOP_TOKENS = 48;
const LOOP_PHRASE = 8;
/** A text that begins with this many tokens of punctuation (“. . . .”, in noise and hum) never contains a word. */
const SILENT_TOKENS = 12;

/** The result of a search. */
export interface FoundText {
  /** The tokens of the text, without special tokens. */
  tokens: number[];
  /** The natural log probability of each token; the last one is that of the end token. */
  logProbabilities: number[];
  /** The attention before each token, starting with those of the prompt: heads × frames values. */
  attention: Float32Array[];
  /** The probability that nobody speaks. */
  noSpeech: number;
}

export interface SearchRules extends Steering {
  /** The special tokens before the text. */
  prompt: readonly number[];
  /** The token for a window in which nobody speaks; null if the model has none. */
  noSpeech: number | null;
  /** The longest text in tokens. */
  most: number;
  /** The bytes of each token of text. */
  bytes: readonly Uint8Array[];
  /** The number of columns of attention that contain audio, and the seconds of each. */
  frames: number;
  frameSeconds: number;
}

/** Whether a byte of UTF-8 belongs to a letter or a digit; all bytes above ASCII count, parts of characters too. */
export const isSpoken = (byte: number): boolean =>
  byte >= 0x80 ||
  (byte >= 0x30 && byte <= 0x39) ||
  ((byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7a);

/** Whether a text began with so much punctuation that no word will come. */
const saysNothing = (tokens: readonly number[], { bytes }: SearchRules): boolean =>
  tokens.length === SILENT_TOKENS && !tokens.some((id) => bytes[id]?.some(isSpoken));

/** Whether the tokens end in a loop, from which greedy search does not return. */
export function loops(tokens: readonly number[]): boolean {
  if (tokens.length < LOOP_TOKENS) return false;
  for (let phrase = 1; phrase <= LOOP_PHRASE; phrase += 1) {
    let same = 0;
    while (same < LOOP_TOKENS - phrase && tokens.at(-1 - same) === tokens.at(-1 - same - phrase))
      same += 1;
    if (same === LOOP_TOKENS - phrase) return true;
  }
  return false;
}

/** Whether a text is so bad that no further token can make it good. */
export const isEndless = (tokens: readonly number[], rules: SearchRules): boolean =>
  loops(tokens) || saysNothing(tokens, rules);

// Reads the logits of a decoder: one value for each token, which determines the probability that it comes next.

/** The tokens that a text may not contain. */
interface Steering {
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
 * The differences from the highest logit below which a token counts in the sum with its exact power, and from which on
 * it does not count. In between, the power is looked up in steps, because computing those of all 50,000 tokens would
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
