/** What a search for terms has found, the context around it, and the places that are still free. */
import type { ActiveTerm } from '../active-term.ts';
import type { Evidence } from './judge.ts';

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
  /** What a whole talk says about a name that was given for it, from which a language model decides. */
  talk?: NameInTalk;
  /** Set if the recognised words are a name of this talk themselves, which may have been meant. */
  heardIsGiven?: true;
}

/** A name and what stands in its place, in a talk. */
export interface NameInTalk {
  /** The whole name, of which the replacement may be a part. */
  name: string;
  /** How alike they sound, from 0 to 1. */
  alike: number;
  /** How often the talk has the recognised words, and how often the name as it was given. */
  heard: number;
  said: number;
}

/** The greatest distance between a term and the evidence that supports it, in tokens. */
export const NEAR_TOKENS = 12;

/** A span of tokens that is a term. */
export interface Sighting {
  first: number;
  last: number;
  term: ActiveTerm;
}

/**
 * The first sighting of a term of the same pack near a span but outside it; null if there is none.
 */
export function contextOf(
  term: ActiveTerm,
  first: number,
  last: number,
  sightings: readonly Sighting[],
): Sighting | null {
  for (let at = firstWithin(sightings, first - NEAR_TOKENS); at < sightings.length; at += 1) {
    const sighting = sightings[at];
    if (!sighting || sighting.first > last + NEAR_TOKENS) return null;
    const outside = sighting.last < first || sighting.first > last;
    if (outside && sharePack(sighting.term, term)) return sighting;
  }
  return null;
}

/** The index of the first sighting that ends at or after a token. Sightings are in order and do not overlap. */
function firstWithin(sightings: readonly Sighting[], token: number): number {
  let low = 0;
  for (let high = sightings.length; low < high;) {
    const middle = (low + high) >> 1;
    if ((sightings[middle]?.last ?? 0) < token) low = middle + 1;
    else high = middle;
  }
  return low;
}

const sharePack = (a: ActiveTerm, b: ActiveTerm): boolean =>
  a.packIds.some((id) => b.packIds.includes(id));

/** The places (tokens or words) that are still free, by index. */
export interface FreePlaces {
  /** Whether none of the places from `first` to `last` (inclusive) is taken. */
  isFree(first: number, last?: number): boolean;
  take(first: number, last: number): void;
}

/**
 * Creates a set of `count` places, none of them taken.
 * @example
 * const places = freePlaces(3);
 * places.isFree(0, 2); // => true
 */
export function freePlaces(count: number): FreePlaces {
  const taken = new Uint8Array(count);
  return {
    isFree(first, last = first) {
      for (let at = first; at <= last; at += 1) if (taken[at] === 1) return false;
      return true;
    },
    take: (first, last) => void taken.fill(1, first, last + 1),
  };
}
