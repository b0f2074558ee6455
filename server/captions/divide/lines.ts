/** Finds the cheapest way to break text into lines, for new cues and for texts that are given. */
import { type Breaks, breaksOf } from './breaks.ts';
import { lineColumns, measure, type Measures } from './build-rules.ts';
import type { CaptionSettings } from '../../contract/captions.ts';
import { shownText, readItalics, writeItalics } from '../italics.ts';
import { languageOf } from '../language.ts';
import { textOfTokens, type Token, tokensOf } from './tokens.ts';
import { joinWords } from '../width.ts';

/** A bonus for a second line: people add one rather than begin another cue. */
const NEW_LINE = -1;
const IMBALANCE = 68;

/** Finds the best lines for all runs that begin with the same token. A run is known by its end, the token after it. */
interface LineSetter {
  /** By number of tokens: a limit that the lines of a run must stay below to be useful; unlimited at first. */
  budgets: Float64Array;
  /** By number of tokens: the cost of the best lines of a run; Infinity if none stay below the budget. */
  costs: Float64Array;
  /**
   * Finds the lines of the runs from a token up to each end, as far as `last`, and writes their costs. A token wider
   * than a line gets a line of its own.
   * @returns the last end whose run fits
   */
  set: (from: number, last: number) => number;
  /** The tokens that begin the second and later lines of the run up to `to`. */
  starts: (to: number) => number[];
  /**
   * Writes the same tokens, counted from the first of the run, into an array from an index on, for `maxLines` - 1
   * entries; 0 for lines that are not there.
   */
  write: (to: number, into: Uint16Array, at: number) => void;
}

/** The most tokens that fit: each takes at least one column, or has a line of its own. */
const mostTokens = (maxLines: number, maxColumns: number): number => maxLines * maxColumns + 1;

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
  const { budgets, costs } = budgeted(mostTokens(2, maxColumns));
  /** By number of tokens: the token that begins the second line, counted from the first; 0 if the run fits on one. */
  const seconds = new Int32Array(costs.length);
  let from = 0;
  return {
    budgets,
    costs,
    set: (first, last) => {
      from = first;
      const start = left[first]!;
      /** The last token that may begin a second line, since those before it fit on the first. */
      let reach = first;
      for (let to = first + 1; to <= last; to += 1) {
        const end = right[to - 1]!;
        const edge = end - maxColumns;
        let best = budgets[to - first]!;
        let second = -1;
        if (start >= edge || to === first + 1) {
          reach = to;
          if (best > 0) {
            best = 0;
            second = first;
          }
        } else {
          const final = to - 1;
          const latest = reach < final ? reach : final;
          if (left[latest]! < edge && latest < final) return final;
          if (NEW_LINE + cheapest[to]! < best) {
            for (let at = latest; at > first && (left[at]! >= edge || at === final); at -= 1) {
              const even = NEW_LINE + line[at]!;
              if (even >= best) continue;
              const top = right[at - 1]! - start;
              const bottom = end - left[at]!;
              const imbalance = (top - bottom) / (top + bottom);
              const cost = even + IMBALANCE * imbalance * imbalance;
              if (cost < best) {
                best = cost;
                second = at;
              }
            }
          }
        }
        costs[to - first] = second < 0 ? Number.POSITIVE_INFINITY : best;
        seconds[to - first] = second - first;
      }
      return last;
    },
    starts: (to) => (seconds[to - from]! > 0 ? [from + seconds[to - from]!] : []),
    write: (to, into, at) => {
      into[at] = seconds[to - from]!;
    },
  };
}

