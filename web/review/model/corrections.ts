/** The term corrections of a review, and the edits that accept, reject or reopen them. */
import type { CaptionSettings } from '../../../server/contract/captions.ts';
import type { EvidentPack } from '../../../server/contract/terminology.ts';
import { packDecision } from '../../../server/contract/evident-packs.ts';
import type { TermCorrection } from '../../../server/contract/terminology.ts';
import { replaceSpoken } from '../../../server/captions/divide/replace-spoken.ts';
import type { ReviewCue } from './cue.ts';
import type { Decision } from './history.ts';
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

/** The decisions that come with a result, by the id of the correction or of the decision on a pack that it used. */
export const initialDecisions = (
  corrections: readonly Correction[],
  packs: readonly Pick<EvidentPack, 'id'>[] = [],
): ReadonlyMap<string, Decision> =>
  new Map([
    ...corrections.map(({ id, decision }) => [id, INITIAL[decision]] as const),
    ...packs.map((pack) => [packDecision(pack), 'accepted'] as const),
  ]);

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
  const replaced = replaceSpoken(cues, found, wanted, correction, settings, language);
  return replaced && [replaced];
}

const textAt = ({ before, after }: Correction, decision: Decision): string =>
  decision === 'accepted' ? after : before;
