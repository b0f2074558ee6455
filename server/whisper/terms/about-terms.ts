/** Finds the terms that have a word close by that often occurs near them, as “bucket” does near R2. */
import { NEAR_TOKENS } from '../../terminology/match/findings.ts';
import { tokenize } from '../../terminology/match/normalize.ts';
import { nearbyWord } from '../../terminology/match/token-stream.ts';

/** The words that often occur near a term, by term, as packs list them. */
export type NearWords = Readonly<Record<string, readonly string[]>>;

/** A term in place of the tokens from `first` up to but not including `end`. */
interface Place {
  term: string;
  first: number;
  end: number;
}

/**
 * Creates a function that tests whether one of a term's near words is within twelve words of a place in a text, but
 * outside it.
 */
export function nearTerms(
  words: readonly RecognisedWord[],
  near: NearWords,
): (place: Place) => boolean {
  const tokens: string[] = [];
  /** The number of tokens before each word. */
  const before = words.map(({ text }) => {
    const count = tokens.length;
    tokens.push(...tokenize(text));
    return count;
  });
  const wanted = new Map<string, ReadonlySet<string>>();
  const wantedBy = (term: string): ReadonlySet<string> => {
    const known = wanted.get(term);
    if (known) return known;
    const made = new Set((near[term] ?? []).map((word) => tokenize(word).join(' ')));
    wanted.set(term, made);
    return made;
  };
  return ({ term, first, end }) => {
    const from = words.findIndex((word) => word.end > first);
    const next = words.findIndex((word) => word.first >= end);
    if (from < 0) return false;
    const last = (next < 0 ? tokens.length : before[next]!) - 1;
    return nearbyWord({ tokens }, before[from]!, last, wantedBy(term), NEAR_TOKENS) !== null;
  };
}

// Divides a text of Whisper into the words that a key term may replace.

/** A word of the recognised text as a range of tokens, without the punctuation after it. */
export interface RecognisedWord {
  first: number;
  end: number;
  text: string;
  /** Whether a mark follows that ends a phrase. */
  ends: boolean;
}

// Pronunciations of terms that differ from their spelling, written as a recogniser would write them.

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

/** The text of words from one to another, both included. */
export const textOfWords = (words: readonly RecognisedWord[], from: number, to: number): string =>
  words
    .slice(from, to + 1)
    .map(({ text }) => text)
    .join(' ');
