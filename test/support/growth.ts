/**
 * Checks that a cost grows in proportion to its input. It measures processor time, so that other
 * programs on the machine do not count, and takes the lowest of several runs, since garbage
 * collection and compilation only add time.
 */

/** How many times as much the larger input is. `FUZZ` asks for the long look. */
const TIMES = Number(process.env['FUZZ'] ?? 1) > 1 ? 10 : 4;
/**
 * Over this many times the cost in proportion it grows faster than its input. A larger input also fits a cache less
 * well, the less so the more the machine does besides.
 */
export const MOST_EXCESS = 1.5;
/** So many times the cost in proportion is no noise: it is not measured again and again. */
const HOPELESS = 2 * MOST_EXCESS;
/** What is below a size that can be measured is not compared, in microseconds. */
const LEAST_US = 2000;
const TRIES = 8;

function once(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

/** The least processor time of several runs, in microseconds. */
export function costOf(work: () => void, runs = 3): number {
  let least = Infinity;
  for (let run = 0; run < runs; run += 1) least = Math.min(least, once(work));
  return least;
}

/**
 * The cost of a larger input against what it would be in proportion to a smaller one: about 1 for what is linear,
 * TIMES for what is quadratic, and 1 where even the larger takes too little to measure. The smaller work is done as
 * often as makes the larger, so that as much garbage is made for both. The least of several tries, of ever more runs
 * each, ended by the first that is well.
 * @param size of the smaller input
 */
export function excessOf(work: (size: number) => void, size: number): number {
  const inPieces = () => {
    for (let round = 0; round < TIMES; round += 1) work(size);
  };
  let least = Infinity;
  for (let runs = 1; runs <= TRIES; runs += 1) {
    const whole = costOf(() => work(TIMES * size), runs);
    if (whole < LEAST_US) return 1;
    least = Math.min(least, whole / Math.max(1, costOf(inPieces, runs)));
    if (least <= MOST_EXCESS || (runs > 3 && least > HOPELESS)) return least;
  }
  return least;
}
