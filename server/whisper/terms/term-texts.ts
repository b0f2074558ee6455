/** Compares the probability of the recognised text with that of texts that have a term in place of some words. */
import type { RewindingDecoder } from '../model/decoder.ts';
import { logProbability } from '../search/token-logits.ts';
import { pronunciationsOf, type Pronunciations } from './pronunciations.ts';
import { compactKey } from '../../terminology/match/normalize.ts';
import type { Tokenizer } from './term-prompt.ts';
import { type SpokenPhrase, spokenPhrases } from './spoken-phrases.ts';

/** The tokens after a term that are weighed too: they are improbable if it replaces too many or too few words. */
const AFTER = 2;

/** A term as it is weighed: a text for it, with the text's tokens after a space. */
export interface TermTokens {
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
 * @param pronunciations the pronunciations of some of the terms, as packs list them
 */
export function tokensOfTerms(
  terms: readonly string[],
  tokenizer: Tokenizer,
  pronunciations: Pronunciations = {},
): TermTokens[] {
  const phraseOf = spokenPhrases();
  return terms.flatMap((term) => {
    const written = tokenizer(` ${term}`);
    return [term, ...pronunciationsOf(term, pronunciations[term])].map((text) => ({
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
export type HeardText = Awaited<ReturnType<typeof readHeard>>;

/** A text to weigh: a term and the tokens after it, in place of some words. */
export interface Text {
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
export const marginOf = ({ sum, heard }: Pick<Text, 'sum' | 'heard'>): number => sum - heard;

/** Reads the recognised text after a prompt, and keeps it in the decoder. */
export async function readHeard(
  decoder: RewindingDecoder,
  prompt: readonly number[],
  heard: readonly number[],
  end: number,
) {
  decoder.begin();
  const logits = await decoder.takeAll([...prompt, ...heard]);
  decoder.keep();
  const before = (at: number): Float32Array => logits[prompt.length - 1 + at]!;
  const tokens = [...heard, end];
  return {
    prompt,
    /** The tokens of the text and its end, and how probable each is after those before it. */
    tokens,
    logProbabilities: tokens.map((token, at) => logProbability(before(at), token)),
    /** The logits before a token of the text. */
    before,
  };
}

/** Creates texts with a term in place of the tokens from `first` up to but not including `end`. */
export function textsAt(
  { tokens, logProbabilities, before }: HeardText,
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
export async function weighTexts(
  decoder: RewindingDecoder,
  { prompt }: HeardText,
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

/** A key that identifies a span. */
export const keyOf = ({ first, end }: { first: number; end: number }): string => `${first} ${end}`;
/** A key that identifies a text. */
export const textKey = (text: Text): string => `${keyOf(text)} ${text.term.text}`;
