/**
 * How words are compared: without case, accents and outer punctuation. A hyphenated word counts as
 * its parts and "S.L.A." as its letters, so that a term is found however it was written down.
 */

/** Lower case, accents dropped, typographic apostrophes made straight. */
export function fold(text: string): string {
  // oxlint-disable-next-line no-control-regex -- plain ASCII needs none of the rest
  if (/^[\x00-\x7f]*$/.test(text)) return text.toLowerCase();
  return text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .replace(/[‘’ʼ`´]/g, "'")
    .toLowerCase();
}

/** A word as written, taken apart: `("work-OS's),` → lead `("`, core `work-OS's`, trail `),`. */
export interface WordParts {
  lead: string;
  core: string;
  trail: string;
}

/** Parts a word from its outer punctuation. `+` and `#` at its end belong to it (C++, C#). */
export function wordParts(text: string): WordParts {
  const trimmed = text.trim();
  const first = trimmed.search(/[\p{L}\p{N}]/u);
  if (first < 0) return { lead: trimmed, core: '', trail: '' };
  const trail = TRAIL.exec(trimmed)?.[0] ?? '';
  return {
    lead: trimmed.slice(0, first),
    core: trimmed.slice(first, trimmed.length - trail.length),
    trail,
  };
}

/** Each run of punctuation is read once, from the letter before it: a search from every mark is quadratic. */
const TRAIL = /(?<=[\p{L}\p{N}\p{M}+#])[^\p{L}\p{N}\p{M}+#]*$/u;

/** What joins the parts of a word, as a class of characters. */
export const JOINTS = '\\-‐‑‒–—/_';
const BETWEEN_PARTS = new RegExp(`[${JOINTS}\\s]+`);

/** The comparable tokens of a text: "Fine-grained OAuth 2.1!" → fine, grained, oauth, 2.1. */
export function tokenize(text: string): string[] {
  return text.split(/\s+/).flatMap(tokenizeWord);
}

/** The comparable tokens of one word; none for bare punctuation. */
export function tokenizeWord(word: string): string[] {
  if (/^[a-z0-9]+$/.test(word)) return [word];
  return fold(wordParts(word).core)
    .split(BETWEEN_PARTS)
    .flatMap((part) => (/^(?:\p{L}\.)+\p{L}$/u.test(part) ? part.split('.') : [part]))
    .filter((part) => part !== '');
}

/** Two texts with the same key differ in case, accents, hyphens and outer punctuation alone. */
export const phraseKey = (text: string): string => tokenize(text).join(' ');

/** Whether a phrase is among others, by their keys. */
export function includesPhrase(phrases: readonly string[], phrase: string): boolean {
  const key = phraseKey(phrase);
  return phrases.some((other) => phraseKey(other) === key);
}

/** Two texts with the same compact form differ in spacing as well: "work os" and "WorkOS". */
export const compactKey = (text: string): string => tokenize(text).join('');

/** A token without its ending, where it may be a possessive or a plural. */
export interface Stem {
  stem: string;
  suffix: "'s" | 's';
}

/** "os's" → os + 's, "servers" → server + s; null for any other token. */
export function stemOf(token: string): Stem | null {
  if (token.endsWith("'s")) return { stem: token.slice(0, -2), suffix: "'s" };
  if (token.length >= 3 && token.endsWith('s') && !/['s]s$/.test(token)) {
    return { stem: token.slice(0, -1), suffix: 's' };
  }
  return null;
}
