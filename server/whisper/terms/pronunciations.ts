/** Pronunciations of terms that differ from their spelling, written as a recogniser would write them. */

/** Pronunciations by term ("pixie" for PKCE). */
export type Pronunciations = Readonly<Record<string, string>>;

/** The most letters of an acronym that may be pronounced as a word. */
const MAX_LETTERS = 5;

/**
 * The ways to pronounce a term, in lower case and with capitals: as a pack lists it, as the words that capitals join,
 * and an acronym as a word.
 * @param say the pronunciation that a pack lists
 * @example
 * pronunciationsOf('OneLogin'); // => ['one login', 'One Login']
 * pronunciationsOf('PKCE', 'pixie'); // => ['pixie', 'Pixie']
 */
export function pronunciationsOf(term: string, say?: string): string[] {
  const apart = term.replaceAll(/(?<=\p{Ll})(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/gu, ' ');
  const all = [
    ...(say === undefined ? [] : [say]),
    ...(apart === term || say !== undefined ? [] : [apart]),
    ...(say === undefined && isSpokenAsWord(term) ? [term] : []),
  ].flatMap((text) => [text.toLowerCase(), capitalised(text.toLowerCase())]);
  return [...new Set(all)].filter((text) => text !== term);
}

/** Whether an acronym may be pronounced as a word: it has a vowel between consonants. */
const isSpokenAsWord = (term: string): boolean =>
  /^\p{Lu}+$/u.test(term) && term.length <= MAX_LETTERS && /[^AEIOU][AEIOU][^AEIOU]/.test(term);

const capitalised = (text: string): string =>
  text.replaceAll(/(?<!\p{L})\p{L}/gu, (letter) => letter.toUpperCase());
