/** The lines of a cue: the cheapest way to set a run of tokens in at most so many lines. */
import type { Break } from './breaks.ts';
import type { Token } from './tokens.ts';

const NEW_LINE = 5.5;
const BREAK_WEIGHT = 0.6;
const IMBALANCE = 8;
/** Human captions are heavier below in most cases: a tie-break. */
const TOP_HEAVY = 1.2;
const AT_SENTENCE_END = -2;

/** The text before each token, in columns and characters: the length of any run is a subtraction. */
export interface Measures {
  columns: Float64Array;
  graphemes: Float64Array;
  spaces: Float64Array;
}

export function measure(tokens: readonly Token[]): Measures {
  const columns = new Float64Array(tokens.length + 1);
  const graphemes = new Float64Array(tokens.length + 1);
  const spaces = new Float64Array(tokens.length + 1);
  for (const [index, token] of tokens.entries()) {
    columns[index + 1] = (columns[index] ?? 0) + token.columns;
    graphemes[index + 1] = (graphemes[index] ?? 0) + token.graphemes;
    spaces[index + 1] = (spaces[index] ?? 0) + (token.spaced ? 1 : 0);
  }
  return { columns, graphemes, spaces };
}

/** The columns of the line of tokens from `from` up to and not including `to`. */
export const lineColumns = ({ columns, spaces }: Measures, from: number, to: number): number =>
  columns[to]! - columns[from]! + (spaces[to]! - spaces[from + 1]!);

/** The characters a reader reads in the tokens of a cue. */
export const readCharacters = ({ graphemes, spaces }: Measures, from: number, to: number): number =>
  graphemes[to]! - graphemes[from]! + (spaces[to]! - spaces[from + 1]!);

export interface Layout {
  cost: number;
  /** The tokens that begin the second and the third line. */
  starts: number[];
}

/**
 * Sets the tokens from `from` up to `to` in at most `maxLines` lines of `maxColumns`. A token that is
 * wider than a line stands alone in one.
 * @returns null where they do not fit
 */
export function layOut(
  measures: Measures,
  breaks: Break,
  from: number,
  to: number,
  maxLines: number,
  maxColumns: number,
): Layout | null {
  if (fits(measures, from, to, maxColumns)) return { cost: 0, starts: [] };
  if (maxLines < 2) return null;
  let best: Layout | null = null;
  for (let split = to - 1; split > from; split -= 1) {
    if (!fits(measures, split, to, maxColumns)) break;
    const top = layOut(measures, breaks, from, split, maxLines - 1, maxColumns);
    if (!top) continue;
    const cost = top.cost + splitCost(measures, breaks, top.starts.at(-1) ?? from, split, to);
    if (!best || cost < best.cost) best = { cost, starts: [...top.starts, split] };
  }
  return best;
}

const fits = (measures: Measures, from: number, to: number, maxColumns: number): boolean =>
  to - from === 1 || lineColumns(measures, from, to) <= maxColumns;

function splitCost(
  measures: Measures,
  breaks: Break,
  from: number,
  split: number,
  to: number,
): number {
  const top = lineColumns(measures, from, split);
  const bottom = lineColumns(measures, split, to);
  const imbalance = (top - bottom) / (top + bottom);
  let cost = NEW_LINE + BREAK_WEIGHT * breaks.cost[split]! + IMBALANCE * imbalance * imbalance;
  if (imbalance > 0) cost += TOP_HEAVY * imbalance;
  if (breaks.sentence[split - 1] === 1) cost += AT_SENTENCE_END;
  return cost;
}
