/**
 * Normalises words for comparison: without case, accents and outer punctuation. A hyphenated word counts as its parts
 * and "S.L.A." as its letters, so that a term is found however it is written.
 */

/**
 * Folds text: lower case, no accents, straight apostrophes.
 * @example
 * fold('Café’s'); // => "cafe's"
 */
export function fold(text: string): string {
  // oxlint-disable-next-line no-control-regex -- plain ASCII needs none of the rest
  if (/^[\x00-\x7f]*$/.test(text)) return text.toLowerCase();
  return text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .replace(/[‘’ʼ`´]/g, "'")
    .toLowerCase();
}

/** A word divided into its parts: in `("work-OS's),` the lead is `("`, the core `work-OS's` and the trail `),`. */
interface WordParts {
  lead: string;
  core: string;
  trail: string;
}

/**
 * Separates a word from its outer punctuation. `+` and `#` at its end belong to it (C++, C#).
 * @example
 * wordParts('("work-OS\'s),'); // => { lead: '("', core: "work-OS's", trail: '),' }
 */
export function wordParts(text: string): WordParts {
  const trimmed = text.trim();
  const [first, end] = plainCore(trimmed) ?? anyCore(trimmed);
  if (first < 0) return { lead: trimmed, core: '', trail: '' };
  return {
    lead: trimmed.slice(0, first),
    core: trimmed.slice(first, end),
    trail: trimmed.slice(end),
  };
}

/** Where the core of a word begins and ends; it begins at -1 if there is none. */
type Core = readonly [first: number, end: number];

function anyCore(text: string): Core {
  const first = text.search(/[\p{L}\p{N}]/u);
  return [first, text.length - (TRAIL.exec(text)?.[0].length ?? 0)];
}

/** The same for a word with plain ASCII on both sides of its core, as nearly all have, without expressions; else null. */
function plainCore(text: string): Core | null {
  let first = 0;
  while (first < text.length && !isPlain(text.charCodeAt(first))) {
    if (text.charCodeAt(first) > ASCII) return null;
    first += 1;
  }
  if (first === text.length) return [-1, 0];
  let end = text.length;
  while (!isPlain(text.charCodeAt(end - 1)) && !'+#'.includes(text[end - 1]!)) {
    if (text.charCodeAt(end - 1) > ASCII) return null;
    end -= 1;
  }
  return [first, end];
}

const ASCII = 127;
const isPlain = (code: number): boolean =>
  (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57);

/**
 * Matches the punctuation at the end. The lookbehind starts each run of punctuation only after a letter; starting at
 * every mark would take quadratic time.
 */
const TRAIL = /(?<=[\p{L}\p{N}\p{M}+#])[^\p{L}\p{N}\p{M}+#]*$/u;

/** The characters that join the parts of a word, for a regular expression class. */
export const JOINTS = '\\-‐‑‒–—/_';
const BETWEEN_PARTS = new RegExp(`[${JOINTS}\\s]+`);

/**
 * The comparable tokens of a text: "Fine-grained OAuth 2.1!" gives fine, grained, oauth, 2.1.
 * @example
 * tokenize('Fine-grained OAuth 2.1!'); // => ['fine', 'grained', 'oauth', '2.1']
 */
export function tokenize(text: string): string[] {
  return text.split(/\s+/).flatMap(tokenizeWord);
}

/**
 * The comparable tokens of one word; none for bare punctuation.
 * @example
 * tokenizeWord('S.L.A.'); // => ['s', 'l', 'a']
 * tokenizeWord('—'); // => []
 */
export function tokenizeWord(word: string): string[] {
  if (/^[a-z0-9]+$/.test(word)) return [word];
  return fold(wordParts(word).core)
    .split(BETWEEN_PARTS)
    .flatMap((part) => (/^(?:\p{L}\.)+\p{L}$/u.test(part) ? part.split('.') : [part]))
    .filter((part) => part !== '');
}

/**
 * A key that two texts share if they differ only in case, accents, hyphens and outer punctuation.
 * @example
 * phraseKey('Fine-Grained Authorization,'); // => 'fine grained authorization'
 */
export const phraseKey = (text: string): string => tokenize(text).join(' ');

/**
 * Whether a phrase is in a list, compared by key.
 * @example
 * includesPhrase(['open-source'], 'Open Source'); // => true
 */
export function includesPhrase(phrases: readonly string[], phrase: string): boolean {
  const key = phraseKey(phrase);
  return phrases.some((other) => phraseKey(other) === key);
}

/**
 * A key that two texts share if they also differ in spacing: "work os" and "WorkOS".
 * @example
 * compactKey('Work OS') === compactKey('WorkOS'); // => true
 */
export const compactKey = (text: string): string => tokenize(text).join('');

/** A token without an ending that may be a possessive or a plural. */
interface Stem {
  stem: string;
  suffix: "'s" | 's';
}

/**
 * Separates an ending: "os's" into os and 's, "servers" into server and s; null for all other tokens.
 * @example
 * stemOf('servers'); // => { stem: 'server', suffix: 's' }
 * stemOf('class'); // => null
 */
export function stemOf(token: string): Stem | null {
  if (token.endsWith("'s")) return { stem: token.slice(0, -2), suffix: "'s" };
  if (token.length >= 3 && token.endsWith('s') && !token.endsWith('ss')) {
    return { stem: token.slice(0, -1), suffix: 's' };
  }
  return null;
}
