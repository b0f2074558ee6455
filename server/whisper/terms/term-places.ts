/**
 * Finds where a key term may have been spoken: where the decoder gives the term nearly the probability of the words,
 * and where the words sound like it, as “pixie” does like PKCE.
 */
import type { RecognisedWord } from './recognised-words.ts';
import { lazily } from '../../base/concurrency.ts';
import { compactKey } from '../../terminology/match/normalize.ts';
import { textOfWords } from './recognised-words.ts';
import { type SpokenPhrase, spokenPhrases, similarityToTerm } from './spoken-phrases.ts';
import {
  type TermTokens,
  type HeardText,
  type Text,
  marginOf,
  textsAt,
  textKey,
} from './term-texts.ts';

/**
 * Ignores a term that the decoder finds far less probable than the words, in natural logarithms: -9 for its first token
 * (unless the words sound like the term), -12 for the whole term. In measurements, no spoken term was below -11.
 */
const MIN_FIRST = -9;
const LEAST = -12;
/** The most words that a term may replace in addition to the number of its own. */
const MORE_WORDS = 2;
/** The most words that are weighed against any term, and against one that they sound like. */
const MAX_WORDS = 6;
const MAX_WORDS_ALIKE = 4;
/** Words with this confidence or more are not weighed merely because they sound like a term. */
const SURE = 0.75;
/** The least similarity of such words to a term, and to a short one. */
const ALIKE = 0.55;
const ALIKE_SHORT = 0.7;
const FEW_LETTERS = 4;
/** The most terms that are weighed at a place because of the similarity. */
const MAX_ALIKE = 3;

/** The most places of a window that are examined for either reason, the best first. */
interface MostPlaces {
  probable: number;
  alike: number;
}

/** Words that follow each other, with their confidence. */
interface Span {
  first: number;
  end: number;
  words: number;
  text: string;
  key: string;
  spoken: () => SpokenPhrase;
  /** The key of the term that the words form, in any case or division; null if they form none. */
  said: string | null;
  confidence: number;
}

/** Whether it is the spelling of the term, not its pronunciation. */
export const isWritten = ({ term, text }: TermTokens): boolean => text === term;
const unique = (texts: readonly Text[]): Text[] => [
  ...new Map(texts.toReversed().map((text) => [textKey(text), text])).values(),
];

/** All spans that a term may replace; no term continues across the end of a phrase. */
export function spansOf(
  words: readonly RecognisedWord[],
  { logProbabilities }: HeardText,
  keys: ReadonlySet<string>,
): Span[] {
  const spans: Span[] = [];
  const phraseOf = spokenPhrases();
  for (const [from, { first }] of words.entries()) {
    for (let to = from; to < Math.min(words.length, from + MAX_WORDS); to += 1) {
      const { end, ends } = words[to]!;
      const own = logProbabilities.slice(first, end);
      const confidence = Math.exp(own.reduce((sum, each) => sum + each, 0) / own.length);
      const text = textOfWords(words, from, to);
      const key = compactKey(text);
      const said = keys.has(key) ? key : null;
      const spoken = lazily(() => phraseOf(text));
      spans.push({ first, end, words: to - from + 1, text, key, spoken, said, confidence });
      if (ends) break;
    }
  }
  return spans;
}

/**
 * Whether a term may have been spoken in place of a span. The span may be the term in another case or division, but not
 * another term, and not the term with further words. If the words are exactly how a term is pronounced, their sound
 * cannot decide whether they mean it.
 */
const isPossible = ({ text, key, words, said }: Span, own: TermTokens): boolean => {
  if (words > own.words + MORE_WORDS || text === own.text) return false;
  if (!isWritten(own) && key === own.key) return false;
  return said === null ? !hasWithin(text.split(' ').map(compactKey), own.key) : said === own.key;
};

/** Whether some of the words, but not all of them, make up a key. */
function hasWithin(words: readonly string[], key: string): boolean {
  return words.some((_, from) => {
    let made = '';
    for (let to = from; made.length < key.length && to < words.length; to += 1) made += words[to]!;
    return made === key;
  });
}

/**
 * The texts to weigh: terms that the decoder finds probable, or that doubtful words sound like.
 * @param most the most places of each kind
 */
export const textsToWeigh = (
  spans: readonly Span[],
  plain: HeardText,
  terms: readonly TermTokens[],
  most: MostPlaces,
): Text[] =>
  unique([
    ...probable(spans, plain, terms, most.probable),
    ...alike(spans, plain, terms, most.alike),
  ]);

/**
 * The texts in which the first token of a term is probable enough, at the most promising places. Later tokens never
 * make a text more probable, so the first one rules out nearly all terms.
 */
function probable(
  spans: readonly Span[],
  plain: HeardText,
  terms: readonly TermTokens[],
  most: number,
): Text[] {
  const texts = spans.flatMap((span) => {
    const { firstMargin, textWith } = textsAt(plain, span);
    return terms
      .filter((term) => firstMargin(term) >= MIN_FIRST && isPossible(span, term))
      .map((term) => textWith(term, LEAST));
  });
  return bestPlaces(texts, marginOf, most);
}

const leastSimilarity = ({ text: term }: TermTokens): number =>
  term.length <= FEW_LETTERS ? ALIKE_SHORT : ALIKE;

/** The texts with a term in place of doubtful words that sound like it. */
function alike(
  spans: readonly Span[],
  plain: HeardText,
  terms: readonly TermTokens[],
  most: number,
): Text[] {
  const doubtful = spans.filter(
    ({ words, confidence }) => words <= MAX_WORDS_ALIKE && confidence < SURE,
  );
  const found = doubtful.flatMap((span) =>
    terms
      .filter((term) => isPossible(span, term))
      .map((term) => ({
        first: span.first,
        text: { span, term },
        similarity: similarityToTerm(span.spoken(), term.spoken, leastSimilarity(term)),
      }))
      .filter((each) => each.similarity > 0),
  );
  const places = Map.groupBy(found, ({ first }) => first);
  const best = [...places.values()].flatMap((each) =>
    each.toSorted((a, b) => b.similarity - a.similarity).slice(0, MAX_ALIKE),
  );
  return bestPlaces(best, (each) => each.similarity, most).map(({ text: { span, term } }) =>
    textsAt(plain, span).textWith(term, LEAST),
  );
}

/** The items of the places with the best items. */
function bestPlaces<T extends { first: number }>(
  all: readonly T[],
  worth: (one: T) => number,
  most: number,
): T[] {
  const places = [...Map.groupBy(all, ({ first }) => first).values()];
  const best = (place: readonly T[]): number => Math.max(...place.map(worth));
  return places
    .map((place) => ({ place, best: best(place) }))
    .toSorted((a, b) => b.best - a.best)
    .slice(0, most)
    .flatMap(({ place }) => place);
}
