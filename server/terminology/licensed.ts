/** Distinguishes certain findings, and accepts doubtful ones that are supported by others in the talk. */
import type { ActiveTerm } from './compile.ts';
import { contextOf, type Sighting } from './context.ts';
import { CONFIDENCE } from './evidence.ts';
import type { Found, NearWord } from './found.ts';

/** The place of a finding. */
export const sighting = ({ first, last, surface }: Found): Sighting => ({
  first,
  last,
  term: surface.term,
});

/** Whether a finding is certainly the term. */
export const isSure = ({ weak, surface }: Found): boolean =>
  !weak && surface.distinctness === 'sure';

/**
 * The terms that were said clearly: certain ones, and phrases that were heard with the right capitals. A single
 * ordinary word with a capital does not count, because it may begin a sentence.
 */
export const clearOf = (found: readonly Found[]): Set<ActiveTerm> =>
  new Set(
    found.flatMap((one) =>
      isSure(one) || (one.match === null && one.surface.distinctness !== 'ordinary')
        ? one.surface.term
        : [],
    ),
  );

/**
 * Accepts a phrase of ordinary words as a name if a certain term of the same pack is close by, or if the talk has the
 * name elsewhere. A name that was split into ordinary words ("one login") needs both, or a near word in place of the
 * first.
 */
export function licensePhrases(kept: readonly Found[], near: NearWord): void {
  const sightings = kept.filter(isSure).map(sighting);
  const clear = clearOf(kept);
  for (const { first, last, match } of kept) {
    if (!match) continue;
    const { term, confidence, evidence } = match;
    const isSplit = evidence === 'spacing' && confidence === CONFIDENCE.risky;
    if (confidence !== CONFIDENCE.unlicensedPhrase && !isSplit) continue;
    const company =
      contextOf(term, first, last, sightings)?.term.canonical ??
      (isSplit ? near(term, first, last) : null);
    const isClear = clear.has(term);
    if (isSplit ? company === null || !isClear : company === null && !isClear) continue;
    match.confidence = CONFIDENCE.licensedPhrase;
    match.reason =
      company === null
        ? `"${match.surface}" is the name ${term.canonical}, which was said elsewhere too.`
        : `"${match.surface}" is the name ${term.canonical}: ${company} is near.`;
  }
}
