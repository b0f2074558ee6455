/** The text of a warning, with its figures. */
import { speedLimitOf } from '../../server/captions/rules/reading-speed.ts';
import type { JudgedCue } from '../../server/captions/rules/quality.ts';
import type { CaptionQualityFlag, CaptionSettings } from '../../server/contract/captions.ts';
import { text } from '../texts/review.ts';
import { textOf, type ReviewCue } from './model/cue.ts';

/** A sentence with the actual value and the limit. */
export function warningText(
  flag: CaptionQualityFlag,
  cue: ReviewCue,
  quality: JudgedCue['quality'],
  settings: CaptionSettings,
): string {
  const texts = text.review.warning;
  const figures: Record<CaptionQualityFlag, [is: number, limit: number]> = {
    duration_below_minimum: [quality.duration, settings.minDuration],
    duration_above_maximum: [quality.duration, settings.maxDuration],
    line_count_above_maximum: [quality.lineCount, settings.maxLines],
    line_length_above_maximum: [Math.max(0, ...quality.lineLengths), settings.maxLineChars],
    reading_speed_high: [quality.charsPerSecond, speedLimitOf(textOf(cue))],
    dangling_line_break: [0, 0],
  };
  return texts[flag](...figures[flag]);
}
