/** Merges two cues. */
import type { CaptionSettings } from '../../../server/contract/captions.ts';
import type { ReviewCue } from './cue.ts';
import { joinCues } from './join-cues.ts';
import { replaceCues, type Splice } from './splice.ts';

/**
 * Merges a cue with the next: the result has the id of the first, the time of both, and their words
 * in new lines.
 * @param language BCP 47
 */
export function mergeWithNext(
  cues: readonly ReviewCue[],
  index: number,
  settings: CaptionSettings,
  language: string,
): Splice | null {
  const cue = cues[index];
  const next = cues[index + 1];
  if (!cue || !next) return null;
  return replaceCues(cues, index, 2, [joinCues([cue, next], settings, language)]);
}
