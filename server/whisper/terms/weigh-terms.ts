/**
 * Weighs key terms against the words of a window: compares the decoder's probability of the text with a term in place
 * of some words with that of the recognised text. This can find a term that was recognised as something else
 * altogether, because the sound decides and not the letters. Terms that may have been spoken are weighed twice, the
 * second time after a prompt that names them: a name that is rare in writing is improbable by itself, however clearly
 * it is spoken. The encoder's output is reused.
 */
import type { RewindingDecoder } from '../model/decoder.ts';
import { type FoundText, type SearchRules } from '../search/found-text.ts';
import { nearTerms, type NearWords } from './near-terms.ts';
import { type RecognisedWord } from './recognised-words.ts';
import { similarityToTerm } from './spoken-phrases.ts';
import {
  type TermTokens,
  type Text,
  marginOf,
  readHeard,
  textsAt,
  weighTexts,
  keyOf,
  textKey,
} from './term-texts.ts';
import { isWritten, spansOf, textsToWeigh } from './term-places.ts';

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
export type PromptOf = (terms: readonly string[]) => readonly number[];

/** The input of weighing besides the text. */
export interface Weighing {
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
  const plain = await readHeard(decoder, rules.prompt, tokens, rules.end);
  const written = terms.filter(isWritten);
  const spans = spansOf(words, plain, new Set(written.map(({ key }) => key)));
  const sayings = terms.filter((each) => !isWritten(each));
  const texts = [
    textsToWeigh(spans, plain, written, MAX_PLACES),
    textsToWeigh(spans, plain, sayings, MAX_PLACES_SAYINGS),
  ];
  const heardOf = new Map(spans.map((span) => [keyOf(span), span]));
  const kinds: Found[][] = [];
  for (const group of texts) {
    const weighed = await weighTexts(decoder, plain, group, rules.frames);
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
  const biased = await readHeard(decoder, prompt, tokens, rules.end);
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

const textOf = (tokens: readonly number[], bytes: readonly Uint8Array[]): string =>
  new TextDecoder().decode(Uint8Array.from(tokens.flatMap((id) => [...(bytes[id] ?? [])])));
