/** Finds the cheapest way to break a run of tokens into a limited number of lines. */
import type { Breaks } from './breaks.ts';
import type { Token } from './tokens.ts';

/** A bonus for a second line: people add one rather than begin another cue. */
const NEW_LINE = -1;
const IMBALANCE = 68;

/** The times and lengths of tokens, in arrays for the inner loops. */
export interface Measures {
  /** In seconds. */
  starts: Float64Array;
  ends: Float64Array;
  /** The columns at which each token begins and ends, from the start of the talk. */
  left: Float64Array;
  right: Float64Array;
}

/**
 * Measures tokens; see Measures.
 * @param sizeOf the length of a token; by default its columns
 */
export function measure(
  tokens: readonly Token[],
  sizeOf: (token: Token) => number = ({ columns }) => columns,
): Measures {
  const count = tokens.length;
  const [starts, ends, left, right] = [
    new Float64Array(count),
    new Float64Array(count),
    new Float64Array(count),
    new Float64Array(count),
  ];
  let at = 0;
  for (let index = 0; index < count; index += 1) {
    const token = tokens[index]!;
    starts[index] = token.start;
    ends[index] = token.end;
    left[index] = at + (token.spaced ? 1 : 0);
    at = right[index] = left[index]! + sizeOf(token);
  }
  return { starts, ends, left, right };
}

/** Measures tokens in words, for speeds in words; punctuation alone does not count as one. */
export function measureWords(tokens: readonly Token[], { starts, ends }: Measures): Measures {
  const left = new Float64Array(tokens.length);
  const right = new Float64Array(tokens.length);
  let at = 0;
  for (const [index, { text }] of tokens.entries()) {
    left[index] = at;
    if (/[\p{L}\p{N}]/u.test(text)) at += 1;
    right[index] = at;
  }
  return { starts, ends, left, right };
}

/** The columns that the tokens from `from` up to but not including `to` take on one line. */
export const lineColumns = ({ left, right }: Measures, from: number, to: number): number =>
  right[to - 1]! - left[from]!;

/** Finds the best lines for every run that begins with the same token, as the run grows by one token at a time. */
export interface LineSetter {
  /** Starts a new run at a token. */
  begin: (token: number) => void;
  /**
   * The cost of the best lines for the run up to but not including `to`; Infinity if they do not fit. A token wider
   * than a line gets a line of its own.
   * @param budget a limit that the lines must stay below to be useful; if none do, it is returned, and `starts` has no
   *   answer for this run. Unlimited by default.
   */
  grow: (to: number, budget?: number) => number;
  /** The tokens that begin the second and later lines of the run up to `to`. */
  starts: (to: number) => number[];
  /** Writes the same tokens into an array from an index on, for `maxLines` - 1 entries; 0 for lines that are not there. */
  write: (to: number, into: Int32Array, at: number) => void;
}

/** Breaks runs into at most `maxLines` lines of `maxColumns`, and no more lines than the text needs. */
export const lineSetter = (
  measures: Measures,
  breaks: Breaks,
  maxLines: number,
  maxColumns: number,
): LineSetter =>
  maxLines === 2
    ? twoLineSetter(measures, breaks, maxColumns)
    : anyLineSetter(measures, breaks, maxLines, maxColumns);

/** The usual case of at most two lines, in a third less time. */
function twoLineSetter(
  { left, right }: Measures,
  { line }: Breaks,
  maxColumns: number,
): LineSetter {
  const cheapest = cheapestLastLines({ left, right }, line, maxColumns);
  /** By length of the run: the token that begins its second line; 0 if it fits on one. */
  const seconds = new Int32Array(2 * maxColumns + 2);
  let from = 0;
  let start = 0;
  /** The last token that may begin a second line, since those before it fit on the first. */
  let reach = 0;
  return {
    begin: (token) => {
      from = token;
      start = left[from]!;
    },
    grow: (to, budget = Number.POSITIVE_INFINITY) => {
      const end = right[to - 1]!;
      const edge = end - maxColumns;
      if (start >= edge || to - from === 1) {
        reach = to;
        seconds[to - from] = 0;
        return 0;
      }
      const last = to - 1;
      const latest = Math.min(last, reach);
      if (left[latest]! < edge && latest < last) return Number.POSITIVE_INFINITY;
      if (NEW_LINE + cheapest[to]! >= budget) return budget;
      let best = budget;
      for (let at = latest; at > from && (left[at]! >= edge || at === last); at -= 1) {
        const even = NEW_LINE + line[at]!;
        if (even >= best) continue;
        const top = right[at - 1]! - start;
        const bottom = end - left[at]!;
        const imbalance = (top - bottom) / (top + bottom);
        const cost = even + IMBALANCE * imbalance * imbalance;
        if (cost < best) {
          best = cost;
          seconds[to - from] = at;
        }
      }
      return best;
    },
    starts: (to) => (seconds[to - from]! > 0 ? [seconds[to - from]!] : []),
    write: (to, into, at) => {
      into[at] = seconds[to - from]!;
    },
  };
}

