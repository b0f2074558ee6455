/**
 * The cost of a cue to its reader, apart from its lines and the break after it. The units are those of breaks.ts, and
 * the weights were fitted to the same captions.
 */
import type { Breaks } from './breaks.ts';
import type { BuildRules } from './build-rules.ts';
import type { Measures } from './measures.ts';
import { FAST_SPEED } from './timing.ts';

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
export const MIN_COST = EACH_CUE + WHOLE_IN_ONE_LINE;

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
  const { comfortable, fast, gap, touching, lead: longestLead, linger } = rules;
  const { starts, ends: spokenUntil, left, right } = measures;
  const { left: readLeft, right: readRight } = reading;
  const full = maxLineChars * maxLines;
  const count = starts.length;
  // Speeds in other units are scaled to columns a second.
  const scale = FAST_SPEED / fast;
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
      if (to < count) {
        const room = starts[to]! - gap - start + lead;
        if (room < shown) shown = room;
        // A cue that lacks time gives up the gap after it.
        if (touching && (shown < minDuration || read > shown * fast)) {
          shown = room + gap < wanted ? room + gap : wanted;
        }
        if (shown < MIN_SHOWN) shown = MIN_SHOWN;
      }
      const speed = read / shown;
      const width = right[to - 1]! - left[from]!;
      const filled = width / full;
      let cost = EACH_CUE + FULL * filled * filled;
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
