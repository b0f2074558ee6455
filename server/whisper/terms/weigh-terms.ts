/**
 * Weighs key terms against the words of a window: compares the decoder's probability of the text with a term in place
 * of some words with that of the recognised text. This can find a term that was recognised as something else
 * altogether, because the sound decides and not the letters. Terms that may have been spoken are weighed twice, the
 * second time after a prompt that names them: a name that is rare in writing is improbable by itself, however clearly
 * it is spoken. The encoder's output is reused.
 *
 * Finds where a key term may have been spoken: where the decoder gives the term nearly the probability of the words, and
 * where the words sound like it, as “pixie” does like PKCE.
 *
 * Compares the probability of the recognised text with that of texts that have a term in place of some words.
 */
import type { RewindingDecoder } from '../model/decoder.ts';
import { type FoundText, type SearchRules, logProbability } from '../search/search.ts';
import {
  nearTerms,
  type NearWords,
  type RecognisedWord,
  pronunciationsOf,
  type Pronunciations,
} from './about-terms.ts';
import { lazily } from '../../concurrency.ts';
import { compactKey } from '../../terminology/match/normalize.ts';
import type { createTokenizer } from './term-prompt.ts';
import {
  similarityAtLeast,
  spokenForms,
  type SpokenForm,
} from '../../terminology/match/similarity.ts';

/** The tokens after a term that are weighed too: they are improbable if it replaces too many or too few words. */
const AFTER = 2;

/** A term as it is weighed: a text for it, with the text's tokens after a space. */
interface TermTokens {
  term: string;
  /** The term itself, or its pronunciation. */
  text: string;
  words: number;
  tokens: readonly number[];
  /** The tokens of the term as it is written. */
  written: readonly number[];
  spoken: SpokenPhrase;
  /** The letters and digits of the text in lower case. */
  key: string;
}

/**
 * Prepares terms for weighing, each as it is spelled and as it may be pronounced.
 * @param says the pronunciations of some of the terms, as packs list them
 */
export function tokensOfTerms(
  terms: readonly string[],
  tokenizer: ReturnType<typeof createTokenizer>,
  says: Pronunciations = {},
): TermTokens[] {
  const phraseOf = spokenPhrases();
  return terms.flatMap((term) => {
    const written = tokenizer(` ${term}`);
    return [term, ...pronunciationsOf(term, says[term])].map((text) => ({
      term,
      text,
      words: text.split(/\s+/).length,
      tokens: text === term ? written : tokenizer(` ${text}`),
      written,
      spoken: phraseOf(text),
      key: compactKey(text),
    }));
  });
}

/** The recognised text as the decoder finds it after a prompt. */
interface Reading {
  prompt: readonly number[];
  /** The tokens of the text and its end, and how probable each is after those before it. */
  tokens: readonly number[];
  logProbabilities: readonly number[];
  /** The logits before a token of the text. */
  before(at: number): Float32Array;
}

/** A text to weigh: a term and the tokens after it, in place of some words. */
interface Text {
  term: TermTokens;
  first: number;
  end: number;
  tokens: readonly number[];
  /** The log probability of the recognised tokens that it replaces, with those after it. */
  heard: number;
  /** The log probability of the tokens that were weighed so far. */
  sum: number;
  /** The margin below which the text is abandoned. */
  least: number;
}

/** The log probability of a text minus that of the recognised one. */
const marginOf = ({ sum, heard }: Pick<Text, 'sum' | 'heard'>): number => sum - heard;

/** Reads the recognised text after a prompt, and keeps it in the decoder. */
async function read(
  decoder: RewindingDecoder,
  prompt: readonly number[],
  heard: readonly number[],
  end: number,
): Promise<Reading> {
  decoder.begin();
  const logits = await decoder.takeAll([...prompt, ...heard]);
  decoder.keep();
  const before = (at: number): Float32Array => logits[prompt.length - 1 + at]!;
  const tokens = [...heard, end];
  return {
    prompt,
    tokens,
    logProbabilities: tokens.map((token, at) => logProbability(before(at), token)),
    before,
  };
}

