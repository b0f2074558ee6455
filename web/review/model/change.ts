/** A change to a review, in the form in which it is stored. */
import type { Splice } from './splice.ts';

/** A person's decision on a term correction; `open` until there is one. */
export type Decision = 'accepted' | 'rejected' | 'open';

export interface DecisionChange {
  /** The id of the correction or of the doubtful word. */
  readonly id: string;
  readonly before: Decision;
  readonly after: Decision;
}

/** One step of undo. It is plain JSON, so that it can be stored. */
export interface Change {
  /** The kind of edit, for display. */
  readonly kind: string;
  /** Applied in order. */
  readonly splices: readonly Splice[];
  readonly decisions?: readonly DecisionChange[];
  /** The id of the cue that was edited, if it was a single one. */
  readonly cueId: number | null;
  /**
   * Consecutive changes with the same group and cue are merged into one step, such as the
   * keystrokes of a word.
   */
  readonly group?: string;
  /** Undo stops here: the change came from the service, not from this browser. */
  readonly fixed?: true;
}

const WORD = 'word ';
const UNHEARD = 'unheard@';

/**
 * The id of the decision that a doubtful word is right; the word is named by its position in the
 * transcript.
 */
export const wordDecision = (word: number): string => `${WORD}${word}`;

/**
 * The id of the decision that nothing is missing in a stretch without captions, which is named by
 * its start in seconds.
 */
export const unheardDecision = (start: number): string => `${UNHEARD}${start.toFixed(1)}`;

/** Whether an id belongs to a doubt: a word or a stretch, which are open until somebody decides. */
export const isDoubtDecision = (id: string): boolean =>
  id.startsWith(WORD) || id.startsWith(UNHEARD);
