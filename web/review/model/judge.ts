/** Judges a caption of a review: by the limits of its run, and whether it overlaps the next. */
import { assessCue, type JudgedCue } from '../../../server/captions/rules/quality.ts';
import type { CaptionQualityFlag, CaptionSettings } from '../../../server/contract/captions.ts';
import { overlapOf, type ReviewCue } from './cue.ts';

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
