/** Builds matches from sound-alikes, each with a confidence. */
import type { ActiveTerm } from '../packs/compile.ts';
import { CONFIDENCE } from '../match/judge.ts';
import type { Match } from '../match/findings.ts';
import type { Survey } from '../match/match.ts';
import { compactKey } from '../match/normalize.ts';
import { replacementFor, surfaceText } from '../match/replace.ts';
import { isTrusted } from '../match/sound-trust.ts';
import type { TokenStream } from '../match/token-stream.ts';

/** A match that sounds like its term, with its similarity, 0..1. */
export type Candidate = Match & { similarity: number };

/** The highest confidence from similarity alone; with default settings such a match is only shown for review. */
const MAX_CONFIDENCE = 0.8;
const MIN_CONFIDENCE = 0.6;

/** A span of tokens that sounds like a term. */
export interface Similarity {
  first: number;
  last: number;
  term: ActiveTerm;
  similarity: number;
  /** The similarity to the next best term. */
  rival: number;
  sound: string;
  accompanied: boolean;
  /** The part of the term that replaces the span; by default all of it. */
  part?: string;
}

/**
 * Builds the match for a span that sounds like a term. It is corrected if the similarity is trusted, and otherwise
 * shown for review.
 */
export function candidate(
  stream: TokenStream,
  { first, last, term, similarity, rival, sound, accompanied, part }: Similarity,
  { clear, english }: Pick<Survey, 'clear' | 'english'>,
): Candidate {
  const { words } = stream;
  const firstWord = stream.wordOf(first);
  const lastWord = stream.wordOf(last);
  const surface = surfaceText(words, firstWord, lastWord);
  const suffix = /['’]s$/i.test(surface) ? "'s" : '';
  // A word that is not English may belong to another language.
  const trusted =
    english &&
    isTrusted({
      words: words.slice(firstWord, lastWord + 1),
      term: compactKey(part ?? term.canonical),
      similarity,
      rival,
      sound,
      near: accompanied,
      clear: clear.has(term),
    });
  return {
    firstWord,
    lastWord,
    term,
    surface,
    replacement: replacementFor(words, {
      firstWord,
      lastWord,
      canonical: part ?? term.canonical,
      suffix,
      head: '',
      tail: '',
    }).replacement,
    ...(trusted
      ? { evidence: 'sound', confidence: CONFIDENCE.sound }
      : { evidence: 'phonetic', confidence: similarityAlone(similarity, accompanied) }),
    reason: `"${surface}" sounds like ${part === undefined ? '' : `${part} of `}${term.canonical}.`,
    similarity,
    ...(part === undefined ? {} : { part: true }),
  };
}

const similarityAlone = (similarity: number, accompanied: boolean): number =>
  hundredths(
    Math.max(MIN_CONFIDENCE, Math.min(MAX_CONFIDENCE, similarity - (accompanied ? 0.06 : 0.2))),
  );

const hundredths = (value: number): number => Math.round(value * 100) / 100;
