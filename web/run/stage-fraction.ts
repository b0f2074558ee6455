/** Calculates how much of a recording's way is done, and the remaining time. */
import { STAGE_PROGRESS } from '../../server/contract/stage-progress.ts';
import type { Job } from './job.ts';

/** The whole progress once the MP3 is made, and once it is uploaded. */
const MADE = 0.25;
const UPLOADED = 0.4;

/**
 * The whole progress of a recording that was started in this page, from 0 to 1.
 * @param progress of its run, once it has one
 */
export function wholeFraction({ conversion, upload, runId }: Job, progress = 0): number {
  if (runId.value !== null) return UPLOADED + (1 - UPLOADED) * progress;
  if (upload.value.state !== 'waiting') return MADE + (UPLOADED - MADE) * upload.value.fraction;
  return conversion.value.state === 'skipped' ? MADE : MADE * conversion.value.fraction;
}

/**
 * The part of a run's transcription that is done, from 0 to 1.
 * @param progress of the whole run
 */
export function transcribedFraction(progress: number): number {
  const { transcription: from, moderation: to } = STAGE_PROGRESS;
  return Math.min(1, Math.max(0, (progress - from) / (to - from)));
}

/** An observed fraction and its time in milliseconds. */
export interface Seen {
  fraction: number;
  at: number;
}

/** Below this time and fraction no estimate is possible. */
const MIN_MS = 2000;
const MIN_FRACTION = 0.03;

/**
 * The seconds left in a stage, at its pace since it was first observed; null while there is too
 * little to estimate from.
 */
export function secondsLeft(first: Seen, now: Seen): number | null {
  const took = now.at - first.at;
  const done = now.fraction - first.fraction;
  if (took < MIN_MS || done < MIN_FRACTION || now.fraction >= 1) return null;
  const left = ((1 - now.fraction) * took) / done / 1000;
  // Round to 5 or 10 seconds: the estimate is not exact.
  return left < 20 ? Math.ceil(left / 5) * 5 : Math.ceil(left / 10) * 10;
}
