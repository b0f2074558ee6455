/** A change of a review, as it is kept. */
import type { Splice } from './splice.ts';

/** What a person decided on a correction of a term; open until then. */
export type Decision = 'accepted' | 'rejected' | 'open';

export interface DecisionChange {
  /** That of the correction, or of a doubtful word. */
  readonly id: string;
  readonly before: Decision;
  readonly after: Decision;
}

/** One step of undo. It is plain JSON, so that it can be stored. */
export interface Change {
  /** What was done, for whoever shows it. */
  readonly kind: string;
  /** Applied in order. */
  readonly splices: readonly Splice[];
  readonly decisions?: readonly DecisionChange[];
  /** The cue that it was done to, where it was one. */
  readonly cueId: number | null;
  /** Changes of one group on one cue, one after the other, are one step: the keys of a word. */
  readonly group?: string;
  /** Undo stops here: it is the review as the service had it, not a step of this browser. */
  readonly fixed?: true;
}

const WORD = 'word ';

/** The id under which it is kept that a doubtful word is right, by its position in the transcript. */
export const wordDecision = (word: number): string => `${WORD}${word}`;

/** Whether an id is that of a word: words are open until somebody has decided. */
export const isWordDecision = (id: string): boolean => id.startsWith(WORD);
