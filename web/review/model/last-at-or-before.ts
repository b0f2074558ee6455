/** Binary search in sorted values. */

/**
 * The position of the last of `count` ascending values that is at or below a value; -1 if there is
 * none.
 */
export function lastAtOrBefore(
  count: number,
  valueAt: (index: number) => number,
  value: number,
): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (valueAt(middle) <= value) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
