/**
 * Finds terms of several words of which one was misheard ("mcp knight", "model contacts protocol"). Because the words
 * that match are evidence, the word that differs may be less similar.
 */
import type { ActiveTerm } from '../packs/compile.ts';
import { isTermSized } from '../../contract/terms.ts';
import { tokenize } from './normalize.ts';
import { isFunctionWord } from './ordinary-words.ts';
import { similarityOf } from './similarity.ts';
import type { TokenStream } from './token-stream.ts';

/** The least similarity of the word that differs, in a term of two words and of more. */
const MIN_PART_SIMILARITY = { two: 0.6, more: 0.5 } as const;

/** A term as a list of tokens, with the word that each token belongs to. */
interface Compound {
  term: ActiveTerm;
  tokens: string[];
  words: string[];
}

/** Compounds by each of their tokens, with the token's position. */
export type CompoundIndex = Map<string, { compound: Compound; at: number }[]>;

/** A span of tokens that matches a term except for one token. */
export interface SimilarCompound {
  term: ActiveTerm;
  first: number;
  last: number;
  /** The token that differs. */
  other: number;
  /** The word of the term that should replace it. */
  part: string;
  similarity: number;
}

/**
 * The most compounds that are tried for one word, best ranked first, since every term of a request may contain the
 * word.
 */
const MAX_COMPOUNDS = 64;

/** Indexes the terms of two to five tokens that have one token per word. */
export function indexCompounds(terms: readonly ActiveTerm[]): CompoundIndex {
  const index: CompoundIndex = new Map();
  for (const term of terms) {
    if (!isTermSized(term.canonical)) continue;
    const tokens = tokenize(term.canonical);
    const words = term.canonical.split(/[\s-]+/);
    if (tokens.length < 2 || tokens.length > 5 || words.length !== tokens.length) continue;
    for (const [at, token] of tokens.entries()) {
      if (isFunctionWord(token)) continue;
      const entry = { compound: { term, tokens, words }, at };
      const known = index.get(token);
      if (known && known.length >= MAX_COMPOUNDS) continue;
      if (known) known.push(entry);
      else index.set(token, [entry]);
    }
  }
  return index;
}

const NONE: readonly SimilarCompound[] = [];

/** The most letters of a word that may be spelled out. */
const MAX_SPELLED = 5;

/**
 * Finds the compounds around a token that is the first of their matching words. A word may be spelled out ("streamible
 * h t t p"), which adds the same number of tokens to the phrase.
 */
export function compoundsAt(
  index: CompoundIndex,
  stream: TokenStream,
  token: number,
): readonly SimilarCompound[] {
  const text = stream.tokens[token]!;
  if (text.length !== 1 && !index.has(text)) return NONE;
  // Of candidates that differ in the same word of the same span, only the most likely is kept.
  const found = new Map<string, SimilarCompound>();
  for (const [text, width] of readingsAt(stream, token)) {
    for (const { compound, at } of index.get(text) ?? []) {
      const near = compare(compound, stream, { at, token, width });
      // Finds each candidate only at its first matching word, which is the first word, or the second if the first is
      // wrong.
      if (!near || token !== (near.other === near.first ? near.first + 1 : near.first)) continue;
      const place = `${near.first} ${near.last} ${near.other}`;
      if (near.similarity > (found.get(place)?.similarity ?? 0)) found.set(place, near);
    }
  }
  return [...found.values()];
}

/**
 * The readings that begin at a token, with their lengths in tokens: the token itself, and the word that single letters
 * spell.
 */
function readingsAt({ tokens }: TokenStream, token: number): [text: string, width: number][] {
  const text = tokens[token]!;
  const readings: [string, number][] = [[text, 1]];
  if (text.length !== 1) return readings;
  let spelled = text;
  for (let width = 2; width <= MAX_SPELLED; width += 1) {
    const letter = tokens[token + width - 1] ?? '';
    if (letter.length !== 1) break;
    spelled += letter;
    readings.push([spelled, width]);
  }
  return readings;
}

/** A matched word of a compound: its position in the compound, and its tokens in the stream. */
interface FoundWord {
  at: number;
  token: number;
  width: number;
}

function compare(
  { term, tokens, words }: Compound,
  stream: TokenStream,
  found: FoundWord,
): SimilarCompound | null {
  const more = found.width - 1;
  const first = found.token - found.at;
  const last = first + tokens.length - 1 + more;
  if (first < 0 || last >= stream.tokens.length) return null;
  if (!stream.startsWord(first) || !stream.endsWord(last)) return null;
  const placeOf = (at: number): number => first + at + (at > found.at ? more : 0);
  let at: number | undefined;
  for (let index = 0; index < tokens.length; index += 1) {
    if (index === found.at || stream.tokens[placeOf(index)] === tokens[index]) continue;
    if (at !== undefined) return null;
    at = index;
  }
  if (at === undefined) return null;
  const heard = stream.tokens[placeOf(at)] ?? '';
  const wanted = tokens[at]!;
  if (isFunctionWord(heard) || heard.length < 3 || isInflection(heard, wanted)) return null;
  const similarity = similarityOf(heard, wanted);
  if (similarity < (tokens.length === 2 ? MIN_PART_SIMILARITY.two : MIN_PART_SIMILARITY.more))
    return null;
  return { term, first, last, other: placeOf(at), part: words[at] ?? '', similarity };
}

/**
 * Whether two words are inflections of one another, and so not mishears: "windows" and "window", "tuned" and "tuning".
 */
function isInflection(heard: string, wanted: string): boolean {
  const shorter = Math.min(heard.length, wanted.length);
  let shared = 0;
  while (shared < shorter && heard[shared] === wanted[shared]) shared += 1;
  return shared >= Math.max(3, shorter - 2);
}
