/**
 * Divides tokens into cues with the breaks that people are most likely to make.
 *
 * The division with the lowest cost is not the one that agrees best with people: many similar divisions may share a
 * break that it lacks. So each break is worth its probability over all divisions, minus a threshold, and the division
 * with the highest total wins. That is the expected F-measure, which rewards breaks that people make and penalises
 * others. The costs count slightly too, so that no combination of likely breaks makes a cue that is hard to read.
 *
 * All cues that a talk may be divided into, each with the best lines for its text, and the probability that people
 * begin a cue or a line at each token.
 *
 * The costs were fitted as likelihoods: ten units are a factor of e. So the likelihood of a division follows from its
 * cost, and the probability of a break is the share of the divisions that contain it. The forward pass sums the
 * likelihoods of all divisions up to each token; the backward pass distributes the certain end of the talk among the
 * cues that may lead to it.
 */
import { NEW_SPEAKER, type Breaks } from './breaks.ts';
import { type BuildRules, type Measures, lineColumns } from './build-rules.ts';
import { lineSetter } from './lines.ts';
import { TIMING } from './timing.ts';

/**
 * The cost of two speakers in one cue, besides that of a sentence end inside it; a bonus, since one of them often has
 * too little time alone.
 */
const TWO_SPEAKERS = -10;
/** The units of cost in a factor of e. */
const UNITS = 10;
/** A cue is left out if another way to its end is more likely by a factor of e to this power. */
const UNLIKELY = 12;
/** The initial estimate of the number of possible cues that begin with a token. */
const PER_TOKEN = 10;
/** The growth of that estimate if there are more. */
const GROWTH = 1.5;

/** Possible cues in the order of their first tokens. */
interface PossibleCues {
  /** For each token, the first cue that begins with it; at the end, the number of cues. */
  firsts: Int32Array;
  /**
   * For each cue: its number of tokens, its cost, and where its second and third lines begin. A cue of five tokens whose
   * second line begins with its fourth has the length 5 and the line 3; a line that is not there is 0.
   */
  lengths: Uint16Array;
  costs: Float32Array;
  lines: Uint16Array;
  /** The entries of a cue in `lines`. */
  stride: number;
  /** For each token, the logarithm of the likelihood of all divisions that end before it. */
  before: Float64Array;
}

/**
 * Finds all likely cues, in nearly linear time, since the size of a cue is limited.
 * @param reading the measures for reading, if they differ from those for lines
 */
