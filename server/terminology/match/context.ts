/** The context of a place in a talk: the certain terms around it. */
import type { ActiveTerm } from '../packs/compile.ts';

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
