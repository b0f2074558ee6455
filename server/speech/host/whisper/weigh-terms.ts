/**
 * Weighs key terms against the words of a window: how probable is the text to the decoder with the term in place of
 * some words, compared with the text as it was heard? So a term can be found that was heard as something else
 * altogether, because the sound decides and not the letters. The encoder's output is used again.
 */
import { likenessToTerm } from './spoken-letters.ts';
import type { RewindingDecoder } from './decoder.ts';
import type { FoundText, SearchRules } from './found-text.ts';
import { logProbability } from './logits.ts';
import type { Tokenizer } from './term-prompt.ts';

/**
 * The greatest difference of the log probabilities by which a text with a term may be behind. In measurements, a term
 * that was said was seldom further behind, and one that was not said was rarely nearer than -8.
 */
const LEAST_MARGIN = -6;
/** The tokens after a term that are weighed too: they are improbable if it replaces too many or too few words. */
const AFTER = 2;
/** The most words that a term may replace in addition to the number of its own. */
const MORE_WORDS = 2;
/** The most words that are weighed against a term in all. */
const MOST_WORDS = 6;
/** The most places of a window that are looked at closely, the most promising first. It bounds the time. */
const MOST_PLACES = 16;

/** A term that may have been said, in place of the tokens from `first` up to but not including `end`. */
export interface Weighed {
  term: string;
  tokens: readonly number[];
  first: number;
  end: number;
  /** The log probability of the text with the term less that of the text as heard. */
  margin: number;
  /** The words as heard, and the likeness of their sound to the term, 0..1. */
  heard: string;
  likeness: number;
  /** The confidence of the words, 0..1. */
  confidence: number;
}

/** A term with its tokens, as it is written after a space. */
export interface TermTokens {
  term: string;
  words: number;
  tokens: readonly number[];
}

/** Prepares terms for weighing. */
export const tokensOfTerms = (terms: readonly string[], tokenizer: Tokenizer): TermTokens[] =>
  terms.map((term) => ({
    term,
    words: term.split(/\s+/).length,
    tokens: tokenizer(` ${term}`),
  }));

/** A word of the heard text as a range of tokens, without the punctuation after it. */
interface HeardWord {
  first: number;
  end: number;
  text: string;
  /** Whether a mark follows that ends a phrase. */
  ends: boolean;
}

/** A text to weigh: a term and what comes after it, in place of some words. */
interface Text {
  term: TermTokens;
  first: number;
  end: number;
  tokens: readonly number[];
  /** The log probability of the heard tokens that it replaces, with those after it. */
  heard: number;
  /** The log probability of the tokens that were weighed so far. */
  sum: number;
}

/**
 * Returns the terms that may have been said, the most probable of each place; they may overlap.
 * @param rules the rules by which the text was found
 */
export async function weighTerms(
  decoder: RewindingDecoder,
  rules: SearchRules,
  { tokens }: Pick<FoundText, 'tokens'>,
  terms: readonly TermTokens[],
): Promise<Weighed[]> {
  const words = wordsOf(tokens, rules.bytes);
  if (words.length === 0 || terms.length === 0) return [];
  decoder.begin();
  const logits = await decoder.takeAll([...rules.prompt, ...tokens]);
  decoder.keep();
  /** The logits before a token of the text. */
  const before = (at: number): Float32Array => logits[rules.prompt.length - 1 + at]!;
  const all = [...tokens, rules.end];
  const heard = all.map((token, at) => logProbability(before(at), token));
  const places = words
    .map((_, at) => ({
      at: words[at]!.first,
      texts: textsAt(at, words, all, heard, terms, before),
    }))
    .filter(({ texts }) => texts.length > 0)
    .toSorted((a, b) => best(b.texts) - best(a.texts))
    .slice(0, MOST_PLACES);
  const found: Weighed[] = [];
  for (const { at, texts } of places) {
    decoder.goBack(rules.prompt.length + at);
    for (const text of await weigh(decoder, texts, rules.frames)) {
      const span = heard.slice(text.first, text.end);
      const said = textOf(tokens.slice(text.first, text.end), rules.bytes);
      const { term, tokens: own, likeness } = wholeTerm(text.term, said, terms);
      found.push({
        term,
        tokens: own,
        first: text.first,
        end: text.end,
        margin: marginOf(text),
        heard: said,
        likeness,
        confidence: Math.exp(span.reduce((sum, each) => sum + each, 0) / span.length),
      });
    }
  }
  return found;
}

