/** Whether the names that were given belong to the talk at all: so many of them are said in it. */
import type { Talk } from './evidence.ts';

/** Of fewer names, some are said by chance as often as not. */
const MANY_NAMES = 10;
/** The names that a short talk has to have, and a long one: one more for each thousand words. */
const LEAST_SAID = 3;
const MOST_SAID = 12;
const WORDS_PER_NAME = 1000;
/** A talk that has one in so many of the names has enough of them. */
const ONE_IN = 3;

/**
 * Whether a talk has enough of the names that were given for it. Talks of one trade share some: a dozen names of another
 * company's call may be said, but hardly more.
 * @param heard names that are certain to be said, although they are written in another way
 */
export function belong({ stream, index, counts }: Talk, heard: Iterable<string>): boolean {
  const names = new Set<string>();
  const said = new Set(heard);
  for (const [key, forms] of index.byKey) {
    const isSaid = counts.has(key);
    for (const { name, before, after } of forms) {
      names.add(name);
      if (isSaid && before.length + after.length === 0) said.add(name);
    }
  }
  const least = LEAST_SAID + Math.floor(stream.tokens.length / WORDS_PER_NAME);
  return (
    names.size < MANY_NAMES ||
    said.size >= Math.min(MOST_SAID, least) ||
    said.size * ONE_IN >= names.size
  );
}
