/** Matches → corrections and observations: which are made, which a person should look at. */
import type { TermCategory, TermCorrection, TermObservation } from '../contract/terminology.ts';
import type { TranscriptWord } from '../contract/transcript.ts';
import type { Evidence } from './evidence.ts';
import type { Match } from './match.ts';
import { includesPhrase } from './normalize.ts';
import { spanText } from './replace.ts';

export type Decision = TermCorrection['decision'];

/** How far below the least confidence an edit is still shown for review. */
const REVIEW_MARGIN = 0.25;

/** Over this share of the words changed on mere inference, all such edits go to review… */
const MAX_INFERRED_SHARE = 0.03;
/** …once there are more of them than this: a short clip about the subject may well have a few. */
const MAX_INFERRED_FREE = 5;

/** A correction that has no id yet, with the match it comes from. */
export interface Draft {
  match: Match;
  correction: Omit<TermCorrection, 'id'>;
}

/**
 * Decides on each match: accepted from `minConfidence` on, for review down to .25 below, else
 * rejected. A phonetic likeness is never accepted, whatever the least confidence.
 */
export function decide(
  words: readonly TranscriptWord[],
  matches: readonly Match[],
  minConfidence: number,
): Draft[] {
  const drafts = matches.map((match) => draftOf(words, match, decisionOf(match, minConfidence)));
  return restrain(drafts, words.length);
}

/**
 * The guard against over-correction counts the words changed on inferred evidence (risky mishears,
 * what a language model proposed): where they are more than five edits and over 3 % of the words, all
 * of them go to review. Listed mishears, capitals and spacing do not count: a talk about MCP from a
 * recogniser without capitals changes every tenth word, and rightly.
 */
export function restrain(drafts: Draft[], wordCount: number): Draft[] {
  const inferred = drafts.filter(
    (draft) => INFERRED.has(draft.match.evidence) && isAccepted(draft),
  );
  const changed = inferred.reduce(
    (sum, { match }) => sum + match.lastWord - match.firstWord + 1,
    0,
  );
  if (inferred.length > MAX_INFERRED_FREE && changed > wordCount * MAX_INFERRED_SHARE) {
    for (const { correction } of inferred) {
      correction.decision = 'needs_review';
      correction.reason += ' So many words would change that a person should look.';
    }
  }
  return drafts;
}

/** Whether it changes the transcript. */
export const isAccepted = ({ correction }: Draft): boolean => correction.decision === 'accepted';

/** The order of place. */
export const byPlace = (a: Draft, b: Draft): number =>
  a.correction.firstWord - b.correction.firstWord;

/** Evidence that rests on more than the words themselves. */
export const INFERRED: ReadonlySet<Evidence> = new Set(['risky', 'model']);

/** A match with what was decided on it. */
export function draftOf(words: readonly TranscriptWord[], match: Match, decision: Decision): Draft {
  const { firstWord, lastWord, term, confidence } = match;
  return {
    match,
    correction: {
      firstWord,
      lastWord,
      start: words[firstWord]?.start ?? 0,
      end: words[lastWord]?.end ?? 0,
      before: spanText(words, firstWord, lastWord),
      after: match.replacement,
      category: categoryOf(match),
      confidence,
      decision,
      reason: match.reason,
      packHints: [...term.packIds],
    },
  };
}

/** What the confidence of a match comes to. */
export function decisionOf(
  { confidence, evidence }: Pick<Match, 'confidence' | 'evidence'>,
  minConfidence: number,
): Decision {
  // The margin is reckoned in hundredths: 0.85 - 0.25 is not 0.6 in binary.
  const below = Math.round((minConfidence - confidence) * 1000) / 1000;
  if (below > REVIEW_MARGIN) return 'rejected';
  return below > 0 || evidence === 'phonetic' ? 'needs_review' : 'accepted';
}

/** The term's kind; for a term that only the request knows, what was wrong with it. */
function categoryOf({ term, evidence }: Match): TermCategory {
  if (term.category !== 'other') return term.category;
  return evidence === 'capitalization' ? 'capitalization' : 'spacing_punctuation';
}

const SOURCES = {
  accepted: 'audit_accepted',
  needs_review: 'audit_needs_review',
  rejected: 'audit_rejected',
} as const;

/**
 * What a correction teaches about the packs. `action` is `ignore` for an accepted edit that the
 * packs knew already and for a rejected one, `add_mishear` for an accepted surface that no pack
 * lists, `review` where a person should decide.
 */
export function observe({ match, correction }: Draft, correctionId: string): TermObservation {
  const { decision } = correction;
  return {
    surface: match.surface,
    category: correction.category,
    source: SOURCES[decision],
    action: actionFor(decision, match),
    suggested: correction.after,
    canonical: match.term.canonical,
    correctionId,
    reason: correction.reason,
    confidence: correction.confidence,
    packHints: correction.packHints,
  };
}

function actionFor(
  decision: Decision,
  { evidence, surface, term }: Match,
): TermObservation['action'] {
  if (decision === 'rejected') return 'ignore';
  if (decision === 'needs_review') return 'review';
  // Capitals are the term itself: there is nothing to learn from them.
  if (evidence === 'capitalization') return 'ignore';
  return includesPhrase(term.mishears, surface) ? 'ignore' : 'add_mishear';
}
