/** Counts word errors against a reference, by the alignment with the fewest errors. */

export interface WordErrors {
  substitutions: number;
  deletions: number;
  insertions: number;
  /** The number of words in the reference. */
  words: number;
  /** The positions of matching words in the reference and the hypothesis. */
  agreed: [reference: number, hypothesis: number][];
}

/** Aligns two lists of words. */
export function wordErrors(
  reference: readonly string[],
  hypothesis: readonly string[],
): WordErrors {
  const width = hypothesis.length + 1;
  const costs = new Uint32Array((reference.length + 1) * width);
  const cost = (i: number, j: number): number => costs[i * width + j] ?? 0;
  for (let i = 0; i <= reference.length; i += 1) {
    for (let j = 0; j <= hypothesis.length; j += 1) {
      if (i === 0 || j === 0) costs[i * width + j] = i + j;
      else {
        const same = reference[i - 1] === hypothesis[j - 1] ? 0 : 1;
        costs[i * width + j] = Math.min(
          cost(i - 1, j - 1) + same,
          cost(i - 1, j) + 1,
          cost(i, j - 1) + 1,
        );
      }
    }
  }
  const found: WordErrors = {
    substitutions: 0,
    deletions: 0,
    insertions: 0,
    words: reference.length,
    agreed: [],
  };
  let [i, j] = [reference.length, hypothesis.length];
  while (i > 0 || j > 0) {
    const same = i > 0 && j > 0 && reference[i - 1] === hypothesis[j - 1];
    if (i > 0 && j > 0 && cost(i, j) === cost(i - 1, j - 1) + (same ? 0 : 1)) {
      i -= 1;
      j -= 1;
      if (same) found.agreed.unshift([i, j]);
      else found.substitutions += 1;
    } else if (i > 0 && cost(i, j) === cost(i - 1, j) + 1) {
      i -= 1;
      found.deletions += 1;
    } else {
      j -= 1;
      found.insertions += 1;
    }
  }
  return found;
}

/** Word error rate: errors per word of the reference. */
export const errorRate = (all: readonly WordErrors[]): number => {
  const sum = (count: (one: WordErrors) => number): number =>
    all.reduce((total, one) => total + count(one), 0);
  const errors = sum((one) => one.substitutions + one.deletions + one.insertions);
  return (
    errors /
    Math.max(
      1,
      sum((one) => one.words),
    )
  );
};
