/** Search in what is sorted. */

/**
 * The position of the last value at or before one, among so many in ascending order; -1 where all are
 * behind it.
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
