/** What a search finds in a transcript: forms of terms, and the places to correct. */
import type { ActiveTerm } from './compile.ts';
import type { Evidence } from './evidence.ts';
import type { Surface } from './surfaces.ts';

/** A place to correct. Word indexes are inclusive. */
export interface Match {
  firstWord: number;
  lastWord: number;
  term: ActiveTerm;
  /** The recognised words, without outer punctuation. */
  surface: string;
  /** The replacement, with the punctuation and ending of the recognised words. */
  replacement: string;
  evidence: Evidence;
  confidence: number;
  /** The reason in a sentence. */
  reason: string;
  /** True if the replacement is only part of the term, whose other words stand beside it. */
  part?: true;
}

/** A surface found at a span of tokens; `match` is null if the words are already right. */
export interface Found {
  first: number;
  last: number;
  surface: Surface;
  match: Match | null;
  /** Needs supporting evidence: yields to findings that do not. */
  weak: boolean;
}

/** Returns the near word of a term close to a span of tokens, or null. */
export type NearWord = (term: ActiveTerm, first: number, last: number) => string | null;
