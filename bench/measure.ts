/** Timings as medians of several runs, taken in turn so that a busy machine is busy for both. */

export interface Measured {
  /** Milliseconds. */
  median: number;
  least: number;
  most: number;
}

/** Runs each piece of work `rounds` times, one after the other in turn, after one round to warm up. */
export async function inTurn(
  rounds: number,
  work: Record<string, () => unknown>,
): Promise<Record<string, Measured>> {
  const times = new Map<string, number[]>();
  for (let round = 0; round <= rounds; round += 1) {
    for (const [name, run] of Object.entries(work)) {
      const start = performance.now();
      await run();
      if (round > 0) times.set(name, [...(times.get(name) ?? []), performance.now() - start]);
    }
  }
  return Object.fromEntries([...times].map(([name, list]) => [name, summary(list)]));
}

const summary = (list: readonly number[]): Measured => ({
  median: median(list),
  least: Math.min(...list),
  most: Math.max(...list),
});

/** The middle one of a list; of two in the middle the higher. */
export function median(list: readonly number[]): number {
  const sorted = list.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

/** A row of the table: what was measured, against what, the ratio of their medians, and the spread. */
export interface Row {
  what: string;
  against: string;
  ratio: string;
  median: string;
  spread: string;
}

/** A row for `ours` against `theirs`: how many times theirs takes ours. */
export function row(what: string, against: string, ours: Measured, theirs: Measured): Row {
  return {
    what,
    against,
    ratio: `${(ours.median / theirs.median).toFixed(2)} ×`,
    median: `${ours.median.toFixed(1)} ms / ${theirs.median.toFixed(1)} ms`,
    spread: `${ours.least.toFixed(1)}–${ours.most.toFixed(1)} ms`,
  };
}