function possibleCues(
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
  const { cue: cueBreaks, hard } = breaks;
  const { budgets, costs: runCosts } = setter;
  const stride = Math.max(1, maxLines - 1);
  const most = runCosts.length - 1;
  const firsts = new Int32Array(count + 1);
  let size = count * PER_TOKEN + most;
  let lengths = new Uint16Array(size);
  let costs = new Float32Array(size);
  let lines = new Uint16Array(size * stride);
  // For each token, the most likely way to reach it so far, and the sum of all ways relative to that one.
  const likeliest = new Float64Array(count + 1).fill(Number.NEGATIVE_INFINITY);
  const sums = new Float64Array(count + 1);
  const before = new Float64Array(count + 1);
  likeliest[0] = 0;
  sums[0] = 1;
  /**
   * Sets the budgets of cues that begin with a token, by the cost at which a cue is unlikely. A little is added for
   * rounding.
   * @returns the last token before which such a cue may end, by its duration and by mandatory breaks
   */
  const setBudgets = (from: number, first: number): number => {
    const here = before[from]!;
    const start = starts[from]!;
    const last = Math.min(count, from + most);
    for (let to = first; to <= last; to += 1) {
      // Longer speech would continue after its cue has disappeared; only a single token cannot be divided.
      if (spokenUntil[to - 1]! - start > maxDuration && to > from + 1) return to - 1;
      const apart = to < count ? cueBreaks[to]! : 0;
      budgets[to - from] = UNITS * (here - likeliest[to]! + UNLIKELY) + 1e-6 - apart - MIN_COST;
      if (hard[to] !== 0) return to;
    }
    return last;
  };
  /**
   * Keeps the likely cues that begin with a token, and adds them to the ways to their ends.
   * @param turn the token that begins the second speaker's line; 0 if there is one speaker
   * @returns the number of cues so far
   */
  const keep = (from: number, first: number, last: number, kept: number, turn: number): number => {
    const here = before[from]!;
    let at = kept;
    for (let to = first; to <= last; to += 1) {
      const cost = runCosts[to - from]!;
      const best = likeliest[to]!;
      if (cost >= UNITS * (here - best + UNLIKELY) + 1e-6) continue;
      lengths[at] = to - from;
      costs[at] = cost;
      if (turn > 0) lines[at * stride] = turn - from;
      else setter.write(to, lines, at * stride);
      at += 1;
      const way = here - Math.fround(cost) / UNITS;
      if (way > best) {
        sums[to] = sums[to]! * Math.exp(best - way) + 1;
        likeliest[to] = way;
      } else sums[to]! += Math.exp(way - best);
    }
    return at;
  };
  /** Adds the cues of one speaker that begin with a token; returns the number of cues so far. */
  const addCues = (from: number, kept: number): number => {
    const until = setBudgets(from, from + 1);
    const last = setter.set(from, until);
    cueCost.add(from, from + 1, last, runCosts);
    const at = keep(from, from + 1, last, kept, 0);
    // A cue has at most two speakers, and the first one's words fit on one line.
    const turns = last === until && hard[last] === NEW_SPEAKER && room.first(from, last);
    return turns ? addTurns(from, last, at) : at;
  };
  /** The same for two speakers, of whom the second begins with `turn`. */
  const addTurns = (from: number, turn: number, kept: number): number => {
    const until = setBudgets(from, turn + 1);
    let last = turn;
    while (last < until && room.fits(turn, last + 1)) {
      last += 1;
      const cost = room.second(last);
      runCosts[last - from] = cost < budgets[last - from]! ? cost : Number.POSITIVE_INFINITY;
    }
    cueCost.add(from, turn + 1, last, runCosts);
    return keep(from, turn + 1, last, kept, turn);
  };
  let at = 0;
  for (let from = 0; from < count; from += 1) {
    firsts[from] = at;
    before[from] = likeliest[from]! + Math.log(sums[from]!);
    if (at + most > size) {
      size = Math.ceil(size * GROWTH);
      lengths = grown(lengths, new Uint16Array(size));
      costs = grown(costs, new Float32Array(size));
      lines = grown(lines, new Uint16Array(size * stride));
    }
    at = addCues(from, at);
  }
  firsts[count] = at;
  before[count] = likeliest[count]! + Math.log(sums[count]!);
  return { firsts, lengths, costs, lines, stride, before };
}

function grown<T extends Uint16Array | Float32Array>(from: T, to: T): T {
  to.set(from);
  return to;
}

/** The probabilities of a new cue and of a new line before each token. */
interface Chances {
  cue: Float64Array;
  line: Float64Array;
}