/** How much more the words must sound like a longer term than like its beginning. */
const LONGER = 0.1;

/**
 * The term that was weighed, or a longer one that begins with it and sounds more like the words: the decoder sometimes
 * ends a name early (“Claude” for “cloud code”, which is “Claude Code”).
 */
function wholeTerm(
  weighed: TermTokens,
  heard: string,
  terms: readonly TermTokens[],
): TermTokens & { likeness: number } {
  let whole = { ...weighed, likeness: likenessToTerm(heard, weighed.term) };
  for (const longer of terms) {
    if (!longer.term.startsWith(`${weighed.term} `)) continue;
    const likeness = likenessToTerm(heard, longer.term);
    if (likeness > whole.likeness + LONGER) whole = { ...longer, likeness };
  }
  return whole;
}

const marginOf = ({ sum, heard }: Text): number => sum - heard;
const best = (texts: readonly Text[]): number =>
  texts.reduce((most, text) => Math.max(most, marginOf(text)), -Infinity);

/**
 * The texts with a term from a word on that may be probable enough: the first token of the term alone must not make
 * them too improbable, and no later token makes them more probable.
 */
function textsAt(
  from: number,
  words: readonly HeardWord[],
  all: readonly number[],
  heard: readonly number[],
  terms: readonly TermTokens[],
  before: (at: number) => Float32Array,
): Text[] {
  const first = words[from]!.first;
  const logits = before(first);
  const total = logits[all[first]!]! - heard[first]!;
  const texts: Text[] = [];
  let sum = 0;
  let at = first;
  for (let to = from; to < words.length; to += 1) {
    const { end, ends } = words[to]!;
    const after = all.slice(end, end + AFTER);
    while (at < end) sum += heard[at++]!;
    const own = after.reduce((whole, _, place) => whole + heard[end + place]!, sum);
    const said = textOfWords(words, from, to);
    for (const term of terms) {
      if (to - from >= term.words + MORE_WORDS || ` ${said} `.includes(` ${term.term} `)) continue;
      const start = logits[term.tokens[0]!]! - total;
      if (start - own < LEAST_MARGIN) continue;
      const tokens = [...term.tokens, ...after];
      texts.push({ term, first, end, tokens, heard: own, sum: start });
    }
    // No term is heard across the end of a phrase.
    if (ends || to - from + 1 >= MOST_WORDS) break;
  }
  return texts;
}

/** Weighs all texts of a place, and returns those that stay probable enough. Texts share the tokens they begin with. */
async function weigh(
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
      if (marginOf(longer) < LEAST_MARGIN) return [];
      if (length + 1 < text.tokens.length) return [longer];
      done.push(longer);
      return [];
    });
  }
  return done;
}

/** The words of a text that begin with a space, and the first one. */
function wordsOf(tokens: readonly number[], bytes: readonly Uint8Array[]): HeardWord[] {
  const texts = tokens.map((id) => textOf([id], bytes));
  const starts = tokens.flatMap((_, at) =>
    /^\s*[\p{L}\p{N}]/u.test(texts[at]!) && (at === 0 || /^\s/.test(texts[at]!)) ? [at] : [],
  );
  return starts.map((first, word) => {
    const until = starts[word + 1] ?? tokens.length;
    let end = until;
    while (end > first + 1 && !/[\p{L}\p{N}]/u.test(texts[end - 1]!)) end -= 1;
    const text = texts.slice(first, end).join('').trim();
    return { first, end, text, ends: /[.?!,;:]/.test(texts.slice(end, until).join('')) };
  });
}

const textOfWords = (words: readonly HeardWord[], from: number, to: number): string =>
  words
    .slice(from, to + 1)
    .map(({ text }) => text)
    .join(' ');

const textOf = (tokens: readonly number[], bytes: readonly Uint8Array[]): string =>
  new TextDecoder().decode(Uint8Array.from(tokens.flatMap((id) => [...(bytes[id] ?? [])])));
