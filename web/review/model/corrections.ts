/** The term corrections of a review, and the edits that accept, reject or reopen them. */
import type { CaptionSettings } from '../../../server/contract/captions.ts';
import type { TermCorrection } from '../../../server/contract/terminology.ts';
import { replaceAt } from './correct-place.ts';
import { nearestPlace } from './correction-places.ts';
import { wordings } from './correction-wordings.ts';
import type { ReviewCue } from './cue.ts';
import type { Decision } from './change.ts';
import type { Splice } from './splice.ts';

/** The fields of a correction that a review needs; times in seconds. */
export type Correction = Pick<
  TermCorrection,
  'id' | 'start' | 'end' | 'before' | 'after' | 'decision'
>;

const INITIAL: Record<Correction['decision'], Decision> = {
  accepted: 'accepted',
  needs_review: 'open',
  rejected: 'rejected',
};

/** The decisions that come with a result, by correction id. */
export const initialDecisions = (
  corrections: readonly Correction[],
): ReadonlyMap<string, Decision> =>
  new Map(corrections.map(({ id, decision }) => [id, INITIAL[decision]]));

/**
 * The text changes that go with a decision: from the current words to those that should. The words
 * are looked for near the time of the correction. Capitals at the start of a sentence and the
 * punctuation around the words stay; lines are broken again only if one becomes too long.
 * @param from the previous decision: only an accepted correction has its words in the text
 * @param language BCP 47
 * @returns an empty list if the text is already right; null if the words are not found
 */
export function decide(
  cues: readonly ReviewCue[],
  correction: Correction,
  from: Decision,
  to: Decision,
  settings: CaptionSettings,
  language: string,
): Splice[] | null {
  const [found, wanted] = [textAt(correction, from), textAt(correction, to)];
  if (found === wanted) return [];
  for (const wording of wordings(found, wanted)) {
    const place = nearestPlace(cues, wording, correction);
    if (place) return [replaceAt(cues, place, wording, settings, language)];
  }
  return null;
}

/** The corrections with the same words before and after, ignoring case; includes the given one. */
export function sameKind<C extends Correction>(
  corrections: readonly C[],
  { before, after }: C,
): C[] {
  const kindOf = (one: string, other: string): string =>
    JSON.stringify([one.toLowerCase(), other.toLowerCase()]);
  const kind = kindOf(before, after);
  return corrections.filter((correction) => kindOf(correction.before, correction.after) === kind);
}

const textAt = ({ before, after }: Correction, decision: Decision): string =>
  decision === 'accepted' ? after : before;
