/** The lines of a cue: the cheapest way to set a run of tokens in at most so many lines. */
import type { Breaks } from './breaks.ts';
import type { Token } from './tokens.ts';

/** Humans fill a cue with a second line rather than begin another. */
const NEW_LINE = -20;
const IMBALANCE = 75;

/** Sums over the tokens before each one: the length of any run of them is a subtraction. */
export interface Measures {
  /** Columns, with the space before each token. */
  columns: Float64Array;
  /** Characters, with the space before each token. */
  characters: Float64Array;
  /** 1 for a token that has a space before it. */
  spaced: Uint8Array;
}

/** Measures tokens; see Measures. */
export function measure(tokens: readonly Token[]): Measures {
  const columns = new Float64Array(tokens.length + 1);
  const characters = new Float64Array(tokens.length + 1);
  const spaced = new Uint8Array(tokens.length);
  for (const [index, token] of tokens.entries()) {
    const space = token.spaced ? 1 : 0;
    spaced[index] = space;
    columns[index + 1] = columns[index]! + space + token.columns;
    characters[index + 1] = characters[index]! + space + token.graphemes;
  }
  return { columns, characters, spaced };
}

/** The columns of the line of tokens from `from` up to and not including `to`. */
export const lineColumns = ({ columns, spaced }: Measures, from: number, to: number): number =>
  columns[to]! - columns[from]! - spaced[from]!;

/** The characters a reader reads in the tokens of a cue. */
export const readCharacters = (
  { characters, spaced }: Measures,
  from: number,
  to: number,
): number => characters[to]! - characters[from]! - spaced[from]!;

/**
 * The best lines of all runs that begin with one token, found while the run grows: `begin` with a
 * token, `grow` by one token at a time, then ask for the `starts` of the run.
 */
export class LineSetter {
  /** For each number of lines less one and each length of the run: the least cost. */
  readonly #costs: Float64Array[];
  /** The token that begins the last line of that layout. */
  readonly #lastStarts: Int32Array[];
  readonly #measures: Measures;
  readonly #breaks: Breaks;
  readonly #maxColumns: number;
  #from = 0;

  constructor(measures: Measures, breaks: Breaks, maxLines: number, maxColumns: number) {
    this.#measures = measures;
    this.#breaks = breaks;
    this.#maxColumns = maxColumns;
    // A token takes a column at least, or a line to itself.
    const longest = maxLines * maxColumns + 1;
    const each = Array.from({ length: maxLines });
    this.#costs = each.map(() => new Float64Array(longest + 1));
    this.#lastStarts = each.map(() => new Int32Array(longest + 1));
  }

  begin(from: number): void {
    this.#from = from;
  }

  /**
   * The cost of the best lines of the tokens up to and not including `to`; Infinity where they do not
   * fit. A token that is wider than a line stands alone in one.
   */
  grow(to: number): number {
    const length = to - this.#from;
    let best = this.#fits(this.#from, to) ? 0 : Number.POSITIVE_INFINITY;
    this.#costs[0]![length] = best;
    this.#lastStarts[0]![length] = this.#from;
    for (let lines = 1; lines < this.#costs.length; lines += 1) {
      if (best < Number.POSITIVE_INFINITY) {
        // What fits in fewer lines is set in fewer.
        this.#costs[lines]![length] = Number.POSITIVE_INFINITY;
      } else best = this.#split(lines, length, to);
    }
    return best;
  }

  /** The tokens that begin the second and further lines of the run up to `to`. */
  starts(to: number): number[] {
    const starts: number[] = [];
    let end = to;
    for (let lines = this.#costs.length - 1; lines > 0; lines -= 1) {
      if (!Number.isFinite(this.#costs[lines]![end - this.#from])) continue;
      end = this.#lastStarts[lines]![end - this.#from]!;
      starts.unshift(end);
    }
    return starts;
  }

  #fits(from: number, to: number): boolean {
    return to - from === 1 || lineColumns(this.#measures, from, to) <= this.#maxColumns;
  }

  /** The best last line below one line less. */
  #split(lines: number, length: number, to: number): number {
    const above = this.#costs[lines - 1]!;
    const aboveStarts = this.#lastStarts[lines - 1]!;
    let best = Number.POSITIVE_INFINITY;
    let at = 0;
    for (let split = to - 1; split > this.#from && this.#fits(split, to); split -= 1) {
      const before = above[split - this.#from]!;
      if (before === Number.POSITIVE_INFINITY) continue;
      const cost = before + this.#splitCost(aboveStarts[split - this.#from]!, split, to);
      if (cost < best) {
        best = cost;
        at = split;
      }
    }
    this.#costs[lines]![length] = best;
    this.#lastStarts[lines]![length] = at;
    return best;
  }

  #splitCost(from: number, split: number, to: number): number {
    const top = lineColumns(this.#measures, from, split);
    const bottom = lineColumns(this.#measures, split, to);
    const imbalance = (top - bottom) / (top + bottom);
    return NEW_LINE + this.#breaks.line[split]! + IMBALANCE * imbalance * imbalance;
  }
}
