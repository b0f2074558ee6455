/**
 * Looks for key terms in a window that was recognised without them, in two ways: by a second search that is biased
 * towards the terms that the words sound like, and by comparing the words with each term in their place. The encoder's
 * output is reused.
 *
 * Chooses among the terms that were weighed for a window, and writes them into its text.
 */
import type { RewindingDecoder } from '../model/decoder.ts';
import { timedTokens, wordsOf } from '../search/align.ts';
import { likeliestText, repeatsItself } from '../search/search.ts';
import { type FoundText, type SearchRules } from '../search/found-text.ts';
import type { WindowResult } from '../search/missed-speech.ts';
import { isUnspaced, spokenWords, type SpokenWord, type SpokenToken } from '../search/text.ts';
import type { NearWords, Pronunciations } from './about-terms.ts';
import { boostOf, type Tokenizer } from './term-prompt.ts';
import { weighTerms, type PromptOf, type Weighed } from './weigh-terms.ts';
import { tokensOfTerms, type TermTokens } from './term-texts.ts';
import {
  similarityAtLeast,
  spokenForms,
  type SpokenForm,
} from '../../terminology/match/similarity.ts';
import { wordParts } from '../../terminology/match/normalize.ts';
import { isOrdinaryText } from '../../terminology/match/ordinary-words.ts';

/**
 * The evidence for a term is the margin after a prompt that names it, plus these weights: of the margin without that
 * prompt, of the similarity of the sounds beyond one half, and of a near word. A prompt makes the names in it more
 * probable than the sound justifies, similar words are confused more often, and a term is likely where people speak
 * about its subject.
 */
const MARGIN = 0.25;
const SIMILARITY = 6;
const NEAR = 4;
/**
 * The evidence that is added for a model without prompts. With Moonshine, all terms that were not spoken had at most -6
 * before in measurements, and most of those that were spoken more than that.
 */
const UNNAMED = 11;
/**
 * The least similarity: words that sound quite unlike a term are other words, however improbable the recognised ones.
 */
const MIN_ALIKE = 0.1;
/**
 * The same for a term that is alone in its window: nonsense recognised for another word is often slightly similar to
 * some term.
 */
const MIN_SIMILARITY_ALONE = 0.4;
/**
 * The least evidence for a term, and for a short one, to which many words are slightly similar. Less is enough in
 * company: if the window contains another term, it is probably about their subject. For short terms it has to contain
 * several.
 */
const LEAST = 5;
const SHORT_MARGIN = 8;
const MIN_IN_COMPANY = -1;
const MIN_SHORT_BESIDE_ONE = 4.5;
/**
 * The same in company for a pronunciation of a term, which often consists of ordinary words, and for one that is short
 * or replaces ordinary words. Without company, a pronunciation never replaces ordinary words.
 */
const MIN_SAYING = 1;
const MIN_DOUBTFUL_SAYING = 3;
/**
 * With so many other terms, a window is certainly about their subject, and even less is enough, except for ordinary
 * words that have no near word and at least this confidence.
 */
const MANY = 3;
const LESS_AMONG_MANY = 1;
const DOUBTED = 0.5;
const SHORT_LETTERS = 4;
/**
 * Ordinary words with at least this confidence were probably meant: a term then needs so much more evidence.
 */
const SURE = 0.8;
const SURE_SURCHARGE = 2.5;

/**
 * The least margin for words that differ from the term only in case, which cannot be heard. In company, several words
 * that are a name in another case are judged like all others.
 */
const MIN_OF_CASE = -1;
/**
 * The least margin for a model without prompts, also for words in another case if they are several or not ordinary.
 */
const MIN_UNNAMED = -9;

/**
 * Whether a term was spoken, judged by the sound.
 * @param company the number of other terms in the window
 */
