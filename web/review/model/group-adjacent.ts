/** Groups adjacent positions. */

/** Groups ascending positions into runs of neighbours, each given by its first and last. */
export function groupAdjacent(indices: readonly number[]): [from: number, to: number][] {
  const runs: [number, number][] = [];
  for (const index of indices) {
    const run = runs.at(-1);
    if (run && run[1] === index - 1) run[1] = index;
    else runs.push([index, index]);
  }
  return runs;
}
