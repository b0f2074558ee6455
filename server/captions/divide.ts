/**
 * Tokens → cues: a dynamic programme over all ways to divide the talk, with the line breaks inside
 * the same sum. The least sum of costs wins.
 */
import type { CaptionSettings } from '../contract/captions.ts';
import type { Breaks } from './breaks.ts';
import { lineColumns, LineSetter, type Measures } from './lines.ts';
import { COMFORTABLE_SPEED, FAST_SPEED, GAP, LEAD_IN, LINGER } from './timing.ts';
import type { Token } from './tokens.ts';

/** Tokens of one cue: from `from` up to and not including `to`; `starts` begin its further lines. */
export interface Division {
  from: number;
  to: number;
  starts: number[];
}

const EACH_CUE = 4;
/** A cue without a free place is heavy. */
const FULL = 40;
const OVER_COMFORTABLE = 7;
const OVER_FAST = 50;
const SHORT = 60;
const ONE_WORD = 50;
const TWO_WORDS = 17;
const SENTENCE_INSIDE = 44;
const TRAILING_START = 30;
const UNFINISHED = 8;

/** Divides tokens into cues. About linear in tokens: a cue holds only so many. */
export function divide(
  tokens: readonly Token[],
  breaks: Breaks,
  measures: Measures,
  settings: CaptionSettings,
): Division[] {
  const count = tokens.length;
  const setter = new LineSetter(measures, breaks, settings.maxLines, settings.maxLineChars);
  const costOf = cueCosts(tokens, breaks, measures, settings);
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
      if (to < count && !mayGrow(tokens, breaks, from, to, settings)) break;
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

/** Whether a cue that begins with `from` may take in token `to` as well. */
const mayGrow = (
  tokens: readonly Token[],
  breaks: Breaks,
  from: number,
  to: number,
  { maxDuration }: CaptionSettings,
): boolean => breaks.hard[to] === 0 && tokens[to]!.end - tokens[from]!.start <= maxDuration;

/** What a cue costs its reader, apart from its lines and from the break after it. */
function cueCosts(
  tokens: readonly Token[],
  breaks: Breaks,
  measures: Measures,
  { minDuration, maxDuration, maxLineChars, maxLines }: CaptionSettings,
): (from: number, to: number) => number {
  const { sentence } = breaks;
  const full = maxLineChars * maxLines;
  /** Sentence ends among the tokens before each one, and the last of them. */
  const ends = new Int32Array(tokens.length + 1);
  const lastEnd = new Int32Array(tokens.length + 1).fill(-1);
  for (let at = 0; at < tokens.length; at += 1) {
    ends[at + 1] = ends[at]! + sentence[at]!;
    lastEnd[at + 1] = sentence[at] === 1 ? at : lastEnd[at]!;
  }
  return (from, to) => {
    const start = tokens[from]!.start;
    const spoken = tokens[to - 1]!.end - start;
    const width = lineColumns(measures, from, to);
    const room = to < tokens.length ? tokens[to]!.start - GAP - start : Number.POSITIVE_INFINITY;
    const wanted = Math.max(spoken, minDuration, width / COMFORTABLE_SPEED);
    const silence = start - (from > 0 ? tokens[from - 1]!.end + GAP : 0);
    const lead = Math.max(0, Math.min(LEAD_IN, silence));
    const shown = Math.max(0.05, Math.min(maxDuration, room + lead, spoken + LINGER, wanted));
    const speed = width / shown;
    const finished = sentence[to - 1] === 1;
    const filled = width / full;
    let cost = EACH_CUE + FULL * filled * filled;
    if (speed > COMFORTABLE_SPEED) cost += OVER_COMFORTABLE * (speed - COMFORTABLE_SPEED);
    if (speed > FAST_SPEED) cost += OVER_FAST * (speed - FAST_SPEED);
    if (shown < minDuration) cost += (SHORT * (minDuration - shown)) / minDuration;
    if (!finished) {
      if (to - from === 1) cost += ONE_WORD;
      if (to - from === 2) cost += TWO_WORDS;
      const empty = Math.max(0, 1 - filled);
      cost += UNFINISHED * empty * empty;
    }
    const inside = ends[to - 1]! - ends[from]!;
    if (inside > 0) {
      cost += SENTENCE_INSIDE * inside;
      if (!finished && to - 2 - lastEnd[to - 1]! < 3) cost += TRAILING_START;
    }
    return cost;
  };
}
