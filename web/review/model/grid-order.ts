/** The order of captions in the grid. */

/** What the grid knows of a caption, by position. */
export interface GridFigures {
  readonly start: readonly number[];
  readonly length: readonly number[];
  readonly speed: readonly number[];
  readonly warnings: readonly number[];
  readonly doubts: readonly number[];
}

/** A column by which the grid is sorted; `start` is the order of the talk. */
export type GridOrder = keyof GridFigures;

/**
 * The positions of captions: by time, or those with the most of something first, and the earlier of two alike.
 * @example
 * gridOrder({ start: [0, 1], length: [1, 2], speed: [9, 20], warnings: [0, 0], doubts: [0, 0] }, 'speed'); // => [1, 0]
 */
export function gridOrder(figures: GridFigures, order: GridOrder): number[] {
  const positions = figures.start.map((_, at) => at);
  if (order === 'start') return positions;
  const by = figures[order];
  return positions.sort((one, other) => by[other]! - by[one]! || one - other);
}
