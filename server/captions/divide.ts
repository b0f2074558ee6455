/**
 * Divides tokens into cues with a dynamic programme over all possible divisions, including their
 * line breaks; the lowest total cost wins. Weights are in the units of breaks.ts, fitted to the
 * same captions.
 */
import type { CaptionSettings } from '../contract/captions.ts';
import type { Breaks } from './breaks.ts';
import { lineColumns, lineSetter, type Measures } from './lines.ts';
import { COMFORTABLE_SPEED, FAST_SPEED, GAP, LEAD_IN, LINGER } from './timing.ts';

/**
 * The tokens of one cue, from `from` up to but not including `to`; `starts` begin its further
 * lines.
 */
export interface Division {
  from: number;
  to: number;
  starts: number[];
}

const EACH_CUE = 4;
/** The cost of a completely full cue. */
const FULL = 40;
/** The cost of each column a second above the comfortable speed; readers mind fast cues most. */
const OVER_COMFORTABLE = 7;
const OVER_FAST = 120;
/** A cue of no duration counts as lasting this many seconds. */
const LEAST_SHOWN = 0.05;
/**
 * The cost of a cue of no duration; a short cue costs the share that is missing from minDuration.
 */
const SHORT = 300;
/** The cost of a cue of very few words that is not a sentence; half of it if it ends one. */
const ONE_WORD = 50;
const TWO_WORDS = 17;
const SENTENCE_INSIDE = 44;
/** A few words of the next sentence at the end of a cue, or of the previous one at its start. */
const FEW_WORDS = 3;
const TRAILING_START = 30;
const LEADING_END = 30;
/** A bonus for short sentences that share a line. */
const WHOLE_IN_ONE_LINE = -12;
/** The cost of an empty cue that ends no sentence; fuller cues cost less. */
const UNFINISHED = 8;

/** Divides tokens into cues. Takes about linear time, since the size of a cue is limited. */
export function divide(breaks: Breaks, measures: Measures, settings: CaptionSettings): Division[] {
  const { starts, ends } = measures;
  const count = starts.length;
  const setter = lineSetter(measures, breaks, settings.maxLines, settings.maxLineChars);
  const costOf = cueCosts(breaks, measures, settings);
  const best = new Float64Array(count + 1).fill(Number.POSITIVE_INFINITY);
  const origin = new Int32Array(count + 1);
  best[0] = 0;
  for (let from = 0; from < count; from += 1) {
    setter.begin(from);
    for (let to = from + 1; to <= count; to += 1) {
      const lines = setter.grow(to);
      if (lines === Number.POSITIVE_INFINITY) break;
      const sum = best[from]! + lines + costOf(from, to) + (to < count ? breaks.cue[to]! : 0);
      if (sum < best[to]!) {
        best[to] = sum;
        origin[to] = from;
      }
      if (breaks.hard[to] === 1 || ends[to]! - starts[from]! > settings.maxDuration) break;
    }
  }
  const divisions: Division[] = [];
  for (let to = count; to > 0; to = origin[to]!) {
    const from = origin[to]!;
    setter.begin(from);
    for (let end = from + 1; end <= to; end += 1) setter.grow(end);
    divisions.push({ from, to, starts: setter.starts(to) });
  }
  return divisions.toReversed();
}

/** The cost of a cue to its reader, apart from its lines and the break after it. */
function cueCosts(
  { sentence }: Breaks,
  measures: Measures,
  { minDuration, maxDuration, maxLineChars, maxLines }: CaptionSettings,
): (from: number, to: number) => number {
  const { starts, ends: spokenUntil } = measures;
  const full = maxLineChars * maxLines;
  const count = starts.length;
  /**
   * For each token: the number of sentence ends before it, the last of them, and the next from it
   * on.
   */
  const ends = new Int32Array(count + 1);
  const lastEnd = new Int32Array(count + 1).fill(-1);
  const nextEnd = new Int32Array(count + 1).fill(count);
  for (let at = 0; at < count; at += 1) {
    ends[at + 1] = ends[at]! + sentence[at]!;
    lastEnd[at + 1] = sentence[at] === 1 ? at : lastEnd[at]!;
  }
  for (let at = count - 1; at >= 0; at -= 1) {
    nextEnd[at] = sentence[at] === 1 ? at : nextEnd[at + 1]!;
  }
  return (from, to) => {
    const start = starts[from]!;
    const spoken = spokenUntil[to - 1]! - start;
    const width = lineColumns(measures, from, to);
    const room = to < count ? starts[to]! - GAP - start : Number.POSITIVE_INFINITY;
    const wanted = Math.max(spoken, minDuration, width / COMFORTABLE_SPEED);
    const silence = start - (from > 0 ? spokenUntil[from - 1]! + GAP : 0);
    const lead = Math.max(0, Math.min(LEAD_IN, silence));
    const most = Math.min(maxDuration, Math.max(minDuration, spoken + LINGER), wanted);
    let shown = Math.max(LEAST_SHOWN, Math.min(room + lead, most));
    // As in timing.ts: a cue that lacks time gives up the gap after it.
    if (shown < minDuration || width / shown > FAST_SPEED) {
      shown = Math.max(LEAST_SHOWN, Math.min(room + lead + GAP, most));
    }
    const speed = width / shown;
    const finished = sentence[to - 1] === 1;
    const filled = width / full;
    let cost = EACH_CUE + FULL * filled * filled;
    if (speed > COMFORTABLE_SPEED) cost += OVER_COMFORTABLE * (speed - COMFORTABLE_SPEED);
    if (speed > FAST_SPEED) cost += OVER_FAST * (speed - FAST_SPEED);
    if (shown < minDuration) cost += (SHORT * (minDuration - shown)) / minDuration;
    const begins = from === 0 || sentence[from - 1] === 1;
    if (to - from <= 2 && !(begins && finished)) {
      const few = to - from === 1 ? ONE_WORD : TWO_WORDS;
      cost += finished ? few / 2 : few;
    }
    if (!finished) {
      const empty = Math.max(0, 1 - filled);
      cost += UNFINISHED * empty * empty;
    }
    const inside = ends[to - 1]! - ends[from]!;
    if (inside > 0) {
      cost += SENTENCE_INSIDE * inside;
      if (!finished && to - 1 - lastEnd[to - 1]! <= FEW_WORDS) cost += TRAILING_START;
      if (!begins && nextEnd[from]! - from < FEW_WORDS) cost += LEADING_END;
      if (begins && finished && width <= maxLineChars) cost += WHOLE_IN_ONE_LINE;
    }
    return cost;
  };
}
