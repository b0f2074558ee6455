/** All decisions of the matcher on a transcript: certain corrections, and places for review. */
import type { TranscriptWord } from '../../contract/transcript.ts';
import { decide, type Draft } from './decide.ts';
import type { Matcher } from '../match/match.ts';
import { findPhonetic } from './phonetic.ts';
import { decideInRounds } from './decide-in-rounds.ts';

/**
 * All decisions of the matcher, in order of place, without overlaps.
 * @param minConfidence edits are made from this confidence on
 */
export function decideByMatcher(
  matcher: Matcher,
  words: readonly TranscriptWord[],
  minConfidence: number,
): Draft[] {
  const survey = matcher.survey(words);
  const first = decide(words, survey.matches, minConfidence);
  return decideInRounds(matcher, words, first, minConfidence, {
    survey,
    find: (state, isEdited) => findPhonetic(state, matcher.terms, isEdited, minConfidence),
  });
}