/** For each end of a run: the lowest cost of a break at which its last line may begin. */
function cheapestLastLines(
  { left, right }: Pick<Measures, 'left' | 'right'>,
  line: Float64Array,
  maxColumns: number,
): Float64Array {
  const cheapest = new Float64Array(line.length);
  for (let to = 1; to < line.length; to += 1) {
    const edge = right[to - 1]! - maxColumns;
    let least = line[to - 1]!;
    for (let at = to - 2; at > 0 && left[at]! >= edge; at -= 1) least = Math.min(least, line[at]!);
    cheapest[to] = least;
  }
  return cheapest;
}

/** Breaks runs into any number of lines. */
export function anyLineSetter(
  { left, right }: Measures,
  breaks: Breaks,
  maxLines: number,
  maxColumns: number,
): LineSetter {
  // Each token takes at least one column, or has a line of its own.
  const longest = maxLines * maxColumns + 1;
  /** By number of lines minus one, and length of the run: the lowest cost … */
  const costs = Array.from({ length: maxLines }, () => new Float64Array(longest + 1));
  /** … and the token that begins the last line of that layout. */
  const lastStarts = Array.from({ length: maxLines }, () => new Int32Array(longest + 1));
  let from = 0;
  /** By number of lines minus one: the most tokens known to fit in that many lines. */
  const reach = new Int32Array(maxLines);

  /** The cheapest split that puts a last line below `lines` others; the budget if no layout costs less. */
  const split = (lines: number, to: number, budget: number): number => {
    const above = costs[lines - 1]!;
    const aboveStarts = lastStarts[lines - 1]!;
    const end = right[to - 1]!;
    const edge = end - maxColumns;
    // A single token may stand alone even if it is too wide. The lines above must fit.
    const latest = Math.min(to - 1, from + reach[lines - 1]!);
    let best = budget;
    let bestAt = 0;
    let fits = false;
    for (let at = latest; at > from && (left[at]! >= edge || at === to - 1); at -= 1) {
      const before = above[at - from]!;
      if (before === Number.POSITIVE_INFINITY) continue;
      fits = true;
      const even = before + NEW_LINE + breaks.line[at]!;
      if (even >= best) continue;
      const top = right[at - 1]! - left[aboveStarts[at - from]!]!;
      const bottom = end - left[at]!;
      const imbalance = (top - bottom) / (top + bottom);
      const cost = even + IMBALANCE * imbalance * imbalance;
      if (cost < best) {
        best = cost;
        bestAt = at;
      }
    }
    lastStarts[lines]![to - from] = bestAt;
    return fits ? best : Number.POSITIVE_INFINITY;
  };

  const lastLines = (to: number): number[] => {
    const found: number[] = [];
    let end = to;
    for (let lines = maxLines - 1; lines > 0; lines -= 1) {
      if (!Number.isFinite(costs[lines]![end - from])) continue;
      end = lastStarts[lines]![end - from]!;
      found.unshift(end);
    }
    return found;
  };

  return {
    begin: (token) => {
      from = token;
      reach.fill(0);
    },
    grow: (to, budget = Number.POSITIVE_INFINITY) => {
      const fits = to - from === 1 || right[to - 1]! - left[from]! <= maxColumns;
      let best = fits ? 0 : Number.POSITIVE_INFINITY;
      costs[0]![to - from] = best;
      lastStarts[0]![to - from] = from;
      if (fits) reach[0] = to - from;
      for (let lines = 1; lines < maxLines; lines += 1) {
        const isSet = best < Number.POSITIVE_INFINITY;
        // Only layouts with the most lines can be cut off by the budget: others build on those with fewer.
        const most = lines === maxLines - 1 ? budget : Number.POSITIVE_INFINITY;
        const cost = isSet ? Number.POSITIVE_INFINITY : split(lines, to, most);
        costs[lines]![to - from] = cost;
        if (cost < Number.POSITIVE_INFINITY) reach[lines] = to - from;
        if (!isSet) best = cost;
      }
      return best;
    },
    starts: (to) => lastLines(to),
    write: (to, into, at) => {
      const found = lastLines(to);
      for (let line = 0; line < maxLines - 1; line += 1) into[at + line] = found[line] ?? 0;
    },
  };
}
