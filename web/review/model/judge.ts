/**
 * Judges a caption of a review, by the limits of its run and whether it overlaps the next, and says so with its
 * figures.
 */
import { assessCue, type JudgedCue } from '../../../server/captions/rules/quality.ts';
import type { CaptionQualityFlag, CaptionSettings } from '../../../server/contract/captions.ts';
import { overlapOf, type ReviewCue, textOf } from './cue.ts';
import { speedLimitOf } from '../../../server/captions/width.ts';
import { text } from '../../texts/review.ts';

/** A problem of a caption: one that the service reports, or an overlap, which only files have. */
export type Flag = CaptionQualityFlag | 'overlaps_next';

/** A caption's figures and warnings. */
export interface Judged extends Omit<JudgedCue, 'warnings'> {
  readonly warnings: readonly { flag: Flag; severity: 'info' | 'warning'; says: string }[];
  /** By how many seconds it overlaps the next. */
  readonly overlap: number;
}

/**
 * Judges a caption; the result holds until it, the next one or the settings change.
 * @param language BCP 47
 */
export function judgeCue(
  cue: ReviewCue,
  next: ReviewCue | undefined,
  settings: CaptionSettings,
  language: string,
): Judged {
  const judged = assessCue(cue, next, settings, language);
  const overlap = overlapOf(cue, next);
  if (overlap === 0) return { ...judged, overlap };
  const says = `overlaps the next by ${overlap} s`;
  return {
    ...judged,
    overlap,
    warnings: [...judged.warnings, { flag: 'overlaps_next', severity: 'warning', says }],
  };
}

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
