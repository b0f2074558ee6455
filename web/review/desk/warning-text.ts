/** The text of a warning, with its figures. */
import { speedLimitOf } from '../../../server/captions/rules/reading-speed.ts';
import type { CaptionSettings } from '../../../server/contract/captions.ts';
import { text } from '../../texts/review.ts';
import { textOf, type ReviewCue } from '../model/cue.ts';
import type { Flag, Judged } from '../model/judge.ts';

/** A sentence with the actual value and the limit. */
export function warningText(
  flag: Flag,
  cue: ReviewCue,
  { quality, overlap }: Judged,
  settings: CaptionSettings,
): string {
  const texts = text.review.warning;
  const figures: Record<Flag, [is: number, limit: number]> = {
    duration_below_minimum: [quality.duration, settings.minDuration],
    duration_above_maximum: [quality.duration, settings.maxDuration],
    line_count_above_maximum: [quality.lineCount, settings.maxLines],
    line_length_above_maximum: [Math.max(0, ...quality.lineLengths), settings.maxLineChars],
    reading_speed_high: [quality.charsPerSecond, speedLimitOf(textOf(cue))],
    dangling_line_break: [0, 0],
    overlaps_next: [overlap, 0],
  };
  return texts[flag](...figures[flag]);
}
