/**
 * Terms of several words of which one was misheard ("mcp knight", "model contacts protocol"): the
 * words that are right speak for the one that is not, so less likeness is enough.
 */
import type { ActiveTerm } from './compile.ts';
import { isTermSized } from '../contract/terms.ts';
import { tokenize } from './normalize.ts';
import { isFunctionWord } from './ordinary-words.ts';
import { likenessOf } from './sounds.ts';
import type { TokenStream } from './tokens.ts';

/** Least likeness of the word that differs: in a term of two words, and of more. */
const MIN_PART_LIKENESS = { two: 0.6, more: 0.5 } as const;

/** A term as a row of tokens, and the word each of them has in the term. */
interface Compound {
  term: ActiveTerm;
  tokens: string[];
  words: string[];
}

/** Compounds by their tokens, with the place of the token. */
export type CompoundIndex = Map<string, { compound: Compound; at: number }[]>;

/** A span of tokens that is a term but for one of them. */
export interface NearCompound {
  term: ActiveTerm;
  first: number;
  last: number;
  /** The token that differs. */
  other: number;
  /** What should stand for it. */
  part: string;
  likeness: number;
}

/** Most compounds that are tried for one word, the first in rank: every term of a request may hold it. */
const MAX_COMPOUNDS = 64;

/** Indexes the terms of two to five tokens, one a word. */
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

/** Most letters of a word that is looked for spelled out. */
const MAX_SPELLED = 5;

/**
 * The compounds around a token that is one of their words and the first of those that are right. A word may be
 * spelled out ("streamible h t t p"): the phrase is then as long as its letters are many.
 */
export function compoundsAt(
  index: CompoundIndex,
  stream: TokenStream,
  token: number,
): NearCompound[] {
  // Of those that differ in the same word of the same span the likest is all that counts.
  const found = new Map<string, NearCompound>();
  for (const [text, width] of readingsAt(stream, token)) {
    for (const { compound, at } of index.get(text) ?? []) {
      const near = compare(compound, stream, { at, token, width });
      // The first right word finds it: the first of all, or the second after a wrong one.
      if (!near || token !== (near.other === near.first ? near.first + 1 : near.first)) continue;
      const place = `${near.first} ${near.last} ${near.other}`;
      if (near.likeness > (found.get(place)?.likeness ?? 0)) found.set(place, near);
    }
  }
  return [...found.values()];
}

/** What may begin at a token, and its length in tokens: the token, and the word that single letters spell. */
function readingsAt({ tokens }: TokenStream, token: number): [text: string, width: number][] {
  const text = tokens[token] ?? '';
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

/** Where a word of a compound was found: its place in the compound, in the stream, and its tokens there. */
interface FoundWord {
  at: number;
  token: number;
  width: number;
}

function compare(
  { term, tokens, words }: Compound,
  stream: TokenStream,
  found: FoundWord,
): NearCompound | null {
  const more = found.width - 1;
  const first = found.token - found.at;
  const last = first + tokens.length - 1 + more;
  if (first < 0 || last >= stream.tokens.length) return null;
  if (!stream.startsWord(first) || !stream.endsWord(last)) return null;
  const placeOf = (at: number): number => first + at + (at > found.at ? more : 0);
  const others = tokens.flatMap((token, at) =>
    at === found.at || stream.tokens[placeOf(at)] === token ? [] : at,
  );
  const [at] = others;
  if (at === undefined || others.length > 1) return null;
  const heard = stream.tokens[placeOf(at)] ?? '';
  const wanted = tokens[at] ?? '';
  if (isFunctionWord(heard) || heard.length < 3 || isInflection(heard, wanted)) return null;
  const likeness = likenessOf(heard, wanted);
  if (likeness < (tokens.length === 2 ? MIN_PART_LIKENESS.two : MIN_PART_LIKENESS.more))
    return null;
  return { term, first, last, other: placeOf(at), part: words[at] ?? '', likeness };
}

/** "windows" for "window", "tuned" for "tuning": other forms of the word are no mishears. */
function isInflection(heard: string, wanted: string): boolean {
  const shorter = Math.min(heard.length, wanted.length);
  let shared = 0;
  while (shared < shorter && heard[shared] === wanted[shared]) shared += 1;
  return shared >= Math.max(3, shorter - 2);
}
