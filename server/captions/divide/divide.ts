/**
 * Divides tokens into cues with the breaks that people are most likely to make.
 *
 * The division with the lowest cost is not the one that agrees best with people: many similar divisions may share a
 * break that it lacks. So each break is worth its probability over all divisions, minus a threshold, and the division
 * with the highest total wins. That is the expected F-measure, which rewards breaks that people make and penalises
 * others. The costs count slightly too, so that no combination of likely breaks makes a cue that is hard to read.
 */
import { NEW_SPEAKER, type Breaks } from './breaks.ts';
import type { BuildRules, Measures } from './build-rules.ts';
import { chancesOf, possibleCues, type PossibleCues } from './possible-cues.ts';

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

/** A break is worth the probability that people make one there, by a new cue or a new line, minus this one. */
const BREAK_CHANCE = 0.42;
/**
 * It is also worth the probability that people choose the same kind of break, minus this one, multiplied by the weight.
 */
const KIND_CHANCE = 0.25;
const CUE_WEIGHT = 0.4;
const LINE_WEIGHT = 1.5;
/** The worth that one unit of cost subtracts. */
const COST_WEIGHT = 0.015;

/**
 * Divides tokens into cues, in nearly linear time.
 * @param reading the measures for reading, if they differ from those for lines
 */
export function divide(
  breaks: Breaks,
  measures: Measures,
  rules: Omit<BuildRules, 'lengthOf' | 'readsWords'>,
  reading: Measures = measures,
): Division[] {
  const cues = possibleCues(breaks, measures, rules, reading);
  const { firsts, lengths, costs, lines, stride } = cues;
  const count = firsts.length - 1;
  const worth = worthOf(cues);
  const best = new Float64Array(count + 1).fill(Number.NEGATIVE_INFINITY);
  const origin = new Int32Array(count + 1);
  const chosen = new Int32Array(count + 1);
  best[0] = 0;
  const choose = (from: number) => {
    for (let at = firsts[from]!; at < firsts[from + 1]!; at += 1) {
      const to = from + lengths[at]!;
      let sum = best[from]! + worth.cue[to]! - COST_WEIGHT * costs[at]!;
      for (let entry = at * stride; entry < (at + 1) * stride; entry += 1) {
        if (lines[entry]! > 0) sum += worth.line[from + lines[entry]!]!;
      }
      if (sum <= best[to]!) continue;
      best[to] = sum;
      origin[to] = from;
      chosen[to] = at;
    }
  };
  for (let from = 0; from < count; from += 1) choose(from);
  const divisions: Division[] = [];
  for (let to = count; to > 0; to = origin[to]!) {
    const from = origin[to]!;
    const starts: number[] = [];
    for (let entry = chosen[to]! * stride; entry < (chosen[to]! + 1) * stride; entry += 1) {
      if (lines[entry]! > 0) starts.push(from + lines[entry]!);
    }
    const [second = 0] = starts;
    const turn = breaks.hard[second] === NEW_SPEAKER ? second : 0;
    divisions.push({ from, to, starts, turn });
  }
  return divisions.toReversed();
}

/** The worth of a new cue and of a new line before each token. */
function worthOf(cues: PossibleCues): { cue: Float64Array; line: Float64Array } {
  const { cue, line } = chancesOf(cues);
  for (let at = 0; at < cue.length; at += 1) {
    const [asCue, asLine] = [cue[at]!, line[at]!];
    const any = asCue + asLine - BREAK_CHANCE;
    cue[at] = any + CUE_WEIGHT * (asCue - KIND_CHANCE);
    line[at] = any + LINE_WEIGHT * (asLine - KIND_CHANCE);
  }
  return { cue, line };
}
