/** Reports words in order as they become final, although windows are recognised in any order. */
import type { TranscriptWord } from '../contract/transcript.ts';
import { joinStretches, type Stretch } from './seams.ts';

/** A recognised window. */
export interface HeardWindow extends Stretch {
  /** The second from which on a later window may replace its words; infinite if none can. */
  until: number;
}

/**
 * Creates a function that takes each window with its number (0, 1, 2 …), in any order, and passes on the words that no
 * later window can change, in order of time and without repeating any where windows overlap.
 */
export function createSettledWords(
  report: (words: TranscriptWord[]) => void,
): (number: number, window: HeardWindow) => void {
  const waiting = new Map<number, HeardWindow>();
  let next = 0;
  let unsettled: Stretch | null = null;

  const settle = ({ until, ...window }: HeardWindow): void => {
    const words = unsettled ? joinStretches([unsettled, window]) : window.words;
    const isSettled = (word: TranscriptWord) => (word.start + word.end) / 2 < until;
    const settled = words.filter(isSettled);
    const start = unsettled?.start ?? window.start;
    unsettled = { start, end: window.end, words: words.filter((word) => !isSettled(word)) };
    if (settled.length > 0) report(settled);
  };

  return (number, window) => {
    waiting.set(number, window);
    for (let found = waiting.get(next); found; found = waiting.get(next)) {
      waiting.delete(next);
      next += 1;
      settle(found);
    }
  };
}