/** Creates texts with a term in place of the tokens from `first` up to but not including `end`. */
function textsAt(
  { tokens, logProbabilities, before }: Reading,
  { first, end }: Pick<Text, 'first' | 'end'>,
): {
  /** The margin of a term's first token alone. */
  firstMargin: (term: TermTokens) => number;
  /** The text with a term, of which the first token is weighed. */
  textWith: (term: TermTokens, least: number) => Text;
} {
  const after = tokens.slice(end, end + AFTER);
  const heard = logProbabilities.slice(first, end + AFTER).reduce((sum, each) => sum + each, 0);
  const logits = before(first);
  const total = logits[tokens[first]!]! - logProbabilities[first]!;
  const sumOf = (term: TermTokens): number => logits[term.tokens[0]!]! - total;
  return {
    firstMargin: (term) => sumOf(term) - heard,
    textWith: (term, least) => ({
      term,
      first,
      end,
      tokens: [...term.tokens, ...after],
      heard,
      sum: sumOf(term),
      least,
    }),
  };
}

/**
 * Weighs texts, and returns those that remain probable enough. Texts that start at the same word share their first
 * tokens.
 * @param reading the one that the decoder has kept
 */
async function weighTexts(
  decoder: RewindingDecoder,
  { prompt }: Reading,
  texts: readonly Text[],
  frames: number,
): Promise<Text[]> {
  const places = Map.groupBy(texts, ({ first }) => first);
  const done: Text[] = [];
  for (const [first, own] of places) {
    decoder.goBack(prompt.length + first);
    done.push(...(await weighPlace(decoder, own, frames)));
  }
  return done;
}

async function weighPlace(
  decoder: RewindingDecoder,
  texts: readonly Text[],
  frames: number,
): Promise<Text[]> {
  let left = [...texts];
  const done: Text[] = [];
  /** The places in the decoder's last call by the tokens that were taken. */
  let places = new Map<string, number>();
  for (let length = 1; left.length > 0; length += 1) {
    const keyOf = ({ tokens }: Text) => tokens.slice(0, length).join(' ');
    const ranked = left.toSorted((a, b) => marginOf(b) - marginOf(a));
    const keys = [...new Set(ranked.map(keyOf))].slice(0, Math.max(1, decoder.texts));
    const parts = keys.map((key) => key.split(' ').map(Number));
    const parents = parts.map((part) => places.get(part.slice(0, -1).join(' ')) ?? 0);
    const steps = await decoder.takeEach(
      parts.map((part) => part.at(-1)!),
      parents,
      frames,
    );
    places = new Map(keys.map((key, at) => [key, at]));
    const totals = steps.map(({ logits }) => logits[0]! - logProbability(logits, 0));
    left = left.flatMap((text) => {
      const place = places.get(keyOf(text));
      if (place === undefined) return [];
      const next = steps[place]!.logits[text.tokens[length]!]! - totals[place]!;
      const longer = { ...text, sum: text.sum + next };
      if (marginOf(longer) < text.least) return [];
      if (length + 1 < text.tokens.length) return [longer];
      done.push(longer);
      return [];
    });
  }
  return done;
}

/** The names of the letters and digits as words that sound like them. */
const NAMES = new Map(
  [
    'A ay,B bee,C see,D dee,E ee,F eff,G jee,H aych,I eye,J jay,K kay,L ell,M em',
    'N en,O oh,P pee,Q cue,R ar,S ess,T tee,U you,V vee,W double you,X ex,Y why,Z zee',
    '0 zero,1 one,2 two,3 three,4 four,5 five,6 six,7 seven,8 eight,9 nine',
  ]
    .flatMap((line) => line.split(','))
    .map((entry): [string, string] => [entry.slice(0, 1), entry.slice(2)]),
);

/** The most letters of a part that is spoken letter by letter. */
const MAX_LETTERS = 5;

/**
 * A term with its capitals and digits as they are spoken; null if no part of it is spoken letter by letter.
 * @example
 * inLetters('B2B'); // => 'bee two bee'
 */
function inLetters(term: string): string | null {
  let has = false;
  const spoken = term.replaceAll(/[\p{Lu}\p{N}]+(?!\p{Ll})/gu, (part) => {
    if (part.length > MAX_LETTERS) return part;
    if (part.length === 1 && /\p{Lu}/u.test(part)) return part;
    has = true;
    return ` ${[...part].map((letter) => NAMES.get(letter) ?? letter).join(' ')} `;
  });
  return has ? spoken.trim().replaceAll(/\s+/g, ' ') : null;
}

/** A phrase as it may be spoken: as words, and letter by letter if it has capitals or digits. */
interface SpokenPhrase {
  words: SpokenForm;
  letters: SpokenForm | null;
}

