/**
 * Looks for key terms in a window that was recognised without them, in two ways: by a second search that is biased
 * towards the terms that the words sound like, and by comparing the words with each term in their place. The encoder's
 * output is reused.
 */
import type { RewindingDecoder } from '../model/decoder.ts';
import { timedTokens, wordsOf } from '../search/align.ts';
import type { FoundText, SearchRules } from '../search/found-text.ts';
import { likeliestText, repeatsItself } from '../search/search.ts';
import type { WindowResult } from '../search/missed-speech.ts';
import { isUnspaced, spokenWords, type SpokenWord } from '../search/text.ts';
import type { NearWords, Pronunciations } from './about-terms.ts';
import { boostOf, type Tokenizer } from './term-prompt.ts';
import { weighTerms, type PromptOf } from './weigh-terms.ts';
import { tokensOfTerms, type TermTokens } from './weigh-texts.ts';
import { countTerms, saidTerms, withTerms } from './weighed-words.ts';
import {
  similarityAtLeast,
  spokenForms,
  type SpokenForm,
} from '../../terminology/match/similarity.ts';

/** The result of recognition without the terms. */
interface Plain {
  found: FoundText;
  words: readonly SpokenWord[];
}

interface Settings {
  rules: SearchRules;
  /** The prompt that names terms, the best first, and is empty if none fits; null for a model without such prompts. */
  promptOf: PromptOf | null;
  terms: readonly string[];
  says: Pronunciations;
  near: NearWords;
  language: string;
}

/** The additions of the second search to a window. */
type KeytermSearch = Pick<WindowResult, 'biased' | 'weighed' | 'biasedFailed'>;

/** Creates the search function, which prepares the terms once, until it is given others. */
export function createKeytermSearch(tokenizer: () => Tokenizer) {
  const alikeIn = termsFinder();
  let known: { key: string; tokens: TermTokens[] } | null = null;

  function tokensOf(terms: readonly string[], says: Pronunciations): TermTokens[] {
    const key = JSON.stringify([terms, says]);
    if (known?.key !== key) known = { key, tokens: tokensOfTerms(terms, tokenizer(), says) };
    return known.tokens;
  }

  return async (
    decoder: RewindingDecoder,
    plain: Plain,
    settings: Settings,
  ): Promise<KeytermSearch> => {
    if (settings.terms.length === 0 || plain.words.length === 0) return {};
    // If the search fails, the words of the first recognition are kept.
    let biasedFailed = false;
    const failed = () => {
      biasedFailed = true;
      return null;
    };
    const biased = await biasedWords(decoder, plain, settings).catch(failed);
    const weighed = await weighedWords(decoder, plain, settings, biased ?? []).catch(failed);
    return {
      ...(biasedFailed ? { biasedFailed } : {}),
      ...(biased ? { biased } : {}),
      ...(weighed ? { weighed } : {}),
    };
  };

  /**
   * The words of the most likely text after a prompt with the terms that the words sound like, which are boosted; null
   * if there are no such terms or the text repeats itself.
   */
  async function biasedWords(
    decoder: RewindingDecoder,
    { words }: Plain,
    { rules, promptOf, terms, language }: Settings,
  ): Promise<SpokenWord[] | null> {
    const alike = alikeIn(
      words.map(({ text }) => text),
      terms,
    );
    if (alike.length === 0) return null;
    const prompt = promptOf ? promptOf(alike) : rules.prompt;
    if (prompt.length === 0) return null;
    const boost = boostOf(alike, tokenizer());
    const found = await likeliestText(decoder, { ...rules, prompt, boost });
    if (repeatsItself(found, rules)) return null;
    const attention = found.attention.slice(prompt.length - rules.prompt.length);
    return wordsOf({ ...found, attention }, rules, language);
  }

  /**
   * Puts terms in the place of words where the audio makes them probable enough; null if it makes none so. Other terms
   * in the window make a term more likely: “cooper netties” beside Docker is Kubernetes. Those of the biased search
   * count too, all but one, because it may have invented one.
   */
  async function weighedWords(
    decoder: RewindingDecoder,
    { found, words }: Plain,
    { rules, promptOf, terms, says, near, language }: Settings,
    biased: readonly SpokenWord[],
  ): Promise<SpokenWord[] | null> {
    if (isUnspaced(language)) return null;
    const weighed = await weighTerms(decoder, found, {
      rules,
      terms: tokensOf(terms, says),
      promptOf,
      near,
    });
    const company = Math.max(countTerms(words, terms), countTerms(biased, terms) - 1);
    const said = saidTerms(weighed, company);
    if (said.length === 0) return null;
    const { tokens, end } = timedTokens(found, rules);
    return spokenWords(withTerms(tokens, said, rules.bytes), language, end);
  }
}

