/**
 * Selects the rows of a long list that are near enough to be visible, for rows of different
 * heights.
 */
import { lastAtOrBefore } from '../model/cue.ts';

/** The tops of the rows, in pixels, followed by the total height. */
export function layout(count: number, heightOf: (index: number) => number): Float64Array {
  const tops = new Float64Array(count + 1);
  for (let index = 0; index < count; index += 1) {
    tops[index + 1] = tops[index]! + heightOf(index);
  }
  return tops;
}

/** The row at a height: the last one whose top is at or above it, at least the first. */
export function rowAt(tops: Float64Array, y: number): number {
  const rows = tops.length - 1;
  return Math.max(
    0,
    lastAtOrBefore(rows, (index) => tops[index]!, y),
  );
}

/** The distance beyond the edges at which rows are rendered, in pixels. */
const MARGIN = 400;

/** The rows to render at a scroll position; the end is exclusive. */
export function visibleRows(
  tops: Float64Array,
  scrolled: number,
  height: number,
): [from: number, to: number] {
  if (tops.length < 2) return [0, 0];
  return [rowAt(tops, scrolled - MARGIN), rowAt(tops, scrolled + height + MARGIN) + 1];
}
