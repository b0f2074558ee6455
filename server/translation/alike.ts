/** Whether two texts say the same, by their letters alone. */
import { withoutTags } from './sentences.ts';

/** The letters and digits of a text in lower case: all that two spellings of the same words have in common. */
export const lettersOf = (text: string): string =>
  text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');

/** The fewest characters of a translation that is no coincidence if it occurs twice. */
export const COINCIDENCE = 15;

/** The least share of letters in pairs that two texts of one meaning have in common. */
const ALIKE = 0.5;

/**
 * Whether two texts have much in common.
 * @example
 * areAlike('Thank you very much.', 'Thanks so much.'); // => true
 */
export function areAlike(a: string, b: string): boolean {
  const [one, other] = [a, b].map((text) => {
    const letters = lettersOf(withoutTags(text));
    return new Set(Array.from(letters, (_, at) => letters.slice(at, at + 2)));
  }) as [Set<string>, Set<string>];
  const shared = Array.from(one).filter((pair) => other.has(pair)).length;
  return 2 * shared >= ALIKE * (one.size + other.size);
}

/**
 * Whether a model repeated the sentence that it was given, apart from small slips.
 * @example
 * isSameSentence('Hello there, all.', 'hello there all'); // => true
 */
export function isSameSentence(sentence: string, repeated: string): boolean {
  const [a, b] = [lettersOf(withoutTags(sentence)), lettersOf(withoutTags(repeated))];
  if (a === b) return true;
  if (Math.min(a.length, b.length) < 0.8 * Math.max(a.length, b.length)) return false;
  // Two slips at most: the same beginning and end around them.
  let [head, tail] = [0, 0];
  const shorter = Math.min(a.length, b.length);
  while (head < shorter && a[head] === b[head]) head += 1;
  while (tail < shorter - head && a.at(-1 - tail) === b.at(-1 - tail)) tail += 1;
  return head + tail >= 0.8 * Math.max(a.length, b.length) && a.length >= COINCIDENCE;
}
