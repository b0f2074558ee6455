/** Reports words in order as they become final, although windows are recognised in any order. */
import type { TranscriptWord } from '../contract/transcript.ts';
import { joinStretches, type Stretch } from './seams.ts';

/** A recognised window. */
export interface RecognizedWindow extends Stretch {
  /** The second from which on a later window may replace its words; infinite if none can. */
  until: number;
}

/**
 * Creates a function that takes each window with its number (0, 1, 2 …), in any order, and passes on the words that no
 * later window can change, in order of time and without repeating any where windows overlap.
 */
export function createFinalWords(
  report: (words: TranscriptWord[]) => void,
): (number: number, window: RecognizedWindow) => void {
  const waiting = new Map<number, RecognizedWindow>();
  let next = 0;
  let pending: Stretch | null = null;

  const advance = ({ until, ...window }: RecognizedWindow): void => {
    const words = pending ? joinStretches([pending, window]) : window.words;
    const isFinal = (word: TranscriptWord) => (word.start + word.end) / 2 < until;
    const final = words.filter(isFinal);
    pending = { ...window, words: words.filter((word) => !isFinal(word)) };
    if (final.length > 0) report(final);
  };

  return (number, window) => {
    waiting.set(number, window);
    for (let found = waiting.get(next); found; found = waiting.get(next)) {
      waiting.delete(next);
      next += 1;
      advance(found);
    }
  };
}
