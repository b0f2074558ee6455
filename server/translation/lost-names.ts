/** The addresses and technical names of a sentence that its translation lost. */
import { termKeyOf, type TranslationTerm } from './terms.ts';

const ADDRESS =
  /(?:https?:\/\/|www\.)[^\s<>]+|(?<![\p{L}\p{N}._%+-])[\p{L}\p{N}._%+-]{1,64}@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+|(?<![a-z0-9.-])[a-z0-9-]+(?:\.[a-z0-9-]+)*\.(?:ai|app|ch|co|com|de|dev|edu|eu|fr|gov|io|jp|net|org|uk)\b(?:\/[^\s<>]*)?|(?<![\p{L}\p{N}])[@#][\p{L}_][\p{L}\p{N}_]+/giu;
/** Matches a name by its letters: `GitHub`, `iPhone`, `H100`, `GPT-4`. */
const NAME = /[\p{L}\p{N}][\p{L}\p{N}.+-]*[\p{L}\p{N}+]/gu;
const INNER_CAPITAL = /\p{Ll}\p{Lu}/u;
/** A number with a unit or an ending, which every language writes in its own way: `1st`, `5pm`, `90s`, `20er`. */
const COUNTED = /^\p{N}+(?:[.,:]\p{N}+)?-?\p{L}{1,3}$/u;

const addressesIn = (text: string): string[] =>
  (text.match(ADDRESS) ?? []).map((address) =>
    address.replace(/(?<![.,;:!?)\]}'"»”])[.,;:!?)\]}'"»”]+$/u, ''),
  );

/** A text without its addresses. */
export const withoutAddresses = (text: string): string => text.replace(ADDRESS, ' ');

/**
 * The addresses and technical names of a text that are missing in its translation. A name of ordinary letters is only
 * known by a term.
 * @example
 * lostNames('See github.com, or ask GitHub.', 'Siehe github.com.'); // => ['GitHub']
 */
export function lostNames(
  source: string,
  text: string,
  terms: readonly TranslationTerm[] = [],
): string[] {
  const lost = addressesIn(source).filter((address) => !text.includes(address));
  const key = termKeyOf(text);
  const translated = terms.filter(({ translation }) => translation !== undefined);
  for (const name of withoutAddresses(source).match(NAME) ?? []) {
    const isName =
      INNER_CAPITAL.test(name) ||
      (/\p{N}/u.test(name) && /\p{L}/u.test(name) && !COUNTED.test(name));
    if (!isName || translated.some((term) => termKeyOf(term.canonical).includes(termKeyOf(name))))
      continue;
    if (!key.includes(termKeyOf(name))) lost.push(name);
  }
  return lost;
}

/** A text without its technical names, and without words that have digits. */
export const withoutNames = (text: string): string =>
  text.replace(NAME, (name) => (INNER_CAPITAL.test(name) || /\p{N}/u.test(name) ? ' ' : name));
