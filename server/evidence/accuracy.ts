/** The accuracy of a talk from the passages that were judged, looked at only where stopping does not bend the interval. */
import { estimateErrors, type ErrorEstimate } from './interval.ts';
import type { DrawnPassage } from './sample.ts';
import { BATCH } from './sample.ts';

/**
 * After how many batches the interval is looked at, and the share of samples for which it may be wrong there. Together
 * they are 5 %: the chance that any of the three misses, for estimates whose information doubles from one to the next.
 */
const LOOKS = [
  { batches: 1, alpha: 0.0375 },
  { batches: 2, alpha: 0.01 },
  { batches: 4, alpha: 0.01 },
] as const;
/** The passages after which there is a figure. */
export const FIRST_LOOK = LOOKS[0].batches * BATCH;

/** The most passages that are judged in a measurement. */
export const MOST_PASSAGES = LOOKS.at(-1)!.batches * BATCH;

/** What an estimate needs to know of a passage that was drawn. */
export type CellPassage = Pick<DrawnPassage, 'at' | 'cell' | 'cellSize' | 'stratum'>;

/** What was counted in a passage. */
export interface PassageCount {
  readonly errors: number;
  readonly words: number;
}

/** A share of right words between two limits, from 0 to 1. */
export interface Accuracy {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

/** How far a measurement is. */
export interface Progress {
  /** Passages judged, and words that were said in them. */
  judged: number;
  words: number;
  /** The figure that counts: of the last look; null before the first one. */
  accuracy: Accuracy | null;
  /** The passages that figure is of. */
  counted: number;
  /** All judged passages so far, for orientation: its interval does not count, since it may be read at any time. */
  soFar: Accuracy | null;
  designEffect: number | null;
  /** `above` and `below`: the interval is on that side of the goal; `ended`: it is on neither, and no look is left. */
  state: 'open' | 'above' | 'below' | 'ended';
  /** The passages to judge before the next look; 0 at the end. */
  next: number;
  /** About how many words it takes in all until the interval leaves the goal; null if nobody can say yet. */
  wordsNeeded: number | null;
}

/**
 * Follows a measurement.
 * @param order the passages in the order in which they are drawn, as far as they may be judged
 * @param total the number of all passages of the talk
 * @param counts of the passages that were judged, by their number
 * @param goal the accuracy that is asked for, such as 0.99
 */
export function progressOf(
  order: readonly CellPassage[],
  total: number,
  counts: ReadonlyMap<number, PassageCount>,
  goal: number,
): Progress {
  const most = Math.min(order.length, MOST_PASSAGES);
  const listed = order.slice(0, most);
  const whole = listed.findIndex(({ at }) => !counts.has(at));
  const inTurn = whole === -1 ? listed.length : whole;
  const judged = listed.filter(({ at }) => counts.has(at));
  const progress: Progress = {
    judged: judged.length,
    words: judged.reduce((sum, { at }) => sum + counts.get(at)!.words, 0),
    accuracy: null,
    counted: 0,
    soFar: judged.length > 0 ? asAccuracy(estimate(total, judged, counts, 0.05)) : null,
    designEffect: null,
    state: 'open',
    next: 0,
    wordsNeeded: null,
  };
  for (const { batches, alpha } of LOOKS) {
    const end = Math.min(batches * BATCH, listed.length);
    if (inTurn < end) {
      progress.next = end - inTurn;
      break;
    }
    const errors = estimate(total, listed.slice(0, end), counts, alpha);
    progress.accuracy = asAccuracy(errors);
    progress.counted = end;
    progress.designEffect = errors.designEffect;
    progress.state = sideOf(progress.accuracy, goal);
    if (progress.state !== 'open') return progress;
    progress.wordsNeeded = neededWords(progress.accuracy, goal, listed.slice(0, end), counts);
    if (end === listed.length) break;
  }
  if (progress.next === 0) progress.state = 'ended';
  return progress;
}

const sideOf = ({ low, high }: Accuracy, goal: number): 'above' | 'below' | 'open' => {
  if (low >= goal) return 'above';
  return high < goal ? 'below' : 'open';
};

/** The width of an interval shrinks with the root of the words. */
function neededWords(
  { value, low, high }: Accuracy,
  goal: number,
  passages: readonly CellPassage[],
  counts: ReadonlyMap<number, PassageCount>,
): number | null {
  const words = passages.reduce((sum, { at }) => sum + counts.get(at)!.words, 0);
  const reach = value > goal ? value - low : high - value;
  const room = Math.abs(value - goal);
  return room > 0 ? Math.ceil(words * Math.max(1, reach / room) ** 2) : null;
}

const asAccuracy = ({ rate, low, high }: ErrorEstimate): Accuracy => ({
  value: 1 - rate,
  low: 1 - high,
  high: 1 - low,
});

/** The estimate from some passages, each of which stands for those of its cell that were not drawn. */
function estimate(
  total: number,
  drawn: readonly CellPassage[],
  counts: ReadonlyMap<number, PassageCount>,
  alpha: number,
): ErrorEstimate {
  const inCell = new Map<number, number>();
  for (const { cell } of drawn) inCell.set(cell, (inCell.get(cell) ?? 0) + 1);
  const passages = drawn.map(({ at, cell, cellSize, stratum }) => ({
    weight: cellSize / inCell.get(cell)!,
    stratum,
    ...counts.get(at)!,
  }));
  return estimateErrors(passages, drawn.length / total, alpha);
}
