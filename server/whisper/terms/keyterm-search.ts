/**
 * Looks for key terms in a window that was recognised without them, in two ways: by a second search that is biased
 * towards the terms that the words sound like, and by comparing the words with each term in their place. The encoder's
 * output is reused.
 */
import type { RewindingDecoder } from '../model/decoder.ts';
import { timedTokens, wordsOf } from '../search/timed-words.ts';
import { likeliestText, repeatsItself } from '../search/search.ts';
import { type FoundText, type SearchRules } from '../search/found-text.ts';
import type { WindowResult } from '../search/missed-speech.ts';
import { isUnspaced, spokenWords, type SpokenWord } from '../search/text.ts';
import type { NearWords } from './near-terms.ts';
import type { Pronunciations } from './pronunciations.ts';
import { type Tokenizer } from './term-prompt.ts';
import { boostOf } from './term-boost.ts';
import { weighTerms, type PromptOf } from './weigh-terms.ts';
import { tokensOfTerms, type TermTokens } from './term-texts.ts';
import { termsFinder } from './similar-terms.ts';
import { countTerms, saidTerms, withTerms } from './chosen-terms.ts';

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
  pronunciations: Pronunciations;
  near: NearWords;
  language: string;
}

/** The additions of the second search to a window. */
type KeytermSearch = Pick<WindowResult, 'biased' | 'weighed' | 'biasedFailed'>;

/** Creates the search function, which prepares the terms once, until it is given others. */
export function createKeytermSearch(tokenizer: () => Tokenizer) {
  const alikeIn = termsFinder();
  let known: { key: string; tokens: TermTokens[] } | null = null;

  function tokensOf(terms: readonly string[], pronunciations: Pronunciations) {
    const key = JSON.stringify([terms, pronunciations]);
    if (known?.key !== key)
      known = { key, tokens: tokensOfTerms(terms, tokenizer(), pronunciations) };
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
    { rules, promptOf, terms, pronunciations, near, language }: Settings,
    biased: readonly SpokenWord[],
  ): Promise<SpokenWord[] | null> {
    if (isUnspaced(language)) return null;
    const weighed = await weighTerms(decoder, found, {
      rules,
      terms: tokensOf(terms, pronunciations),
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
