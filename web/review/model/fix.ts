/** The edit that mends a warning. */
import { assessCue } from '../../../server/captions/quality.ts';
import { comfortableSpeed } from '../../../server/captions/reading-speed.ts';
import type { CaptionQualityFlag, CaptionSettings } from '../../../server/contract/captions.ts';
import { textOf, type ReviewCue } from './cue.ts';
import { rebreak } from './edit-text.ts';
import { setTimes } from './edit-times.ts';
import { extendForReading } from './extend.ts';
import { applySplice, type Splice } from './splice.ts';

/**
 * The edit that mends what a warning says of a cue, or betters it as far as the neighbours allow; null
 * where the cue would be no better for it.
 * @param language BCP 47
 */
export function fixFor(
  flag: CaptionQualityFlag,
  cues: readonly ReviewCue[],
  index: number,
  settings: CaptionSettings,
  language: string,
): Splice | null {
  const splice = editFor(flag, cues, index, settings, language);
  if (!splice) return null;
  const penaltyOf = (all: readonly ReviewCue[]): number => {
    const cue = all[index];
    return cue ? assessCue(cue, all[index + 1], settings, language).penalty : 0;
  };
  const before = penaltyOf(cues);
  // At the most a cue can cost, what betters it does not show.
  return before >= 1 || penaltyOf(applySplice(cues, splice)) < before ? splice : null;
}

function editFor(
  flag: CaptionQualityFlag,
  cues: readonly ReviewCue[],
  index: number,
  settings: CaptionSettings,
  language: string,
): Splice | null {
  const cue = cues[index];
  if (!cue) return null;
  if (flag === 'reading_speed_high' || flag === 'duration_below_minimum') {
    return extendForReading(cues, index, comfortableSpeed(textOf(cue)), settings);
  }
  return flag === 'duration_above_maximum'
    ? setTimes(cues, index, { end: cue.start + settings.maxDuration })
    : rebreak(cues, index, settings, language);
}
