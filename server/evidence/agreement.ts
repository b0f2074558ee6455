/** How far two people agree who judged the same words. */

/** The share of words on which they agree, and Cohen's kappa: the part of it that chance does not explain. */
export interface Agreement {
  words: number;
  share: number;
  /** Null if both found all words right, or all wrong: chance explains that. */
  kappa: number | null;
}

/**
 * Compares two lists of marks, word by word.
 * @example
 * agreementOf([true, true, false], [true, true, false]); // => { words: 3, share: 1, kappa: 1 }
 */
export function agreementOf(one: readonly boolean[], other: readonly boolean[]): Agreement | null {
  const words = Math.min(one.length, other.length);
  if (words === 0) return null;
  let [same, first, second] = [0, 0, 0];
  for (let at = 0; at < words; at += 1) {
    if (one[at] === other[at]) same += 1;
    if (one[at]) first += 1;
    if (other[at]) second += 1;
  }
  const share = same / words;
  const chance = (first * second + (words - first) * (words - second)) / (words * words);
  return { words, share, kappa: chance < 1 ? (share - chance) / (1 - chance) : null };
}