/** Creates the function that prepares phrases for comparisons. */
function spokenPhrases(): (phrase: string) => SpokenPhrase {
  const formOf = spokenForms();
  return (phrase) => {
    const letters = inLetters(phrase);
    return { words: formOf(phrase), letters: letters === null ? null : formOf(letters) };
  };
}

/**
 * The similarity between words and a term, 0..1: the greater of that as written and that letter by letter; 0 if it is
 * less than `least`.
 * @example
 * const phrase = spokenPhrases();
 * similarityToTerm(phrase('the LG'), phrase('PLG')) > 0.7; // => true
 */
function similarityToTerm(heard: SpokenPhrase, term: SpokenPhrase, least = 0): number {
  const asWritten = similarityAtLeast(least, heard.words, term.words);
  if (term.letters === null) return asWritten;
  return Math.max(
    asWritten,
    similarityAtLeast(least, heard.words, term.letters),
    similarityAtLeast(least, heard.letters ?? heard.words, term.letters),
  );
}

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

/** A key that identifies a span. */
const keyOf = ({ first, end }: { first: number; end: number }): string => `${first} ${end}`;
/** A key that identifies a text. */
const textKey = (text: Text): string => `${keyOf(text)} ${text.term.text}`;
/** Whether it is the spelling of the term, not its pronunciation. */
const isWritten = ({ term, text }: TermTokens): boolean => text === term;
const unique = (texts: readonly Text[]): Text[] => [
  ...new Map(texts.toReversed().map((text) => [textKey(text), text])).values(),
];

