/** The loudest moment of any part of a recording, found without looking at every value of it. */

/** The number of values that one value of the next level summarises. */
const STEP = 8;

const known = new WeakMap<Uint8Array, readonly Uint8Array[]>();

/** Peaks in ever coarser levels: each value is the highest of the eight below it. */
function levelsOf(peaks: Uint8Array): readonly Uint8Array[] {
  const before = known.get(peaks);
  if (before) return before;
  const levels = [peaks];
  for (let fine = peaks; fine.length > 1;) {
    const coarse = new Uint8Array(Math.ceil(fine.length / STEP));
    for (const [at, value] of fine.entries()) {
      const above = Math.floor(at / STEP);
      coarse[above] = Math.max(coarse[above]!, value);
    }
    levels.push(coarse);
    fine = coarse;
  }
  known.set(peaks, levels);
  return levels;
}

/** The highest of the values from one position up to another, which is exclusive; 0 if there are none. */
export function loudestIn(peaks: Uint8Array, from: number, to: number): number {
  let [first, end] = [Math.max(0, from), Math.min(to, peaks.length)];
  let loudest = 0;
  for (const level of levelsOf(peaks)) {
    const take = (at: number): void => {
      loudest = Math.max(loudest, level[at]!);
    };
    // The values at either end that do not fill a value of the next level.
    while (first < end && first % STEP !== 0) take(first++);
    while (end > first && end % STEP !== 0) take(--end);
    first /= STEP;
    end /= STEP;
  }
  return loudest;
}
