/** The cost of a break close to punctuation: people break there instead. The units are those of breaks.ts. */
import type { Reading } from './reading.ts';
import type { Token } from './tokens.ts';

/** The distances, in columns, below which a break is close to punctuation, and below which it is near it. */
const CLOSE = 14;
const NEAR = 20;
const CLOSE_COST = { cue: 20, line: 19 };
const NEAR_SINCE = { cue: 17, line: 6 };
const NEAR_UNTIL = { cue: 7, line: 5 };

/**
 * Adds to the costs of a new cue and of a new line before each token, by the columns from the last punctuation to it and
 * from it to the next one. A break at punctuation costs no more.
 */
export function addPunctuationCosts(
  tokens: readonly Token[],
  readings: readonly Reading[],
  costs: { cue: Float64Array; line: Float64Array },
): void {
  const count = tokens.length;
  const add = (at: number, columns: number, near: typeof CLOSE_COST) => {
    if (columns >= NEAR) return;
    const { cue, line } = columns < CLOSE ? CLOSE_COST : near;
    costs.cue[at]! += cue;
    costs.line[at]! += line;
  };
  // The columns of running text since the last punctuation.
  let width = 0;
  for (let at = 1; at < count; at += 1) {
    const { spaced, columns } = tokens[at - 1]!;
    width += width > 0 && spaced ? columns + 1 : columns;
    if (readings[at - 1]!.mark === 'none') add(at, width, NEAR_SINCE);
    else width = 0;
  }
  // The columns up to the next punctuation.
  width = 0;
  for (let at = count - 1; at > 0; at -= 1) {
    const { columns } = tokens[at]!;
    if (readings[at]!.mark !== 'none') width = 0;
    width += width > 0 && tokens[at + 1]!.spaced ? columns + 1 : columns;
    if (readings[at - 1]!.mark === 'none') add(at, width, NEAR_UNTIL);
  }
}
