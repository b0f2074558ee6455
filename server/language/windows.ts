/** Selects the words that a language model gets to see: only those around candidates. */
import type { Draft } from '../terminology/decide/decide.ts';

/** A stretch of the transcript (word indexes, inclusive) with its candidates. */
export interface Window {
  first: number;
  last: number;
  candidates: Draft[];
}

/** The words of context on either side of a candidate. */
const CONTEXT_WORDS = 12;
/** The approximate number of candidates per call. */
const CANDIDATES_PER_CALL = 20;

/**
 * The windows around candidates, merged if they touch, and grouped into calls of about twenty candidates.
 * @param candidates in order of place
 * @param wordCount the number of words in the transcript
 */
export function windowsAround(candidates: readonly Draft[], wordCount: number): Window[][] {
  const windows: Window[] = [];
  for (const candidate of candidates) {
    const { firstWord, lastWord } = candidate.correction;
    const first = Math.max(0, firstWord - CONTEXT_WORDS);
    const last = Math.min(wordCount - 1, lastWord + CONTEXT_WORDS);
    const open = windows.at(-1);
    if (open && first <= open.last + 1 && open.candidates.length < CANDIDATES_PER_CALL) {
      open.last = Math.max(open.last, last);
      open.candidates.push(candidate);
    } else {
      windows.push({ first, last, candidates: [candidate] });
    }
  }
  return calls(windows);
}

function calls(windows: readonly Window[]): Window[][] {
  const made: Window[][] = [];
  let room = 0;
  for (const window of windows) {
    const open = made.at(-1);
    if (open && window.candidates.length <= room) {
      open.push(window);
      room -= window.candidates.length;
    } else {
      made.push([window]);
      room = CANDIDATES_PER_CALL - window.candidates.length;
    }
  }
  return made;
}
