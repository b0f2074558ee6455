/** Finds the entries of a list that match typed letters, best first. */

/**
 * The entries in which each typed part occurs, in any order; entries with words that begin with the
 * parts come first. All entries, in their order, for a blank query.
 */
export function matching<T>(
  entries: readonly T[],
  query: string,
  nameOf: (entry: T) => string,
): readonly T[] {
  const typed = query
    .toLowerCase()
    .split(/\s+/)
    .filter((part) => part !== '');
  const scoreOf = (entry: T): number => {
    const name = nameOf(entry).toLowerCase();
    const words = name.split(/[\s:,]+/);
    let score = 0;
    for (const part of typed) {
      if (words.some((word) => word.startsWith(part))) score += 2;
      else if (name.includes(part)) score += 1;
      else return -1;
    }
    return score + (name.startsWith(typed[0] ?? '') ? 1 : 0);
  };
  return entries
    .map((entry) => ({ entry, score: scoreOf(entry) }))
    .filter(({ score }) => score >= 0)
    .toSorted((a, b) => b.score - a.score)
    .map(({ entry }) => entry);
}