/** All spans that a term may replace; no term continues across the end of a phrase. */
function spansOf(
  words: readonly RecognisedWord[],
  { logProbabilities }: Reading,
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
const textsToWeigh = (
  spans: readonly Span[],
  plain: Reading,
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
  plain: Reading,
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
  plain: Reading,
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

/** A text with a term may be behind by this margin in the second weighing. */
const MIN_NAMED = -8;
/** The most places of a window that are examined for terms, and for their pronunciations. They limit the time. */
const MAX_PLACES = { probable: 16, alike: 10 };
const MAX_PLACES_SAYINGS = { probable: 4, alike: 4 };
/** The most terms that the prompt names. */
const MAX_NAMED = 12;
/** The weight of the similarity, next to the margin, when the terms to be named are chosen. */
const SIMILARITY = 6;

/** A term that may have been spoken, in place of the tokens from `first` up to but not including `end`. */
export interface Weighed {
  term: string;
  tokens: readonly number[];
  first: number;
  end: number;
  /** The pronunciation of the term, if that was weighed. */
  saying?: string;
  /** The log probability of the text with the term minus that of the text as recognised. */
  margin: number;
  /** The same after a prompt that names the term beside others; null without a prompt. */
  named: number | null;
  /** The words as recognised, and the similarity of their sound to the term, 0..1. */
  heard: string;
  similarity: number;
  /** The confidence of the words, 0..1. */
  confidence: number;
  /** Whether a word that often occurs near the term was recognised close by. */
  near: boolean;
}

/** The prompt that names terms, the best first; empty if none fits. */
type PromptOf = (terms: readonly string[]) => readonly number[];

/** The input of weighing besides the text. */
interface Weighing {
  rules: SearchRules;
  terms: readonly TermTokens[];
  /** Null for a model without prompts, whose terms are weighed once. */
  promptOf: PromptOf | null;
  /** The words that often occur near some of the terms (default: none). */
  near?: NearWords;
}

/** Returns the terms that may have been spoken, with the words that each would replace; they may overlap. */
export async function weighTerms(
  decoder: RewindingDecoder,
  { tokens }: Pick<FoundText, 'tokens'>,
  { rules, terms, promptOf, near = {} }: Weighing,
): Promise<Weighed[]> {
  const words = recognisedWords(tokens, rules.bytes);
  if (words.length === 0 || terms.length === 0) return [];
  const plain = await read(decoder, rules.prompt, tokens, rules.end);
  const written = terms.filter(isWritten);
  const spans = spansOf(words, plain, new Set(written.map(({ key }) => key)));
  const sayings = terms.filter((each) => !isWritten(each));
  const texts = [
    textsToWeigh(spans, plain, written, MAX_PLACES),
    textsToWeigh(spans, plain, sayings, MAX_PLACES_SAYINGS),
  ];
  const heardOf = new Map(spans.map((span) => [keyOf(span), span]));
  const kinds: Found[][] = [];
  for (const of of texts) {
    const weighed = await weighTexts(decoder, plain, of, rules.frames);
    kinds.push(
      weighed.map((text) => {
        const { text: heard, spoken, confidence } = heardOf.get(keyOf(text))!;
        return {
          text,
          heard,
          confidence,
          similarity: similarityToTerm(spoken(), text.term.spoken),
        };
      }),
    );
  }
  const said: Omit<Weighed, 'near'>[] = [];
  for (const found of kinds)
    said.push(...(await weighNamed(decoder, found, { tokens, rules, promptOf })));
  const isNear = nearTerms(words, near);
  return said.map((each) => ({ ...each, near: isNear(each) }));
}

/** A text that is probable enough, with the words in its place. */
type Found = Pick<Weighed, 'heard' | 'similarity' | 'confidence'> & { text: Text };

/** Weighs texts again after a prompt that names the best of their terms. */
async function weighNamed(
  decoder: RewindingDecoder,
  found: readonly Found[],
  { tokens, rules, promptOf }: Pick<FoundText, 'tokens'> & Pick<Weighing, 'rules' | 'promptOf'>,
): Promise<Omit<Weighed, 'near'>[]> {
  if (!promptOf) return found.map((each) => weighedOf(each, null));
  const named = namesOf(found);
  const prompt = named.length === 0 ? [] : promptOf(named);
  if (prompt.length === 0) return [];
  const biased = await read(decoder, prompt, tokens, rules.end);
  const keys = new Set(named.map((name) => name.toLowerCase()));
  const again = found
    .filter(({ text }) => keys.has(nameKey(text)))
    .map(({ text }) => textsAt(biased, text).textWith(text.term, MIN_NAMED));
  const margins = new Map(
    (await weighTexts(decoder, biased, again, rules.frames)).map((text) => [
      textKey(text),
      marginOf(text),
    ]),
  );
  return found.flatMap((each) => {
    const margin = margins.get(textKey(each.text));
    return margin === undefined ? [] : [weighedOf(each, margin)];
  });
}

function weighedOf({ text, ...rest }: Found, named: number | null): Omit<Weighed, 'near'> {
  const { term, first, end } = text;
  return {
    term: term.term,
    tokens: term.written,
    ...(isWritten(term) ? {} : { saying: term.text }),
    first,
    end,
    margin: marginOf(text),
    named,
    ...rest,
  };
}

/** The texts that a prompt names, the best first. */
function namesOf(found: readonly Found[]): string[] {
  const best = new Map<string, { name: string; worth: number }>();
  for (const { text, similarity: like } of found) {
    const worth = marginOf(text) + SIMILARITY * like;
    const key = nameKey(text);
    if (worth > (best.get(key)?.worth ?? -Infinity)) best.set(key, { name: text.term.text, worth });
  }
  return [...best.values()]
    .toSorted((a, b) => b.worth - a.worth)
    .slice(0, MAX_NAMED)
    .map(({ name }) => name);
}

/** The key of a text in a prompt, where its case does not matter. */
const nameKey = ({ term }: Text): string => term.text.toLowerCase();

/** The words of a text that begin with a space, and the first one. */
function recognisedWords(
  tokens: readonly number[],
  bytes: readonly Uint8Array[],
): RecognisedWord[] {
  const texts = tokens.map((id) => textOf([id], bytes));
  const starts = tokens.flatMap((_, at) =>
    /^\s*[\p{L}\p{N}]/u.test(texts[at]!) && (at === 0 || /^\s/.test(texts[at]!)) ? [at] : [],
  );
  return starts.map((first, word) => {
    const until = starts[word + 1] ?? tokens.length;
    let end = until;
    // The first of its tokens has a letter or a digit.
    while (!/[\p{L}\p{N}]/u.test(texts[end - 1]!)) end -= 1;
    const text = texts.slice(first, end).join('').trim();
    return { first, end, text, ends: /[.?!,;:]/.test(texts.slice(end, until).join('')) };
  });
}

/** The text of words from one to another, both included. */
const textOfWords = (words: readonly RecognisedWord[], from: number, to: number): string =>
  words
    .slice(from, to + 1)
    .map(({ text }) => text)
    .join(' ');

const textOf = (tokens: readonly number[], bytes: readonly Uint8Array[]): string =>
  new TextDecoder().decode(Uint8Array.from(tokens.flatMap((id) => [...(bytes[id] ?? [])])));
