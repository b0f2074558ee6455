/** Measures against a rival: in turn, so that a busy machine affects both, and as uniform rows. */
import { figure, median, times } from './figures.ts';

/** A row of the table of ratios. */
export interface Row {
  what: string;
  /** The rival or the limit. */
  against: string;
  /** Our median divided by theirs. */
  ratio: string;
  /** Medians. */
  ours: string;
  theirs: string;
  /** The smallest and largest ratio of a round. */
  spread: string;
}

/**
 * Runs each piece of work once per round, in turn, after a warm-up round; returns the measurements.
 */
export async function inTurn<Name extends string, Figure>(
  rounds: number,
  work: Record<Name, () => Promise<Figure>>,
): Promise<Record<Name, Figure[]>> {
  const names = Object.keys(work) as Name[];
  const found = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<
    Name,
    Figure[]
  >;
  for (let round = 0; round <= rounds; round += 1) {
    for (const name of names) {
      const measured = await work[name]();
      if (round > 0) found[name].push(measured);
    }
  }
  return found;
}

/** Turns work into a measurement of its time, in milliseconds. */
export const timed = (work: () => unknown) => async (): Promise<number> => {
  const start = performance.now();
  await work();
  return performance.now() - start;
};

/**
 * A row from the measurements of both, by round and in the same unit. A limit is a list of one
 * value, which applies to every round.
 */
export function row(
  what: string,
  against: string,
  unit: string,
  ours: readonly number[],
  theirs: readonly number[],
): Row {
  const ratios = ours.map((value, round) => value / (theirs[round] ?? theirs.at(-1) ?? Number.NaN));
  const spread = [Math.min(...ratios), Math.max(...ratios)].map(times);
  return {
    what,
    against,
    ratio: times(median(ours) / median(theirs)),
    ours: figure(median(ours), unit),
    theirs: figure(median(theirs), unit),
    spread: ours.length > 1 ? spread.join(' – ') : 'one round',
  };
}
