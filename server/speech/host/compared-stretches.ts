/** The stretches in which a plain and a biased recognition of a window agree or differ. */
import { diffArrays } from 'diff';

/** A stretch in which the recognitions agree or differ, as index ranges in both that exclude their ends. */
export interface ComparedStretch {
  equal: boolean;
  plain: [first: number, end: number];
  biased: [first: number, end: number];
}

/** Divides two recognitions, by the keys of their words. */
export function stretchesOf(
  plain: readonly string[],
  biased: readonly string[],
): ComparedStretch[] {
  const stretches: ComparedStretch[] = [];
  let [p, b] = [0, 0];
  for (const { added, removed, count = 0 } of diffArrays([...plain], [...biased])) {
    const last = stretches.at(-1);
    const equal = !added && !removed;
    const [nextP, nextB] = [added ? p : p + count, removed ? b : b + count];
    // A replacement is reported as a removal and an addition.
    if (last && !equal && !last.equal) [last.plain[1], last.biased[1]] = [nextP, nextB];
    else stretches.push({ equal, plain: [p, nextP], biased: [b, nextB] });
    [p, b] = [nextP, nextB];
  }
  return stretches;
}

/**
 * The first and the last of the stretches that biased words are in, from `first` up to but not including `end`; null if
 * the recognitions agree in all of them.
 */
export function stretchesAt(
  { first, end }: { first: number; end: number },
  stretches: readonly ComparedStretch[],
): { head: ComparedStretch; tail: ComparedStretch } | null {
  const touched = stretches.filter(({ biased: [a, b] }) => a < end && b > first);
  const [head, tail] = [touched[0], touched.at(-1)];
  return head && tail && !touched.every(({ equal }) => equal) ? { head, tail } : null;
}

/** The index of a plain word where the recognitions agree, so that words correspond one to one. */
export const plainIndex = ({ plain: [p], biased: [b] }: ComparedStretch, at: number): number =>
  p + at - b;
