/**
 * Tokens → cues: a dynamic programme over all ways to divide the talk, with the line breaks inside
 * the same sum. The least sum of costs wins.
 */
import type { CaptionSettings } from '../contract/captions.ts';
import type { Break } from './breaks.ts';
import { layOut, lineColumns, readCharacters, type Measures } from './lines.ts';
import type { Token } from './tokens.ts';

/** Tokens of one cue: from `from` up to and not including `to`; `starts` begin its further lines. */
export interface Division {
  from: number;
  to: number;
  starts: number[];
}

const EACH_CUE = 3;
/** Characters a second: comfortable, and fast. Scripts of wide characters are read at half of it. */
const COMFORTABLE = 17;
const FAST = 20;
const SHORT = 30;
const ONE_WORD = 55;
const TWO_WORDS = 30;
const SENTENCE_INSIDE = 20;
const TRAILING_START = 30;
const UNFINISHED = 5;
/** A cue may last into the silence after it: at most this long, in seconds. */
export const LINGER = 1;
/** The least time between two cues: two frames at 24 a second, in seconds. */
export const GAP = 0.084;

export function divide(
  tokens: readonly Token[],
  breaks: Break,
  measures: Measures,
  settings: CaptionSettings,
): Division[] {
  const count = tokens.length;
  const best = new Float64Array(count + 1).fill(Number.POSITIVE_INFINITY);
  const origin = new Int32Array(count + 1);
  best[0] = 0;
  const maxColumns = settings.maxLineChars * settings.maxLines;
  for (let to = 1; to <= count; to += 1) {
    for (let from = to - 1; from >= 0; from -= 1) {
      if (from < to - 1 && !mayGrow(tokens, breaks, measures, from, to, maxColumns, settings))
        break;
      const lines = layOut(measures, breaks, from, to, settings.maxLines, settings.maxLineChars);
      if (!lines) continue;
      const sum =
        best[from]! +
        lines.cost +
        (to < count ? breaks.cost[to]! : 0) +
        cueCost(tokens, breaks, measures, from, to, settings);
      if (sum < best[to]!) {
        best[to] = sum;
        origin[to] = from;
      }
    }
  }
  const divisions: Division[] = [];
  for (let to = count; to > 0; to = origin[to]!) {
    const from = origin[to]!;
    const lines = layOut(measures, breaks, from, to, settings.maxLines, settings.maxLineChars);
    divisions.push({ from, to, starts: lines?.starts ?? [] });
  }
  return divisions.toReversed();
}

/** Whether a cue may reach back to a token; once it may not, it may not reach further back either. */
function mayGrow(
  tokens: readonly Token[],
  breaks: Break,
  measures: Measures,
  from: number,
  to: number,
  maxColumns: number,
  { maxDuration }: CaptionSettings,
): boolean {
  if (breaks.hard[from + 1] === 1) return false;
  if (tokens[to - 1]!.end - tokens[from]!.start > maxDuration) return false;
  // One token wider than a line may stand in a cue with others: its width counts for a line.
  return lineColumns(measures, from, to) <= maxColumns + tokens[from]!.columns;
}

function cueCost(
  tokens: readonly Token[],
  breaks: Break,
  measures: Measures,
  from: number,
  to: number,
  { minDuration, maxDuration, maxLineChars, maxLines }: CaptionSettings,
): number {
  const start = tokens[from]!.start;
  const spoken = tokens[to - 1]!.end - start;
  const characters = readCharacters(measures, from, to);
  const room = to < tokens.length ? tokens[to]!.start - GAP - start : spoken + LINGER;
  const shown = Math.max(
    0.05,
    Math.min(
      maxDuration,
      room,
      spoken + LINGER,
      Math.max(spoken, minDuration, characters / COMFORTABLE),
    ),
  );
  const width = lineColumns(measures, from, to);
  const speed = width / shown;
  const finished = breaks.sentence[to - 1] === 1;
  let cost = EACH_CUE;
  if (speed > COMFORTABLE) cost += 7 * (speed - COMFORTABLE);
  if (speed > FAST) cost += 30 * (speed - FAST);
  if (shown < minDuration) cost += (SHORT * (minDuration - shown)) / minDuration;
  if (!finished) {
    if (to - from === 1) cost += ONE_WORD;
    if (to - from === 2) cost += TWO_WORDS;
    const empty = Math.max(0, 1 - width / (maxLineChars * maxLines));
    cost += UNFINISHED * empty * empty;
  }
  for (let index = from; index < to - 1; index += 1) {
    if (breaks.sentence[index] !== 1) continue;
    cost += SENTENCE_INSIDE;
    if (!finished && to - 1 - index <= 3) cost += TRAILING_START;
  }
  return cost;
}
