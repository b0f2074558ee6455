/** Decides on matches: which are corrected, and which a person should check. */
import type { TermCategory, TermCorrection, TermObservation } from '../contract/terminology.ts';
import type { TranscriptWord } from '../contract/transcript.ts';
import type { Evidence } from './evidence.ts';
import type { Match } from './found.ts';
import { includesPhrase } from './normalize.ts';
import { spanText } from './replace.ts';
import type { Taken } from './taken.ts';

export type Decision = TermCorrection['decision'];

/** Edits up to this far below the minimum confidence are still shown for review. */
const REVIEW_MARGIN = 0.25;

/** If inferred edits change more than this share of the words, they all go to review… */
const MAX_INFERRED_SHARE = 0.03;
/** …provided there are more than this many: a short clip about the subject may well have a few. */
const MAX_INFERRED_FREE = 5;

/** A correction without an id, and its match. */
export interface Draft {
  match: Match;
  correction: Omit<TermCorrection, 'id'>;
}

/**
 * Decides on each match: accepted from `minConfidence` on, for review down to 0.25 below it,
 * otherwise rejected. Likeness alone is never accepted, whatever its confidence.
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
 * Guards against over-correction: if the edits on inferred evidence (risky mishears, words that sound like
 * a term, proposals of a language model) number more than five and change over 3 % of the words, all of them go to review.
 * Listed mishears, capitals and spacing do not count: with a recogniser that writes no capitals, a
 * talk about MCP rightly changes every tenth word.
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
      correction.reason += ' So many words would change that a person should check.';
    }
  }
  return drafts;
}

/** Whether it changes the transcript. */
export const isAccepted = ({ correction }: Draft): boolean => correction.decision === 'accepted';

/** Compares drafts by their place. */
export const byPlace = (a: Draft, b: Draft): number =>
  a.correction.firstWord - b.correction.firstWord;

/** Evidence that goes beyond the words themselves. */
export const INFERRED: ReadonlySet<Evidence> = new Set(['risky', 'sound', 'model']);

/** Builds the correction for a match and its decision. */
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

/** The decision on a match by its confidence. */
export function decisionOf(
  { confidence, evidence }: Pick<Match, 'confidence' | 'evidence'>,
  minConfidence: number,
): Decision {
  // Compares in thousandths, since 0.85 - 0.25 is not exactly 0.6 in binary.
  const below = Math.round((minConfidence - confidence) * 1000) / 1000;
  if (below > REVIEW_MARGIN) return 'rejected';
  return below > 0 || evidence === 'phonetic' ? 'needs_review' : 'accepted';
}

/** The kind of the term; for a term that only the request names, the kind of error. */
function categoryOf({ term, evidence }: Match): TermCategory {
  if (term.category !== 'other') return term.category;
  return evidence === 'capitalization' ? 'capitalization' : 'spacing_punctuation';
}

/** The drafts that overlap neither what is taken nor one before them, in order of place. */
export function withoutOverlaps(drafts: readonly Draft[], taken: Taken): Draft[] {
  const kept: Draft[] = [];
  for (const draft of drafts) {
    const { firstWord, lastWord } = draft.correction;
    if (!taken.isFree(firstWord, lastWord)) continue;
    taken.take(firstWord, lastWord);
    kept.push(draft);
  }
  return kept.sort(byPlace);
}

const SOURCES = {
  accepted: 'audit_accepted',
  needs_review: 'audit_needs_review',
  rejected: 'audit_rejected',
} as const;

/**
 * Builds the observation for maintainers of packs. `action` is `ignore` for a rejected edit and for
 * an accepted one that the packs already know, `add_mishear` for an accepted surface that no pack
 * lists, and `review` if a person should decide.
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
  // A correction of case alone teaches the packs nothing.
  if (evidence === 'capitalization') return 'ignore';
  return includesPhrase(term.mishears, surface) ? 'ignore' : 'add_mishear';
}
