/**
 * Selects the rows of a long list that are near enough to be visible, for rows of different
 * heights.
 */
import { lastAtOrBefore } from './last-at-or-before.ts';

/** The tops of rows, in pixels, and at the end the height of the whole. */
export function layout(count: number, heightOf: (index: number) => number): Float64Array {
  const tops = new Float64Array(count + 1);
  for (let index = 0; index < count; index += 1) {
    tops[index + 1] = (tops[index] ?? 0) + heightOf(index);
  }
  return tops;
}

/** The row at a height: the last whose top is at or above it; the first one above them all. */
export function rowAt(tops: Float64Array, y: number): number {
  const rows = tops.length - 1;
  return Math.max(
    0,
    lastAtOrBefore(rows, (index) => tops[index] ?? 0, y),
  );
}

/** Rows beyond the edges are there before they are seen. */
const MARGIN = 400;

/** The rows to render for what is scrolled into view: from, up to and not including. */
export function visibleRows(
  tops: Float64Array,
  scrolled: number,
  height: number,
): [from: number, to: number] {
  if (tops.length < 2) return [0, 0];
  return [rowAt(tops, scrolled - MARGIN), rowAt(tops, scrolled + height + MARGIN) + 1];
}
