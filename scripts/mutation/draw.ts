/** Draws without replacement, reproducibly by a seed. */

/**
 * Draws `count` items, or all if there are fewer.
 * @example
 * draw(['a', 'b', 'c'], 2, 7); // always the same two
 */
export function draw<T>(all: readonly T[], count: number, seed: number): T[] {
  const random = randomNumbers(seed);
  const rest = [...all];
  const drawn: T[] = [];
  while (drawn.length < count && rest.length > 0) {
    drawn.push(...rest.splice(Math.floor(random() * rest.length), 1));
  }
  return drawn;
}

/** Mulberry32: numbers in [0, 1). */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