/** Computes the probabilities of breaks. */
function chancesOf({ firsts, lengths, costs, lines, stride, before }: PossibleCues): Chances {
  const count = before.length - 1;
  const cue = new Float64Array(count + 1);
  const line = new Float64Array(count + 1);
  cue[count] = 1;
  const share = (from: number) => {
    let sum = 0;
    for (let at = firsts[from]!; at < firsts[from + 1]!; at += 1) {
      const to = from + lengths[at]!;
      const chance = cue[to]! * Math.exp(before[from]! - costs[at]! / UNITS - before[to]!);
      sum += chance;
      for (let entry = at * stride; entry < (at + 1) * stride; entry += 1) {
        if (lines[entry]! > 0) line[from + lines[entry]!]! += chance;
      }
    }
    cue[from] = sum;
  };
  for (let from = count - 1; from >= 0; from -= 1) share(from);
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

// The cost of a cue to its reader, apart from its lines and the break after it. The units are those of breaks.ts, and
// the weights were fitted to the same captions.

const EACH_CUE = 14;
/** The cost of a completely full cue. */
const FULL = 22;
/**
 * The cost of each column a second above the comfortable speed, and above the fast one: fast cues disturb readers most.
 */
const OVER_COMFORTABLE = 7;
const OVER_FAST = 120;
/** A cue of no duration counts as if it lasted this many seconds. */
const MIN_SHOWN = 0.05;
/** The cost of a cue of no duration; a cue shorter than minDuration costs the missing share of it. */
const SHORT = 700;
/** The cost of a cue that disappears while it is said, because it may not last until the next: more than any other. */
const CUT_OFF = 5000;
/** The cost of a cue of one or two words that is not a sentence; half as much if it ends one. */
const ONE_WORD = 40;
const TWO_WORDS = 17;
const SENTENCE_INSIDE = 20;
/**
 * At most this many words of the next sentence at the end of a cue, or of the previous one at its start, cost extra.
 */
const FEW_WORDS = 3;
const TRAILING_START = 17;
const LEADING_END = 17;
/** The bonus for whole short sentences that share a line. */
const WHOLE_IN_ONE_LINE = -10;
/** The cost of an empty cue that does not end a sentence; fuller cues cost less. */
const UNFINISHED = 9;

/** A lower bound of a cue's cost. */
const MIN_COST = EACH_CUE + WHOLE_IN_ONE_LINE;

/** The rules on which the costs depend. */
type CostRules = Omit<BuildRules, 'lengthOf' | 'readsWords' | 'dialogue'>;

/** Computes the costs of cues. */
interface CueCosts {
  /**
   * Adds the costs of the cues from a token up to each end, the token after them, from `first` to `last`, and of the
   * breaks after them.
   * @param costs the costs of their lines, by number of tokens; those of Infinity are left out
   */
  add: (from: number, first: number, last: number, costs: Float64Array) => void;
}

/**
 * Prepares the computation of costs.
 * @param reading the measures for reading, if they differ from those for lines
 */
export function cueCosts(
  { cue: cueBreaks, sentence }: Breaks,
  measures: Measures,
  reading: Measures,
  rules: CostRules,
): CueCosts {
  const { minDuration, maxDuration, maxLineChars, maxLines } = rules;
  const { comfortable, fast, gap, closedGap, touching, lead: longestLead, linger } = rules;
  const { starts, ends: spokenUntil, left, right } = measures;
  const { left: readLeft, right: readRight } = reading;
  const full = maxLineChars * maxLines;
  const count = starts.length;
  // Speeds in other units are scaled to columns a second.
  const scale = TIMING.fastSpeed / fast;
  const add = (from: number, first: number, last: number, costs: Float64Array) => {
    const start = starts[from]!;
    const silence = start - (from > 0 ? spokenUntil[from - 1]! + gap : 0);
    const lead = Math.max(0, Math.min(longestLead, silence));
    const begins = from === 0 || sentence[from - 1] === 1;
    /** The number of sentences that end inside the cue, and the tokens after the first and after the last of them. */
    let inside = 0;
    let firstEnd = from;
    let lastEnd = from;
    let finished = false;
    for (let to = from + 1; to <= last; to += 1) {
      if (finished) {
        inside += 1;
        lastEnd = to - 1;
        if (inside === 1) firstEnd = lastEnd;
      }
      finished = sentence[to - 1] === 1;
      if (to < first || costs[to - from] === Number.POSITIVE_INFINITY) continue;
      const read = readRight[to - 1]! - readLeft[from]!;
      const spoken = spokenUntil[to - 1]! - start;
      // As timing.ts shows it. Comparisons, since Math.min and Math.max take twice the time here.
      let wanted = read / comfortable;
      if (wanted > spoken + linger) wanted = spoken + linger;
      if (wanted < spoken) wanted = spoken;
      if (wanted < minDuration) wanted = minDuration;
      if (wanted > maxDuration) wanted = maxDuration;
      let shown = wanted;
      let cutOff = 0;
      if (to < count) {
        const room = starts[to]! - gap - start + lead;
        if (room < shown) shown = room;
        else if (room - lead > maxDuration && spoken > starts[to]! - closedGap - start)
          cutOff = CUT_OFF;
        // A cue that lacks time gives up the gap after it.
        if (touching && (shown < minDuration || read > shown * fast)) {
          shown = room + gap < wanted ? room + gap : wanted;
        }
        if (shown < MIN_SHOWN) shown = MIN_SHOWN;
      }
      const speed = read / shown;
      const width = right[to - 1]! - left[from]!;
      const filled = width / full;
      let cost = EACH_CUE + FULL * filled * filled + cutOff;
      if (speed > comfortable) cost += OVER_COMFORTABLE * scale * (speed - comfortable);
      if (speed > fast) cost += OVER_FAST * scale * (speed - fast);
      if (shown < minDuration) cost += (SHORT * (minDuration - shown)) / minDuration;
      if (to - from <= 2 && !(begins && finished)) {
        const few = to - from === 1 ? ONE_WORD : TWO_WORDS;
        cost += finished ? few / 2 : few;
      }
      if (!finished && filled < 1) cost += UNFINISHED * (1 - filled) * (1 - filled);
      if (inside > 0) {
        cost += SENTENCE_INSIDE * inside;
        if (!finished && to - lastEnd <= FEW_WORDS) cost += TRAILING_START;
        if (!begins && firstEnd - from <= FEW_WORDS) cost += LEADING_END;
        if (begins && finished && width <= maxLineChars) cost += WHOLE_IN_ONE_LINE;
      }
      costs[to - from]! += (to < count ? cueBreaks[to]! : 0) + cost;
    }
  };
  return { add };
}

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
