/** Names that were given in capitals, as a list of speakers often has them, with the capitals that captions have. */
import type { TranscriptWord } from '../../contract/results.ts';
import { tokenize, wordParts } from '../match/normalize.ts';
import { isFunctionWord } from '../match/ordinary-words.ts';
import { listedSound, spelledSound } from '../sound/pronounce.ts';
import type { ActiveTerm } from '../active-term.ts';
import { ordinariness, STRANGE } from './ordinariness.ts';

/** The most letters of an acronym that no dictionary has: alone (COVID), and in a name of several words (BMO Capital). */
const MAX_ACRONYM = { alone: 5, amongWords: 3 } as const;
/** The fewest letters by which a word in capitals is known as a word. */
const MIN_WORD = 3;

const isShouted = (name: string): boolean => /\p{Lu}/u.test(name) && !/\p{Ll}/u.test(name);

/** Whether a word is in a dictionary, as English words and most names of people are, and is not spoken by its letters. */
const isKnown = (word: string): boolean =>
  tokenize(word).every((token) => {
    const listed = listedSound(token);
    return listed === undefined ? ordinariness(token) > STRANGE : listed !== spelledSound(token);
  });

/** Whether at least two of the words of a name are in a dictionary. */
const hasWords = (name: string): boolean =>
  name.split(' ').filter((word) => word.length >= MIN_WORD && isKnown(word)).length > 1;

/** A word in capitals with a capital only where each of its parts begins: "O'ROURKE" becomes "O'Rourke". Acronyms stay. */
function quiet(word: string, at: number, most: number): string {
  const lower = word.toLowerCase();
  if (!/^[\p{L}'’.-]+$/u.test(word) || !/[aeiouy]/.test(lower)) return word;
  if (at > 0 && isFunctionWord(lower)) return lower;
  if (word.length <= most && !isKnown(word)) return word;
  return lower.replace(/\p{L}+/gu, (part, from: number) =>
    from > 0 && part.length === 1 ? part : part.charAt(0).toUpperCase() + part.slice(1),
  );
}

/**
 * Terms whose names were given in capitals with those that captions have: names of several words of which two are in a
 * dictionary and, if everything was given in capitals, all others. What the transcript writes in capitals stays.
 * @returns the same list if there is nothing to change
 * @example
 * const names = ['CAROLINA DYBECK HAPPE', 'GAAP', 'SUNOCO', 'BANK OF AMERICA'];
 * const given = names.map((canonical) => ({ canonical, given: true, packIds: [] }));
 * withQuietCapitals(given as never, []).map(({ canonical }) => canonical);
 * // => ['Carolina Dybeck Happe', 'GAAP', 'Sunoco', 'Bank of America']
 */
export function withQuietCapitals(
  terms: readonly ActiveTerm[],
  words: readonly TranscriptWord[],
): readonly ActiveTerm[] {
  const given = terms.filter((term) => term.given && term.packIds.length === 0);
  const shouted = given.filter(({ canonical }) => isShouted(canonical));
  const [isAll, some] = [
    shouted.length === given.length,
    shouted.filter(({ canonical }) => hasWords(canonical)),
  ];
  if (some.length === 0) return terms;
  const quieted = new Set(isAll ? shouted : some);
  const heard = words.map(({ text }) => wordParts(text).core);
  const mixed = heard.some((word) => /\p{Ll}/u.test(word));
  const loud = new Set(mixed ? heard.filter((word) => word.length > 1 && isShouted(word)) : []);
  return terms.map((term) => {
    if (!quieted.has(term)) return term;
    const own = term.canonical.split(' ');
    const most = own.length > 1 ? MAX_ACRONYM.amongWords : MAX_ACRONYM.alone;
    const canonical = own
      .map((word, at) => (loud.has(word) ? word : quiet(word, at, most)))
      .join(' ');
    return { ...term, canonical };
  });
}
