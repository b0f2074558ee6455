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