function isTermSpoken(weighed: Weighed, company: number): boolean {
  const { term, saying, margin, heard, similarity, confidence, near } = weighed;
  const isCaseOnly = heard.toLowerCase() === term.toLowerCase();
  const isOrdinary = isOrdinaryText(heard);
  if (isCaseOnly && !(company > 0 && term.includes(' '))) {
    const isName = weighed.named === null && (term.includes(' ') || !isOrdinary);
    return margin >= (isName ? MIN_UNNAMED : MIN_OF_CASE);
  }
  if (similarity < (company === 0 ? MIN_SIMILARITY_ALONE : MIN_ALIKE)) return false;
  if (weighed.named === null && margin < MIN_UNNAMED) return false;
  const surcharge = confidence >= SURE && isOrdinary ? SURE_SURCHARGE : 0;
  const isShort = (saying ?? term).length <= SHORT_LETTERS;
  return evidenceFor(weighed) >= leastEvidence() + surcharge;

  function leastEvidence(): number {
    const alone = isShort ? SHORT_MARGIN : LEAST;
    if (company === 0) return saying !== undefined && isOrdinary ? Infinity : alone;
    if (isShort && company === 1) return MIN_SHORT_BESIDE_ONE;
    const isDoubtful = !isOrdinary || near || confidence < DOUBTED;
    const less = company >= MANY && isDoubtful ? LESS_AMONG_MANY : 0;
    if (saying === undefined) return MIN_IN_COMPANY - less;
    return (isShort || isOrdinary ? MIN_DOUBTFUL_SAYING : MIN_SAYING) - less;
  }
}

const evidenceFor = ({ named, margin, similarity, near }: Weighed): number =>
  (named === null ? margin + UNNAMED : named + MARGIN * margin) +
  SIMILARITY * (similarity - 0.5) +
  (near ? NEAR : 0);

/** The number of terms that the words contain as written and that are not ordinary words. */
function countTerms(words: readonly { text: string }[], terms: readonly string[]): number {
  const spoken = words.map(({ text }) => wordParts(text).core);
  let all = ` ${spoken.join(' ')} `;
  // The longest first, so that a term within another one does not count.
  const longest = terms.toSorted((one, other) => other.length - one.length);
  return longest.filter((term) => {
    const before = all;
    all = all.replaceAll(` ${term} `, ' | ');
    return all !== before && !isOrdinaryText(term);
  }).length;
}

/**
 * The terms that were spoken, in order and without overlaps; of those that overlap, the best ones.
 * @param company the number of terms in the text as recognised
 */
function saidTerms(weighed: readonly Weighed[], company: number): Weighed[] {
  const kept: Weighed[] = [];
  for (const one of weighed.toSorted((a, b) => evidenceFor(b) - evidenceFor(a))) {
    if (!isTermSpoken(one, company + kept.length)) continue;
    if (kept.every(({ first, end }) => end <= one.first || first >= one.end)) kept.push(one);
  }
  return kept.toSorted((a, b) => a.first - b.first);
}

/** The tokens of a text with terms in place of recognised words; each term shares the time of what it replaces. */
function withTerms(
  tokens: readonly SpokenToken[],
  said: readonly Weighed[],
  bytes: readonly Uint8Array[],
): SpokenToken[] {
  const out: SpokenToken[] = [];
  let at = 0;
  for (const { first, end, tokens: own } of said) {
    const old = tokens.slice(first, end);
    const [start, until] = [old[0]!.start, tokens[end]?.start ?? old.at(-1)!.start];
    const logProbability = old.reduce((sum, token) => sum + token.logProbability, 0) / old.length;
    out.push(...tokens.slice(at, first));
    for (const [place, id] of own.entries()) {
      out.push({
        bytes: bytes[id]!,
        start: start + ((until - start) * place) / own.length,
        logProbability,
      });
    }
    at = end;
  }
  return [...out, ...tokens.slice(at)];
}

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

  function tokensOf(terms: readonly string[], says: Pronunciations) {
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
function termsFinder(): SimilarTerms {
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