/** Allocates the budgets, unlimited at first, and the costs: one of each for every number of tokens up to this one. */
const budgeted = (tokens: number): Pick<LineSetter, 'budgets' | 'costs'> => ({
  budgets: new Float64Array(tokens + 1).fill(Number.POSITIVE_INFINITY),
  costs: new Float64Array(tokens + 1),
});

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
function anyLineSetter(
  { left, right }: Measures,
  breaks: Breaks,
  maxLines: number,
  maxColumns: number,
): LineSetter {
  const longest = mostTokens(maxLines, maxColumns);
  const { budgets, costs: leastCosts } = budgeted(longest);
  /** By number of lines minus one, and length of the run: the lowest cost … */
  const costs = Array.from({ length: maxLines }, () => new Float64Array(longest + 1));
  /** … and the token that begins the last line of that layout. */
  const lastStarts = Array.from({ length: maxLines }, () => new Int32Array(longest + 1));
  let from = 0;
  /**
   * By number of lines minus one: the most tokens known to fit in that many lines. It is not cleared between runs: a
   * run needs at most one more line with each token, and so sets each number before it reads it.
   */
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
      fits = true;
      const even = above[at - from]! + NEW_LINE + breaks.line[at]!;
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

  /** The cost of the best lines up to `to`; the budget if they cost more, Infinity if none fit. */
  const grow = (to: number, budget: number): number => {
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
  };

  return {
    budgets,
    costs: leastCosts,
    set: (first, last) => {
      from = first;
      for (let to = first + 1; to <= last; to += 1) {
        const budget = budgets[to - first]!;
        const cost = grow(to, budget);
        if (cost === Number.POSITIVE_INFINITY) return to - 1;
        leastCosts[to - first] = cost < budget ? cost : Number.POSITIVE_INFINITY;
      }
      return last;
    },
    starts: (to) => lastLines(to),
    write: (to, into, at) => {
      const found = lastLines(to);
      for (let line = 0; line < maxLines - 1; line += 1)
        into[at + line] = (found[line] ?? from) - from;
    },
  };
}

/** The assumed time to speak a character, in seconds. Any value works, as long as it creates no pauses. */
const SECONDS_PER_CHARACTER = 0.06;
/** A text that needs more lines than this is too long for a caption, and is simply filled line by line. */
const MAX_LINES = 12;

/**
 * Breaks a text into new lines of at most `maxLineChars`, as few as possible. A line is too long only if a single word
 * is. Keeps all words, but not the previous line breaks. A blank text gives one empty line. Italics stay with their
 * words, and their tags do not count as characters.
 * @param language BCP 47; the language's small words show where a break reads well
 * @example
 * const settings = { ...DEFAULT_CAPTION_SETTINGS, maxLineChars: 24 };
 * breakLines('One two three four five six.', settings); // => ['One two three', 'four five six.']
 */
export function breakLines(
  text: string,
  { maxLineChars }: Pick<CaptionSettings, 'maxLineChars'>,
  language = 'en',
): string[] {
  // Cleaned in the same way as the tokens, so that the italic marks stay aligned with their characters.
  const { lines, marks } = readItalics(text.split('\n').map(shownText));
  const tokens = textTokens(lines.join('\n'));
  if (tokens.length === 0) return [''];
  const measures = measure(tokens);
  const filled = fillLines(measures, maxLineChars);
  const starts =
    filled.length < MAX_LINES
      ? bestStarts(tokens, measures, filled.length + 1, maxLineChars, language, marks)
      : filled;
  const bounds = [0, ...starts, tokens.length];
  const set = bounds
    .slice(0, -1)
    .map((begin, index) => textOfTokens(tokens, begin, bounds[index + 1]!));
  return writeItalics(set, marks);
}

/**
 * The last word of a text with its punctuation, where a line may break before it; empty if there is none.
 * @example
 * lastWordOf('Hello there.'); // => 'there.'
 */
export const lastWordOf = (text: string): string => textTokens(text).at(-1)?.text ?? '';

/**
 * The first word of a text with its punctuation; empty if there is none.
 * @example
 * firstWordOf('Hello there.'); // => 'Hello'
 */
export const firstWordOf = (text: string): string => textTokens(text)[0]?.text ?? '';

function textTokens(text: string): Token[] {
  // In scripts without spaces, a line break does not replace a space.
  const running = joinWords(
    text
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== ''),
  );
  return tokensOf([{ text: running, start: 0, end: running.length * SECONDS_PER_CHARACTER }]);
}

/** Fills each line as far as possible; returns the tokens that begin the second and later lines. */
function fillLines(measures: Measures, maxColumns: number): number[] {
  const starts: number[] = [];
  let begin = 0;
  for (let at = 1; at < measures.left.length; at += 1) {
    if (lineColumns(measures, begin, at + 1) <= maxColumns) continue;
    starts.push(at);
    begin = at;
  }
  return starts;
}

function bestStarts(
  tokens: readonly Token[],
  measures: Measures,
  lines: number,
  maxColumns: number,
  language: string,
  italics: readonly boolean[],
): number[] {
  const breaks = breaksOf(tokens, languageOf(language), italics);
  const setter = lineSetter(measures, breaks, lines, maxColumns);
  setter.set(0, tokens.length);
  return setter.starts(tokens.length);
}
