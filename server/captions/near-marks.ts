/** The cost of a break close to punctuation: people break there instead. The units are those of breaks.ts. */
import type { Reading } from './reading.ts';
import type { Token } from './tokens.ts';

/** The costs by the columns between the break and the punctuation, for less than each number of them. */
const CLOSE = 14;
const NEAR = 20;
const SINCE = { close: { cue: 20, line: 19 }, near: { cue: 17, line: 6 } };
const UNTIL = { close: { cue: 20, line: 19 }, near: { cue: 7, line: 5 } };

interface Costs {
  cue: Float64Array;
  line: Float64Array;
}

/**
 * The costs of a new cue and of a new line before each token, by the columns from the last punctuation to it and from it
 * to the next one. A break at punctuation costs nothing here.
 */
export function nearMarks(tokens: readonly Token[], readings: readonly Reading[]): Costs {
  const count = tokens.length;
  const costs: Costs = { cue: new Float64Array(count + 1), line: new Float64Array(count + 1) };
  const add = (at: number, columns: number, { close, near }: typeof SINCE) => {
    if (columns >= NEAR) return;
    const { cue, line } = columns < CLOSE ? close : near;
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
  for (let at = 1; at < count; at += 1) {
    if (isMarked(at - 1)) first = at;
    else add(at, columnsOf(first, at - 1), SINCE);
  }
  let last = count - 1;
  for (let at = last; at > 0; at -= 1) {
    if (isMarked(at)) last = at;
    if (!isMarked(at - 1)) add(at, columnsOf(at, last), UNTIL);
  }
  return costs;
}
