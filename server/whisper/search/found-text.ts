/** A text that a search found, by what rules, and whether it goes on without end. */
import type { Steering } from './token-logits.ts';

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
