/**
 * All cues that a talk may be divided into, each with the best lines for its text, and how likely
 * people are to begin a cue or a line at each token.
 *
 * The costs were fitted as likelihoods: ten units are a factor of e. So the likelihood of a division
 * is known from its cost, and the chance of a break is the share of the divisions that have it. The
 * forward pass sums the likelihoods of all divisions up to each token; the backward pass shares the
 * certain end of the talk out among the cues that may lead to it.
 */
import { NEW_SPEAKER, type Breaks } from './breaks.ts';
import type { BuildRules } from './build-rules.ts';
import { cueCosts, LEAST_COST } from './cue-costs.ts';
import { lineColumns, lineSetter, type Measures } from './lines.ts';

/**
 * The cost of two speakers in one cue, besides that of a sentence end inside it; a bonus, since one of them often has
 * too little time alone.
 */
const TWO_SPEAKERS = -10;
/** The units of cost in a factor of e. */
const UNITS = 10;
/** A cue is left out if another way to its end is likelier by a factor of e to this power. */
const UNLIKELY = 12;
/** The number of possible cues that begin with a token, at first guess. */
const PER_TOKEN = 8;

/** Possible cues in the order of their first tokens. */
export interface PossibleCues {
  /** For each token, the first cue that begins with it; at the end, the number of cues. */
  firsts: Int32Array;
  /** For each cue: the token after its last, its cost, and the tokens that begin its further lines; 0 for none. */
  ends: Int32Array;
  costs: Float32Array;
  lines: Int32Array;
  /** The entries of a cue in `lines`. */
  stride: number;
  /** For each token, the logarithm of the likelihood of all divisions that end before it. */
  before: Float64Array;
}

/**
 * Finds all likely cues, in nearly linear time, since the size of a cue is limited.
 * @param reading the measures for reading, if they differ from those for lines
 */
export function possibleCues(
  breaks: Breaks,
  measures: Measures,
  rules: Omit<BuildRules, 'lengthOf' | 'readsWords'>,
  reading: Measures,
): PossibleCues {
  const { starts, ends: spokenUntil } = measures;
  const { maxLines, maxLineChars, maxDuration } = rules;
  const count = starts.length;
  const setter = lineSetter(measures, breaks, maxLines, maxLineChars);
  const cueCost = cueCosts(breaks, measures, reading, rules);
  const room = turnRoom(breaks, measures, rules);
  const stride = Math.max(1, maxLines - 1);
  const firsts = new Int32Array(count + 1);
  let size = count * PER_TOKEN + 16;
  let ends = new Int32Array(size);
  let costs = new Float32Array(size);
  let lines = new Int32Array(size * stride);
  let at = 0;
  const keep = (to: number, cost: number, turn: number) => {
    if (at === size) {
      size *= 2;
      ends = grown(ends, new Int32Array(size));
      costs = grown(costs, new Float32Array(size));
      lines = grown(lines, new Int32Array(size * stride));
    }
    ends[at] = to;
    costs[at] = cost;
    if (turn > 0) lines[at * stride] = turn;
    else setter.write(to, lines, at * stride);
    at += 1;
  };
  // For each token, the likeliest way to it so far, and the sum of all ways in terms of that one.
  const likeliest = new Float64Array(count + 1).fill(Number.NEGATIVE_INFINITY);
  const sums = new Float64Array(count + 1);
  const before = new Float64Array(count + 1);
  likeliest[0] = 0;
  sums[0] = 1;
  for (let from = 0; from < count; from += 1) {
    firsts[from] = at;
    const here = likeliest[from]! + Math.log(sums[from]!);
    before[from] = here;
    setter.begin(from);
    cueCost.begin(from);
    let turn = 0;
    for (let to = from + 1; to <= count; to += 1) {
      if (turn > 0 && !room.fits(turn, to)) break;
      const apart = to < count ? breaks.cue[to]! : 0;
      // A higher cost makes the cue unlikely. A little is added for rounding.
      const most = UNITS * (here - likeliest[to]! + UNLIKELY) + 1e-6;
      const budget = most - apart - LEAST_COST;
      const lineCost = turn > 0 ? room.second(to) : setter.grow(to, budget);
      if (turn === 0 && lineCost === Number.POSITIVE_INFINITY) break;
      if (lineCost < budget) {
        const cost = apart + lineCost + cueCost.upTo(to);
        if (cost < most) {
          keep(to, cost, turn);
          const way = here - Math.fround(cost) / UNITS;
          if (way > likeliest[to]!) {
            sums[to] = sums[to]! * Math.exp(likeliest[to]! - way) + 1;
            likeliest[to] = way;
          } else sums[to]! += Math.exp(way - likeliest[to]!);
        }
      }
      if (spokenUntil[to - 1]! - starts[from]! > maxDuration) break;
      if (breaks.hard[to] === 0) continue;
      // A cue has at most two speakers, and the first one's words fit on one line.
      if (breaks.hard[to] !== NEW_SPEAKER || turn > 0 || !room.first(from, to)) break;
      turn = to;
    }
  }
  firsts[count] = at;
  before[count] = likeliest[count]! + Math.log(sums[count]!);
  return { firsts, ends, costs, lines, stride, before };
}

function grown<T extends Int32Array | Float32Array>(from: T, to: T): T {
  to.set(from);
  return to;
}

/** The chances of a new cue and of a new line before each token. */
export interface Chances {
  cue: Float64Array;
  line: Float64Array;
}

/** Computes the chances of breaks. */
export function chancesOf({ firsts, ends, costs, lines, stride, before }: PossibleCues): Chances {
  const count = before.length - 1;
  const cue = new Float64Array(count + 1);
  const line = new Float64Array(count + 1);
  cue[count] = 1;
  for (let from = count - 1; from >= 0; from -= 1) {
    let sum = 0;
    for (let at = firsts[from]!; at < firsts[from + 1]!; at += 1) {
      const to = ends[at]!;
      const chance = cue[to]! * Math.exp(before[from]! - costs[at]! / UNITS - before[to]!);
      sum += chance;
      for (let entry = at * stride; entry < (at + 1) * stride; entry += 1) {
        if (lines[entry]! > 0) line[lines[entry]!]! += chance;
      }
    }
    cue[from] = sum;
  }
  return { cue, line };
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
