/** The matcher's whole word on a transcript: what it is sure of, and what somebody should look at. */
import type { TranscriptWord } from '../contract/transcript.ts';
import { byPlace, decide, type Draft } from './decide.ts';
import type { Matcher } from './match.ts';
import { findPhonetic } from './phonetic.ts';
import { settle } from './settle.ts';

/**
 * Every decision of the matcher, in order of place, none overlapping.
 * @param minConfidence from here on an edit is made
 */
export function decideByMatcher(
  matcher: Matcher,
  words: readonly TranscriptWord[],
  minConfidence: number,
): Draft[] {
  const survey = matcher.survey(words);
  const first = decide(words, survey.matches, minConfidence);
  const settled = settle(matcher, words, first, minConfidence);
  const phonetic = findPhonetic(survey, matcher.terms, settled, minConfidence);
  return [...settled, ...phonetic].sort(byPlace);
}
