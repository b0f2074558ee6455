/**
 * Weighs key terms against the words of a window: how probable is the text to the decoder with the term in place of
 * some words, compared with the text as it was heard? So a term can be found that was heard as something else
 * altogether, because the sound decides and not the letters. The terms that may have been said are weighed twice, the
 * second time after a prompt that names them: a name that is rare in writing is improbable by itself, however clearly
 * it is said. The encoder's output is used again.
 */
import { lazily } from '../../../once.ts';
import { compactKey } from '../../../terminology/normalize.ts';
import type { RewindingDecoder } from './decoder.ts';
import type { FoundText, SearchRules } from './found-text.ts';
import { heardWords, textOfWords, type HeardWord } from './heard-words.ts';
import { likenessToTerm, spokenPhrases, type SpokenPhrase } from './spoken-letters.ts';
import {
  marginOf,
  read,
  textsAt,
  weighTexts,
  type Reading,
  type TermTokens,
  type Text,
} from './weigh-texts.ts';

/**
 * The margins by which a text with a term may be behind in the first weighing: its first token alone, unless the words
 * sound like the term, and then the whole. In measurements, no term that was said was further behind than -11.
 */
const LEAST_FIRST = -9;
const LEAST = -12;
/** The same for the second weighing. */
const LEAST_NAMED = -8;
/** The most words that a term may replace in addition to the number of its own. */
const MORE_WORDS = 2;
/** The most words that are weighed against a term in all, and against one that they sound like. */
const MOST_WORDS = 6;
const MOST_WORDS_ALIKE = 4;
/** The confidence from which on words that sound like a term are not weighed for that reason. */
const SURE = 0.75;
/** The least likeness of such words, to a term and to a short one. */
const ALIKE = 0.55;
const ALIKE_SHORT = 0.7;
const FEW_LETTERS = 4;
/** The most terms that are weighed at a place because of the likeness. */
const MOST_ALIKE = 3;
/** The most places of a window that are looked at closely for either reason, the best first. It bounds the time. */
const MOST_PLACES = 16;
const MOST_PLACES_ALIKE = 10;
/** The most terms that the prompt names. */
const MOST_NAMED = 12;
/** What likeness counts beside the margin among the terms to be named. */
const LIKENESS = 6;

/** A term that may have been said, in place of the tokens from `first` up to but not including `end`. */
export interface Weighed {
  term: string;
  tokens: readonly number[];
  first: number;
  end: number;
  /** The log probability of the text with the term less that of the text as heard. */
  margin: number;
  /** The same after a prompt that names the term beside others. */
  named: number;
  /** The words as heard, and the likeness of their sound to the term, 0..1. */
  heard: string;
  likeness: number;
  /** The confidence of the words, 0..1. */
  confidence: number;
}

/** What weighing needs beside the text. */
export interface Weighing {
  rules: SearchRules;
  terms: readonly TermTokens[];
  /** The prompt that names terms, the best first. */
  promptOf: (terms: readonly string[]) => readonly number[];
}

/** Returns the terms that may have been said, with the words that each would replace; they may overlap. */
export async function weighTerms(
  decoder: RewindingDecoder,
  { tokens }: Pick<FoundText, 'tokens'>,
  { rules, terms, promptOf }: Weighing,
): Promise<Weighed[]> {
  const words = heardWords(tokens, rules.bytes);
  if (words.length === 0 || terms.length === 0) return [];
  const plain = await read(decoder, rules.prompt, tokens, rules.end);
  const spans = spansOf(words, plain, new Set(terms.map(({ key }) => key)));
  const texts = unique([...probable(spans, plain, terms), ...alike(spans, plain, terms)]);
  const heardOf = new Map(spans.map((span) => [keyOf(span), span]));
  const found = (await weighTexts(decoder, plain, texts, rules.frames)).map((text) => {
    const { text: heard, spoken, confidence } = heardOf.get(keyOf(text))!;
    return { text, heard, confidence, likeness: likenessToTerm(spoken(), text.term.spoken) };
  });
  const best = new Map<string, number>();
  for (const { text, likeness: like } of found) {
    const { term } = text.term;
    best.set(term, Math.max(best.get(term) ?? -Infinity, marginOf(text) + LIKENESS * like));
  }
  const named = [...best]
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, MOST_NAMED)
    .map(([term]) => term);
  const prompt = named.length === 0 ? [] : promptOf(named);
  if (prompt.length === 0) return [];
  const biased = await read(decoder, prompt, tokens, rules.end);
  const again = found
    .filter(({ text }) => named.includes(text.term.term))
    .map(({ text }) => textsAt(biased, text).textWith(text.term, LEAST_NAMED));
  const margins = new Map(
    (await weighTexts(decoder, biased, again, rules.frames)).map((text) => [
      textKey(text),
      marginOf(text),
    ]),
  );
  return found.flatMap(({ text, ...rest }) => {
    const margin = margins.get(textKey(text));
    if (margin === undefined) return [];
    const { term, first, end } = text;
    return [
      {
        term: term.term,
        tokens: term.tokens,
        first,
        end,
        margin: marginOf(text),
        named: margin,
        ...rest,
      },
    ];
  });
}

