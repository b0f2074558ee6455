/**
 * Checks that a cost grows in proportion to its input. It measures processor time, so that other
 * programs on the machine do not count, and takes the lowest of several runs, since garbage
 * collection and compilation only add time.
 */

/** The factor by which the larger input is larger. `FUZZ` selects the thorough check. */
const TIMES = Number(process.env['FUZZ'] ?? 1) > 1 ? 10 : 4;
/**
 * Above this multiple of the proportional cost, the cost grows faster than its input. The margin is
 * for caches, which a larger input fits less well, especially on a busy machine.
 */
export const MAX_EXCESS = 1.5;
/** Above this multiple the result cannot be noise, so the measurement is not repeated. */
const HOPELESS = 2 * MAX_EXCESS;
/** Costs below this, in microseconds, are too small to compare. */
const MIN_US = 2000;
const TRIES = 8;

function once(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

/** The lowest processor time of several runs, in microseconds. */
export function costOf(work: () => void, runs = 3): number {
  let least = Infinity;
  for (let run = 0; run < runs; run += 1) least = Math.min(least, once(work));
  return least;
}

/**
 * The cost of a larger input relative to the cost proportional to a smaller one: about 1 if linear,
 * TIMES if quadratic, and 1 if even the larger input takes too little to measure. The smaller work
 * is repeated to match the larger, so that both produce the same amount of garbage. The result is
 * the lowest of several tries with an increasing number of runs, and the first good one ends the
 * search.
 * @param size of the smaller input
 */
export function excessOf(work: (size: number) => void, size: number): number {
  const inPieces = () => {
    for (let round = 0; round < TIMES; round += 1) work(size);
  };
  let least = Infinity;
  for (let runs = 1; runs <= TRIES; runs += 1) {
    const whole = costOf(() => work(TIMES * size), runs);
    if (whole < MIN_US) return 1;
    least = Math.min(least, whole / Math.max(1, costOf(inPieces, runs)));
    if (least <= MAX_EXCESS || (runs > 3 && least > HOPELESS)) return least;
  }
  return least;
}
