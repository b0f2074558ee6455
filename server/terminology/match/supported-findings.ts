/** Distinguishes certain findings, and accepts doubtful ones that are supported by others in the talk. */
import type { ActiveTerm } from '../packs/compile.ts';
import { CONFIDENCE } from './judge.ts';
import { type Found, type NearWord, contextOf, type Sighting } from './findings.ts';
import type { Distinctness } from './surfaces.ts';

/** The place of a finding. */
export const sighting = ({ first, last, surface }: Found): Sighting => ({
  first,
  last,
  term: surface.term,
});

/** Whether a finding is certainly the term. */
export const isSure = ({ weak, surface }: Found): boolean =>
  !weak && surface.distinctness === 'sure';

const MAY_BE_ANYTHING: ReadonlySet<Distinctness> = new Set(['ordinary', 'symbol']);

/**
 * The terms that were recognised clearly: certain ones, and phrases with the correct capitals. A single
 * ordinary word with a capital does not count, because it may begin a sentence, and neither does "D1", which may be a
 * symbol.
 */
export const clearOf = (found: readonly Found[]): Set<ActiveTerm> =>
  new Set(
    found.flatMap((one) =>
      isSure(one) || (one.match === null && !MAY_BE_ANYTHING.has(one.surface.distinctness))
        ? one.surface.term
        : [],
    ),
  );

/** The number of different terms of a pack from which on a talk is about the pack's subject. */
const TERMS_OF_SUBJECT = 2;

/** The packs that a talk is about: at least two of their terms are certain in it. */
function subjectsOf(found: readonly Found[]): ReadonlySet<string> {
  const terms = new Map<string, Set<ActiveTerm>>();
  for (const { surface } of found.filter(isSure)) {
    for (const id of surface.term.packIds) {
      terms.set(id, (terms.get(id) ?? new Set()).add(surface.term));
    }
  }
  return new Set([...terms].flatMap(([id, { size }]) => (size >= TERMS_OF_SUBJECT ? id : [])));
}

/**
 * Whether a finding is only a doubt: ordinary words that were recognised with low confidence, such as "skim" at 0.4 for
 * SCIM.
 */
export const isDoubted = ({ match }: Found): boolean => match?.confidence === CONFIDENCE.doubted;

/**
 * Drops the findings that need support from the rest of the talk and have none, and raises the confidence of those that
 * have it. "d1" stays if "SQLite" is said nearby, and is dropped in a talk about geometry.
 * - A phrase of ordinary words is a name if a certain term of the same pack is close by, if the talk is about the
 *   subject of its pack, or if the talk has the name elsewhere.
 * - A name that was split into ordinary words ("one login") needs to be elsewhere in the talk, and a certain term or a
 * near word close by.
 * - Ordinary words recognised with low confidence are a term if the talk is about the subject of its pack, unless the
 * same words were recognised with confidence elsewhere in the talk: then they were probably spoken here too.
 * - A name of one letter and one digit ("D1") needs the same as such a phrase. Without support, it is not even shown.
 * @param ordinary the surfaces of ordinary words that were recognised with confidence somewhere
 */
export function supportedFindings(
  found: readonly Found[],
  near: NearWord,
  ordinary: ReadonlySet<string>,
): Found[] {
  const sightings = found.filter(isSure).map(sighting);
  const clear = clearOf(found);
  const subjects = subjectsOf(found);
  const belongs = ({ packIds }: ActiveTerm): boolean => packIds.some((id) => subjects.has(id));
  const kept = found.filter(
    (one) => !isDoubted(one) || (belongs(one.surface.term) && !ordinary.has(one.surface.key)),
  );
  for (const { first, last, match, surface } of kept) {
    if (!match) continue;
    const { term, confidence, evidence } = match;
    if (confidence === CONFIDENCE.doubted) match.confidence = CONFIDENCE.sound;
    if (evidence === 'risky' && confidence === CONFIDENCE.sound && ordinary.has(surface.key)) {
      match.confidence = CONFIDENCE.risky;
    }
    const isSplit = evidence === 'spacing' && confidence === CONFIDENCE.risky;
    if (confidence !== CONFIDENCE.unlicensedPhrase && !isSplit) continue;
    const company =
      contextOf(term, first, last, sightings)?.term.canonical ??
      (isSplit ? near(term, first, last) : null);
    const isClear = clear.has(term);
    const isSubject = belongs(term);
    if (isSplit ? company === null || !isClear : company === null && !isClear && !isSubject)
      continue;
    match.confidence = CONFIDENCE.licensedPhrase;
    const why =
      company !== null
        ? `: ${company} is nearby.`
        : isClear
          ? ', which was said elsewhere too.'
          : ', which belongs to the subject of the talk.';
    match.reason = `"${match.surface}" is the name ${term.canonical}${why}`;
  }
  return kept.filter(
    ({ match, surface }) =>
      surface.distinctness !== 'symbol' || match?.confidence !== CONFIDENCE.unlicensedPhrase,
  );
}