/**
 * The least similarity between words and a term that is used. It can be low, because nothing is replaced without a
 * second search.
 */
const MIN_SIMILARITY = 0.5;
/** The same for a short term, to which some ordinary words are always similar. */
const MIN_SHORT = 0.75;
const FEW_LETTERS = 5;
/** The most words that may have been recognised beyond the number of words in a term. */
const MORE_WORDS = 2;

/**
 * Finds the terms that some of the words sound like, the most similar first. Empty if no term can have been misheard;
 * terms that were recognised as written are left out.
 */
type SimilarTerms = (words: readonly string[], terms: readonly string[]) => string[];

/** A term, or words that follow each other. */
interface Phrase {
  text: string;
  words: number;
  form: SpokenForm;
}

/** Creates the function for the windows of a recording; it prepares the terms once, until it is given others. */
export function termsFinder(): SimilarTerms {
  let known: readonly string[] = [];
  let prepared: Phrase[] = [];
  return (words, terms) => {
    if (terms.length !== known.length || terms.some((term, at) => term !== known[at])) {
      const formOf = spokenForms();
      prepared = terms.map((text) => ({ text, words: wordCount(text), form: formOf(text) }));
      known = [...terms];
    }
    const most = MORE_WORDS + prepared.reduce((longest, term) => Math.max(longest, term.words), 0);
    const spans = spansOf(words.map(withoutMarks), most);
    const heard = new Set(spans.all.map(({ text }) => text));
    return prepared
      .filter(({ text }) => !heard.has(text))
      .map((term) => ({ term: term.text, closeness: closest(spans, term) }))
      .filter(({ closeness }) => closeness > 0)
      .toSorted((a, b) => b.closeness - a.closeness)
      .map(({ term }) => term);
  };
}

const wordCount = (term: string): number => term.split(/\s+/).length;

/** Spans of words by their length, the shortest first, and where each length begins. */
interface Spans {
  all: readonly Phrase[];
  from: readonly number[];
}

/** All spans of at most so many words. */
function spansOf(words: readonly string[], most: number): Spans {
  const formOf = spokenForms();
  const spans = new Map<string, Phrase>();
  for (let first = 0; first < words.length; first += 1) {
    for (let end = first + 1; end <= Math.min(words.length, first + most); end += 1) {
      const text = words.slice(first, end).join(' ');
      if (!spans.has(text)) spans.set(text, { text, words: end - first, form: formOf(text) });
    }
  }
  const all = [...spans.values()].toSorted((a, b) => a.text.length - b.text.length);
  const from: number[] = [];
  for (const [at, { text }] of all.entries()) {
    while (from.length <= text.length) from.push(at);
  }
  return { all, from };
}

/** A word from its first to its last letter or digit. */
function withoutMarks(word: string): string {
  const characters = [...word];
  const isSpoken = (character: string): boolean => /[\p{L}\p{N}]/u.test(character);
  const first = characters.findIndex(isSpoken);
  return first < 0 ? '' : characters.slice(first, characters.findLastIndex(isSpoken) + 1).join('');
}

const leastFor = (term: string): number =>
  term.length <= FEW_LETTERS ? MIN_SHORT : MIN_SIMILARITY;

/**
 * The similarity between a term and the most similar span; 0 if none is similar enough. Spans of more than twice or
 * less than half of its length are left out.
 */
function closest({ all, from }: Spans, { text, words, form }: Phrase): number {
  const least = leastFor(text);
  let best = 0;
  const end = from[text.length * 2 + 1] ?? all.length;
  for (let at = from[Math.ceil(text.length / 2)] ?? all.length; at < end; at += 1) {
    const span = all[at]!;
    if (span.words > words + MORE_WORDS) continue;
    best = Math.max(best, similarityAtLeast(Math.max(best, least), span.form, form));
  }
  return best;
}
