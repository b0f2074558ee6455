/** The results of a search in a transcript: forms of terms, and the places to correct. */
import type { ActiveTerm } from '../packs/compile.ts';
import type { Evidence } from './judge.ts';
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
  /** The reason as a sentence. */
  reason: string;
  /** Set if the replacement is only a part of the term, whose other words are next to it. */
  part?: true;
}

/** A surface found at a span of tokens; `match` is null if the words are already right. */
export interface Found {
  first: number;
  last: number;
  surface: Surface;
  match: Match | null;
  /** Whether it needs supporting evidence, and so yields to findings that do not. */
  weak: boolean;
}

/** Returns a near word of a term close to a span of tokens, or null. */
export type NearWord = (term: ActiveTerm, first: number, last: number) => string | null;