/** Words that follow each other, with their confidence. */
interface Span {
  first: number;
  end: number;
  words: number;
  text: string;
  spoken: () => SpokenPhrase;
  /** The key of the term that the words are, perhaps in another case or division; null if they are none. */
  said: string | null;
  confidence: number;
}

const keyOf = ({ first, end }: { first: number; end: number }): string => `${first} ${end}`;
const textKey = (text: Text): string => `${keyOf(text)} ${text.term.term}`;
const unique = (texts: readonly Text[]): Text[] => [
  ...new Map(texts.toReversed().map((text) => [textKey(text), text])).values(),
];

/** All spans that a term may replace; no term is heard across the end of a phrase. */
function spansOf(
  words: readonly HeardWord[],
  { logProbabilities }: Reading,
  keys: ReadonlySet<string>,
): Span[] {
  const spans: Span[] = [];
  const phraseOf = spokenPhrases();
  for (const [from, { first }] of words.entries()) {
    for (let to = from; to < Math.min(words.length, from + MOST_WORDS); to += 1) {
      const { end, ends } = words[to]!;
      const own = logProbabilities.slice(first, end);
      const confidence = Math.exp(own.reduce((sum, each) => sum + each, 0) / own.length);
      const text = textOfWords(words, from, to);
      const key = compactKey(text);
      const said = keys.has(key) ? key : null;
      const spoken = lazily(() => phraseOf(text));
      spans.push({ first, end, words: to - from + 1, text, spoken, said, confidence });
      if (ends) break;
    }
  }
  return spans;
}

/**
 * Whether a term may have been said in place of a span. The span may be the term in another case or division, but not
 * another term, and not longer than the term that it has within it.
 */
const isPossible = (
  { text, words, said }: Span,
  { term, words: own, key }: TermTokens,
): boolean => {
  if (words > own + MORE_WORDS || text === term) return false;
  return said === null ? !hasWithin(text.split(' ').map(compactKey), key) : said === key;
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
 * The texts whose first token of a term is probable enough, at the most promising places. No later token makes a text
 * more probable, so the first one rules out nearly all.
 */
function probable(spans: readonly Span[], plain: Reading, terms: readonly TermTokens[]): Text[] {
  const texts = spans.flatMap((span) => {
    const { firstMargin, textWith } = textsAt(plain, span);
    return terms
      .filter((term) => firstMargin(term) >= LEAST_FIRST && isPossible(span, term))
      .map((term) => textWith(term, LEAST));
  });
  return bestPlaces(texts, marginOf, MOST_PLACES);
}

const leastLikeness = ({ term }: TermTokens): number =>
  term.length <= FEW_LETTERS ? ALIKE_SHORT : ALIKE;

/** The texts with a term in place of doubtful words that sound like it. */
function alike(spans: readonly Span[], plain: Reading, terms: readonly TermTokens[]): Text[] {
  const doubtful = spans.filter(
    ({ words, confidence }) => words <= MOST_WORDS_ALIKE && confidence < SURE,
  );
  const found = doubtful.flatMap((span) =>
    terms
      .filter((term) => isPossible(span, term))
      .map((term) => ({
        first: span.first,
        text: { span, term },
        likeness: likenessToTerm(span.spoken(), term.spoken, leastLikeness(term)),
      }))
      .filter((each) => each.likeness > 0),
  );
  const places = Map.groupBy(found, ({ first }) => first);
  const best = [...places.values()].flatMap((each) =>
    each.toSorted((a, b) => b.likeness - a.likeness).slice(0, MOST_ALIKE),
  );
  return bestPlaces(best, (each) => each.likeness, MOST_PLACES_ALIKE).map(
    ({ text: { span, term } }) => textsAt(plain, span).textWith(term, LEAST),
  );
}

/** What belongs to the places with the best items. */
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
