/** Fits key terms into the limits of a recogniser. */
import { tokenize, wordParts } from '../match/normalize.ts';
import { isCommonWord, isOrdinaryWord } from '../match/ordinary-words.ts';

/** The limits of a recogniser. An absent field means no limit. */
export interface KeytermLimit {
  /** The most terms. */
  terms?: number;
  /** The most words per term. */
  words?: number;
  /** The most tokens in total, as estimated by `tokensOf`. */
  tokens?: number;
  /** The vocabulary to count with (default: unknown). */
  vocabulary?: Vocabulary;
  /** The tokens of the separator between two terms (default: none). */
  separator?: number;
}

/**
 * The documented limits (docs/providers.md), as of November 2026.
 * - `deepgram`: nova-3 accepts 100 terms and 500 tokens, and refuses more. Its vocabulary is not public, so a tenth is
 * kept free.
 * - `assemblyai`: phrases of at most six words; 1,000 of them for universal-3-5-pro, 200 for its fallback universal-2.
 * - `whisper`: a prompt of 224 tokens, of which its decoder keeps the last 223; the separator ", " is one token.
 */
export const KEYTERM_LIMITS = {
  deepgram: { terms: 100, tokens: 450 },
  assemblyai: { terms: 200, words: 6 },
  whisper: { tokens: 223, vocabulary: 'whisper', separator: 1 },
} as const satisfies Record<string, KeytermLimit>;

/** The key terms that fit and those that do not, each in the given order. */
interface FittedKeyterms {
  injected: string[];
  omitted: string[];
}

/**
 * Fits key terms into a limit, the best first. A term that does not fit is left out; shorter ones after it may still
 * fit.
 * @example
 * fitKeyterms(['AuthKit', 'Model Context Protocol', 'MCP'], { words: 2 });
 * // => { injected: ['AuthKit', 'MCP'], omitted: ['Model Context Protocol'] }
 */
export function fitKeyterms(keyterms: readonly string[], limit: KeytermLimit): FittedKeyterms {
  const fitted: FittedKeyterms = { injected: [], omitted: [] };
  let room = limit.tokens ?? Infinity;
  for (const term of keyterms) {
    const separator = fitted.injected.length > 0 ? (limit.separator ?? 0) : 0;
    const tokens = separator + (room === Infinity ? 0 : tokensOf(term, limit.vocabulary));
    const fits =
      fitted.injected.length < (limit.terms ?? Infinity) &&
      term.split(/\s+/).length <= (limit.words ?? Infinity) &&
      tokens <= room;
    if (fits) room -= tokens;
    (fits ? fitted.injected : fitted.omitted).push(term);
  }
  return fitted;
}

/**
 * Fits the key terms of a request into a limit. If there is not room for all, those that a recogniser knows least come
 * first: names without an ordinary word, then those with some; of equal ones, the earlier. Both lists keep the order in
 * which they were given.
 * @example
 * fitRarest(['Audit Logs', 'Ondavar'], { terms: 1 }).injected; // => ['Ondavar']
 */
export function fitRarest(keyterms: readonly string[], limit: KeytermLimit): FittedKeyterms {
  const all = fitKeyterms(keyterms, limit);
  if (all.omitted.length === 0) return all;
  const rarest = keyterms.toSorted((a, b) => ordinariness(a) - ordinariness(b));
  const chosen = new Set(fitKeyterms(rarest, limit).injected);
  return {
    injected: keyterms.filter((term) => chosen.has(term)),
    omitted: keyterms.filter((term) => !chosen.has(term)),
  };
}

/** How ordinary a term is: 0 without an ordinary word, 1 with some, 2 of ordinary words only, 3 of the most common. */
function ordinariness(term: string): number {
  const tokens = tokenize(term);
  if (tokens.every(isCommonWord)) return 3;
  if (tokens.every(isOrdinaryWord)) return 2;
  return tokens.some(isOrdinaryWord) ? 1 : 0;
}

/** The fewest letters of a part of a name that is worth listening for. */
const MIN_PART = 4;

/**
 * The words of names that people also say alone, such as last names: those that are no ordinary words.
 * @example
 * partsOfNames(['Carolina Dybeck Happe', 'Acme Inc', 'Audit Logs']);
 * // => ['Carolina', 'Dybeck', 'Happe', 'Acme']
 */
