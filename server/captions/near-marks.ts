/** The cost of a break close to punctuation: people break there instead. The units are those of breaks.ts. */
import type { Reading } from './reading.ts';
import type { Token } from './tokens.ts';

/** A break is close to punctuation at less than so many columns, and near it at less than so many. */
const CLOSE = 14;
const NEAR = 20;
const CLOSE_COST = { cue: 20, line: 19 };
const NEAR_SINCE = { cue: 17, line: 6 };
const NEAR_UNTIL = { cue: 7, line: 5 };

/**
 * Adds to the costs of a new cue and of a new line before each token, by the columns from the last punctuation to it and
 * from it to the next one. A break at punctuation costs no more.
 */
export function addNearMarks(
  tokens: readonly Token[],
  readings: readonly Reading[],
  costs: { cue: Float64Array; line: Float64Array },
): void {
  const add = (at: number, columns: number, near: typeof CLOSE_COST) => {
    if (columns >= NEAR) return;
    const { cue, line } = columns < CLOSE ? CLOSE_COST : near;
    costs.cue[at]! += cue;
    costs.line[at]! += line;
  };
  // The columns of running text up to each token and with it.
  let width = 0;
  const ends = tokens.map(({ spaced, columns }) => (width += Number(spaced) + columns));
  const isMarked = (at: number): boolean => readings[at]!.mark !== 'none';
  const columnsOf = (from: number, to: number): number =>
    ends[to]! - ends[from]! + tokens[from]!.columns;
  let first = 0;
  for (let at = 1; at < tokens.length; at += 1) {
    if (isMarked(at - 1)) first = at;
    else add(at, columnsOf(first, at - 1), NEAR_SINCE);
  }
  let last = tokens.length - 1;
  for (let at = last; at > 0; at -= 1) {
    if (isMarked(at)) last = at;
    if (!isMarked(at - 1)) add(at, columnsOf(at, last), NEAR_UNTIL);
  }
}
