/** Measures tokens for the inner loops. */
import type { Token } from './tokens.ts';

/** The times and lengths of tokens. */
export interface Measures {
  /** In seconds. */
  starts: Float64Array;
  ends: Float64Array;
  /** The columns at which each token begins and ends, from the start of the talk. */
  left: Float64Array;
  right: Float64Array;
}

/**
 * Measures tokens; see Measures.
 * @param sizeOf the length of a token; by default its columns
 */
export function measure(
  tokens: readonly Token[],
  sizeOf: (token: Token) => number = ({ columns }) => columns,
): Measures {
  const count = tokens.length;
  const [starts, ends, left, right] = [
    new Float64Array(count),
    new Float64Array(count),
    new Float64Array(count),
    new Float64Array(count),
  ];
  let at = 0;
  for (let index = 0; index < count; index += 1) {
    const token = tokens[index]!;
    starts[index] = token.start;
    ends[index] = token.end;
    left[index] = at + (token.spaced ? 1 : 0);
    at = right[index] = left[index]! + sizeOf(token);
  }
  return { starts, ends, left, right };
}

/** Measures tokens in words, for speeds in words; punctuation alone does not count as one. */
export function measureWords(tokens: readonly Token[], { starts, ends }: Measures): Measures {
  const left = new Float64Array(tokens.length);
  const right = new Float64Array(tokens.length);
  let at = 0;
  for (const [index, { text }] of tokens.entries()) {
    left[index] = at;
    if (/[\p{L}\p{N}]/u.test(text)) at += 1;
    right[index] = at;
  }
  return { starts, ends, left, right };
}

/** The columns that the tokens from `from` up to but not including `to` take on one line. */
export const lineColumns = ({ left, right }: Measures, from: number, to: number): number =>
  right[to - 1]! - left[from]!;
