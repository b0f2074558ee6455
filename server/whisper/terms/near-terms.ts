/** Finds the terms that have a word close by that often occurs near them, as “bucket” does near R2. */
import { NEAR_TOKENS } from '../../terminology/match/findings.ts';
import { tokenize } from '../../terminology/match/normalize.ts';
import { nearbyWord } from '../../terminology/match/token-stream.ts';
import type { RecognisedWord } from './recognised-words.ts';

/** The words that often occur near a term, by term, as packs list them. */
export type NearWords = Readonly<Record<string, readonly string[]>>;

/** A term in place of the tokens from `first` up to but not including `end`. */
interface PlacedTerm {
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
): (place: PlacedTerm) => boolean {
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
