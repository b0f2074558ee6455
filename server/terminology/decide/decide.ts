/** Decides which matches are corrected, and which a person should check. */
import type { TermCategory, TermCorrection, TermObservation } from '../../contract/terminology.ts';
import type { TranscriptWord } from '../../contract/results.ts';
import type { Evidence } from '../match/judge.ts';
import type { Match, FreePlaces } from '../match/findings.ts';
import { includesPhrase } from '../match/normalize.ts';
import { spanText } from '../match/replace.ts';

type Decision = TermCorrection['decision'];

/** Edits up to this far below the minimum confidence are shown for review. */
const REVIEW_MARGIN = 0.25;

/** If inferred edits change more than this share of the words, they all go to review … */
const MAX_INFERRED_SHARE = 0.03;
/** … but only if there are more than this many, since a short clip about the subject may well have a few. */
const MAX_INFERRED_FREE = 5;

/** A correction without an id, and its match. */
export interface Draft {
  match: Match;
  correction: Omit<TermCorrection, 'id'>;
}

/**
 * Decides on each match: it is accepted from `minConfidence` on, shown for review down to 0.25 below it, and otherwise
 * rejected. Similarity alone is never accepted, whatever its confidence.
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
 * Guards against over-correction. If more than five edits rest on inferred evidence (risky mishears, words that sound
 * like a term, proposals of a language model), and they change more than 3% of the words, all of them go to review.
 * Listed mishears, capitals and spacing do not count: with a recogniser that writes no capitals, every tenth word of a
 * talk about MCP is rightly changed.
 * @example
 * const match = { evidence: 'sound', firstWord: 0, lastWord: 0 };
 * const draft = { match, correction: { decision: 'accepted', reason: 'It sounds like SCIM.' } };
 * const six = Array.from({ length: 6 }, () => structuredClone(draft) as Draft);
 * restrain(six, 100).some(isAccepted); // => false
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

/**
 * Whether a draft changes the transcript.
 * @example
 * isAccepted({ correction: { decision: 'needs_review' } } as Draft); // => false
 */
export const isAccepted = ({ correction }: Draft): boolean => correction.decision === 'accepted';

/** Compares drafts by their place. */
export const byPlace = (a: Draft, b: Draft): number =>
  a.correction.firstWord - b.correction.firstWord;

/** The kinds of evidence that go beyond the words themselves. */
export const INFERRED: ReadonlySet<Evidence> = new Set(['risky', 'sound', 'model']);

/** Builds the correction for a match and its decision. */
export function draftOf(words: readonly TranscriptWord[], match: Match, decision: Decision): Draft {
  const { firstWord, lastWord, term, confidence } = match;
  return {
    match,
    correction: {
      firstWord,
      lastWord,
      start: words[firstWord]!.start,
      end: words[lastWord]!.end,
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

/**
 * The decision on a match by its confidence.
 * @example
 * decisionOf({ confidence: 0.97, evidence: 'mishear' }, 0.85); // => 'accepted'
 * decisionOf({ confidence: 0.97, evidence: 'phonetic' }, 0.85); // => 'needs_review'
 */
export function decisionOf(
  { confidence, evidence }: Pick<Match, 'confidence' | 'evidence'>,
  minConfidence: number,
): Decision {
  // Compared in thousandths, since 0.85 - 0.25 is not exactly 0.6 in binary.
  const below = Math.round((minConfidence - confidence) * 1000) / 1000;
  if (below > REVIEW_MARGIN) return 'rejected';
  return below > 0 || evidence === 'phonetic' ? 'needs_review' : 'accepted';
}

/** The kind of the term; for a term that only the request names, the kind of error. */
function categoryOf({ term, evidence }: Match): TermCategory {
  if (term.category !== 'other') return term.category;
  return evidence === 'capitalization' ? 'capitalization' : 'spacing_punctuation';
}

/**
 * The drafts that overlap neither taken places nor earlier drafts, in order of place.
 * @example
 * const at = (firstWord: number, lastWord: number) => ({ correction: { firstWord, lastWord } }) as Draft;
 * withoutOverlaps([at(1, 2), at(2, 3), at(0, 0)], freePlaces(4)).map(({ correction }) => correction.firstWord);
 * // => [0, 1]
 */
export function withoutOverlaps(drafts: readonly Draft[], taken: FreePlaces): Draft[] {
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
 * Builds the observation for maintainers of packs. `action` is `ignore` for a rejected edit, and for an accepted one
 * that the packs already contain; it is `add_mishear` for an accepted surface that no pack lists, and `review` if a
 * person should decide.
 * @example
 * const term = { canonical: 'SCIM', mishears: ['skim'] };
 * const match = { surface: 'skeem', evidence: 'sound', term };
 * observe({ match, correction: { decision: 'accepted' } } as Draft, 'correction-1').action; // => 'add_mishear'
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
  // A correction of case alone adds nothing to the packs.
  if (evidence === 'capitalization') return 'ignore';
  return includesPhrase(term.mishears, surface) ? 'ignore' : 'add_mishear';
}
