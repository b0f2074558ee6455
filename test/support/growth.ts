/** How a cost grows with its input, in processor time: another program on the machine does not count. */

/** Ten times as much input may take this many times as long. */
export const MOST_GROWTH = 12;
/** What is below a size that can be measured is not compared, in microseconds. */
const LEAST_US = 2000;
const TRIES = 4;

function once(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

/** The least processor time of several runs, in microseconds. Garbage and compilers add, nothing takes away. */
export function costOf(work: () => void, runs = 3): number {
  let least = Infinity;
  for (let run = 0; run < runs; run += 1) least = Math.min(least, once(work));
  return least;
}

/**
 * How many times as long `work` takes on ten times the input; 1 where even that takes too little to measure.
 * The smaller work is done ten times, so that as much garbage is made for both. The least of several tries, ended
 * by the first that is well.
 * @param size of the smaller input
 */
export function growthOf(work: (size: number) => void, size: number): number {
  const tenSmall = () => {
    for (let round = 0; round < 10; round += 1) work(size);
  };
  let least = Infinity;
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    const large = costOf(() => work(10 * size), attempt + 1);
    if (large < LEAST_US) return 1;
    least = Math.min(least, (10 * large) / Math.max(1, costOf(tenSmall, attempt + 1)));
    if (least <= MOST_GROWTH) return least;
  }
  return least;
}