export function partsOfNames(names: readonly string[]): string[] {
  const whole = new Set(names.map((name) => name.toLowerCase()));
  const parts = names.flatMap((name) => {
    const words = name.split(/\s+/);
    if (words.length < 2 || words.length > MAX_NAME_WORDS) return [];
    return words
      .map((word) => wordParts(word).core)
      .filter((word) => word.length >= MIN_PART && /^\p{Lu}.*\p{Ll}/u.test(word))
      .filter((word) => !whole.has(word.toLowerCase()) && !LEGAL_FORM.test(word))
      .filter((word) => !tokenize(word).every(isOrdinaryWord));
  });
  return [...new Set(parts)];
}

/** The most words of a name; longer terms are phrases. */
const MAX_NAME_WORDS = 4;
const LEGAL_FORM = /^(?:gmbh|limited|corp|kgaa|sarl)$/i;

/**
 * Joins key terms into a Whisper prompt. The best come last, because Whisper keeps the end of a prompt that is too
 * long.
 * @example
 * promptOf(['AuthKit', 'MCP']); // => 'MCP, AuthKit'
 */
export const promptOf = (keyterms: readonly string[]): string => keyterms.toReversed().join(', ');

/**
 * Estimates the number of tokens in key terms. Recognisers count with byte-pair vocabularies that are not shipped here;
 * the cost of a character depends mostly on its script.
 */

/**
 * The vocabulary to count with: Whisper's, which is public, or an unpublished one, for which the highest cost in the
 * public ones is used.
 */
type Vocabulary = 'whisper' | 'unknown';

/** The last code point of a block, and the tokens per character in Whisper's vocabulary and in the costliest one. */
type Cost = readonly [last: number, whisper: number, unknown: number];

/**
 * The tokens per character by Unicode block, in order. Measured in November 2026 with the terms in
 * test/fixtures/keyterm-tokens.json and openai-whisper 20250625's multilingual vocabulary and, for the costliest, also
 * gpt2, cl100k_base and o200k_base; rounded up by about a tenth.
 */
const BLOCKS: readonly Cost[] = [
  [0x20, 0, 0], // white space: part of the next word
  [0x2f, 0.8, 0.8], // punctuation
  [0x39, 0.75, 0.8], // digits
  [0x40, 0.8, 0.8],
  [0x5a, 0.7, 0.7], // capitals: names in capitals are split into letters
  [0x60, 0.8, 0.8],
  [0x7a, 0.36, 0.36], // lower-case letters
  [0x7f, 0.8, 0.8],
  [0x2af, 1.2, 2.2], // Latin letters with diacritics
  [0x36f, 1.2, 2], // combining marks
  [0x3ff, 0.85, 1.6], // Greek
  [0x52f, 0.55, 1.45], // Cyrillic
  [0x58f, 1.4, 2.3], // Armenian
  [0x5ff, 0.75, 1.55], // Hebrew
  [0x6ff, 0.7, 1.25], // Arabic
  [0x8ff, 2, 2],
  [0x97f, 1.5, 2.1], // Devanagari
  [0xb7f, 3.2, 3.2], // Bengali to Odia
  [0xbff, 1.2, 3.2], // Tamil
  [0xdff, 3.2, 3.2], // Telugu to Sinhala
  [0xe7f, 1.1, 2.3], // Thai
  [0x1dff, 3.2, 3.2], // Lao, Tibetan, Burmese, Georgian, Ethiopic, Khmer and others
  [0x1eff, 1.6, 3.4], // Vietnamese
  [0x1fff, 3, 3],
  [0x206f, 1.6, 1.6], // dashes, quotation marks
  [0x2fff, 2, 3], // symbols
  [0x30ff, 1.2, 1.6], // kana
  [0x33ff, 3, 3],
  [0x9fff, 1.75, 2.8], // Han
  [0xabff, 3.2, 3.2],
  [0xd7ff, 1.25, 3.2], // Hangul
  [0xfaff, 3, 3],
  [0xffff, 3, 3], // presentation forms, full-width letters
];

/** The cost of a character beyond the basic plane (emoji, rare Han), at most its four bytes. */
const BEYOND = 4;

/**
 * The number of tokens of a term, at least one. Takes linear time.
 * @example
 * tokensOf('AuthKit', 'whisper') <= tokensOf('AuthKit'); // => true
 */
function tokensOf(term: string, vocabulary: Vocabulary = 'unknown'): number {
  const column = vocabulary === 'whisper' ? 1 : 2;
  let tokens = 0;
  for (const character of term) {
    const code = character.codePointAt(0)!;
    tokens += BLOCKS.find(([last]) => code <= last)?.[column] ?? BEYOND;
  }
  return Math.max(1, Math.ceil(tokens));
}
