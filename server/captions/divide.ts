/**
 * Divides tokens into cues with a dynamic programme over all possible divisions and their line breaks; the lowest total
 * cost wins.
 */
import { NEW_SPEAKER, type Breaks } from './breaks.ts';
import type { BuildRules } from './build-rules.ts';
import { cueCosts, LEAST_COST } from './cue-costs.ts';
import { lineColumns, lineSetter, type Measures } from './lines.ts';

/**
 * The tokens of one cue, from `from` up to but not including `to`; `starts` are the tokens that begin its second and
 * later lines.
 */
export interface Division {
  from: number;
  to: number;
  starts: number[];
  /** The token that begins the second speaker's line; 0 if there is one speaker. */
  turn: number;
}

/**
 * The cost of two speakers in one cue, besides that of a sentence end inside it; a bonus, since one of them often has
 * too little time alone.
 */
const TWO_SPEAKERS = -10;

/**
 * Divides tokens into cues, in nearly linear time, since the size of a cue is limited.
 * @param reading the measures for reading, if they differ from those for lines
 */
export function divide(
  breaks: Breaks,
  measures: Measures,
  rules: Omit<BuildRules, 'lengthOf' | 'readsWords'>,
  reading: Measures = measures,
): Division[] {
  const { starts, ends } = measures;
  const { maxLines, maxLineChars, maxDuration } = rules;
  const count = starts.length;
  const setter = lineSetter(measures, breaks, maxLines, maxLineChars);
  const costs = cueCosts(breaks, measures, reading, rules);
  const best = new Float64Array(count + 1).fill(Number.POSITIVE_INFINITY);
  const origin = new Int32Array(count + 1);
  const turns = new Int32Array(count + 1);
  const room = turnRoom(breaks, measures, rules);
  best[0] = 0;
  for (let from = 0; from < count; from += 1) {
    setter.begin(from);
    costs.begin(from);
    let turn = 0;
    for (let to = from + 1; to <= count; to += 1) {
      if (turn > 0 && !room.fits(turn, to)) break;
      const before = best[from]! + (to < count ? breaks.cue[to]! : 0);
      // Lines that cost more cannot lead to the best cue before `to`; a little is added for rounding.
      const budget = best[to]! - before - LEAST_COST + 1e-6;
      const lines = turn > 0 ? room.second(to) : setter.grow(to, budget);
      if (turn === 0 && lines === Number.POSITIVE_INFINITY) break;
      const apart = before + lines;
      if (apart + LEAST_COST < best[to]!) {
        const sum = apart + costs.upTo(to);
        if (sum < best[to]!) {
          best[to] = sum;
          origin[to] = from;
          turns[to] = turn;
        }
      }
      if (ends[to]! - starts[from]! > maxDuration) break;
      if (breaks.hard[to] === 0) continue;
      // A cue has at most two speakers, and the first one's words fit on one line.
      if (breaks.hard[to] !== NEW_SPEAKER || turn > 0 || !room.first(from, to)) break;
      turn = to;
    }
  }
  const divisions: Division[] = [];
  for (let to = count; to > 0; to = origin[to]!) {
    const from = origin[to]!;
    const turn = turns[to]!;
    if (turn > 0) {
      divisions.push({ from, to, starts: [turn], turn });
      continue;
    }
    setter.begin(from);
    for (let end = from + 1; end <= to; end += 1) setter.grow(end);
    divisions.push({ from, to, starts: setter.starts(to), turn });
  }
  return divisions.toReversed();
}

/**
 * Decides whether two speakers may share a cue: each must say whole sentences that fit on a line with its dash.
 * `second` is the cost of the second line, Infinity until a sentence ends.
 */
function turnRoom(
  { sentence, hard }: Breaks,
  measures: Measures,
  { maxLines, maxLineChars, dialogue }: Pick<BuildRules, 'maxLines' | 'maxLineChars' | 'dialogue'>,
) {
  const dash = dialogue.dash.length;
  const firstDash = dialogue.lines === 'both' ? dash : 0;
  const begins = (at: number): boolean => at === 0 || sentence[at - 1] === 1 || hard[at] !== 0;
  return {
    first: (from: number, to: number): boolean =>
      maxLines > 1 &&
      begins(from) &&
      sentence[to - 1] === 1 &&
      lineColumns(measures, from, to) + firstDash <= maxLineChars,
    fits: (from: number, to: number): boolean =>
      lineColumns(measures, from, to) + dash <= maxLineChars,
    second: (to: number): number =>
      sentence[to - 1] === 1 ? TWO_SPEAKERS : Number.POSITIVE_INFINITY,
  };
}
