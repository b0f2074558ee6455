/** Finds the terms that words sound like, among all those of a run. */
import {
  similarityAtLeast,
  spokenForms,
  type SpokenForm,
} from '../../terminology/match/similarity.ts';

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
