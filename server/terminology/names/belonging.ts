/** How close the names that were given are to the talk: how many of them are said in it. */
import type { Talk } from './evidence.ts';

/** Of fewer names, some are said by chance as often as not. */
const MANY_NAMES = 10;
/** A talk of fewer words says nothing of names that it does not have. */
const SHORT_WORDS = 200;
/** The names that a short talk has to have, and a long one: one more for so many words. */
const LEAST_SAID = 3;
const MOST_SAID = 12;
const WORDS_PER_NAME = 900;
/** Names of which one in so many is said are this talk's own. */
const ONE_IN = 3;

/** Names of another talk, some names of this one among others, or hardly any others. */
export type Belonging = 'strange' | 'mixed' | 'own';

/**
 * How close the names that were given for a talk are to it. Talks of one trade share some: a dozen names of another
 * company's call may be said, but hardly more.
 * @param heard names that are certain to be said, although they are written in another way
 */
export function belongingOf({ stream, index, counts }: Talk, heard: Iterable<string>): Belonging {
  const names = new Set<string>();
  const said = new Set(heard);
  for (const [key, forms] of index.byKey) {
    const isSaid = counts.has(key);
    for (const { name, before, after } of forms) {
      names.add(name);
      if (isSaid && before.length + after.length === 0) said.add(name);
    }
  }
  if (names.size < MANY_NAMES || stream.tokens.length < SHORT_WORDS) return 'mixed';
  if (said.size * ONE_IN >= names.size) return 'own';
  const least = LEAST_SAID + Math.floor(stream.tokens.length / WORDS_PER_NAME);
  return said.size >= Math.min(MOST_SAID, least) ? 'mixed' : 'strange';
}
