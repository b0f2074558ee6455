/** The longest non-decreasing part of a list. */

/**
 * The positions of the longest subsequence of values that never falls, by patience sorting, so that a single wrong
 * value is skipped. NaN is never part of it.
 * @example
 * longestRising([1, 9, 2, 3]); // => [0, 2, 3]
 */
export function longestRising(values: readonly number[]): number[] {
  /** For each length: the position that ends the subsequence of that length with the lowest value. */
  const ends: number[] = [];
  const previous = new Int32Array(values.length).fill(-1);
  for (const [at, value] of values.entries()) {
    if (Number.isNaN(value)) continue;
    let low = ends.length;
    if (low > 0 && values[ends[low - 1]!]! > value) {
      let high = low - 1;
      low = 0;
      while (low < high) {
        const middle = (low + high) >> 1;
        if (values[ends[middle]!]! > value) high = middle;
        else low = middle + 1;
      }
    }
    if (low > 0) previous[at] = ends[low - 1]!;
    ends[low] = at;
  }
  const kept: number[] = [];
  for (let at = ends.at(-1) ?? -1; at >= 0; at = previous[at]!) kept.push(at);
  return kept.toReversed();
}
