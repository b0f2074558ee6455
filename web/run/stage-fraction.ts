/** Calculates the progress of a run's stages, and the remaining time. */
import { STAGE_PROGRESS } from '../../server/contract/stage-progress.ts';

/** The stages that are shown, in order. */
export const SHOWN_STAGES = [
  'transcription',
  'moderation',
  'terminology_audit',
  'captioning',
] as const;
export type ShownStage = (typeof SHOWN_STAGES)[number];

/**
 * The part of a stage that is done, from 0 to 1.
 * @param progress of the whole run
 */
export function stageFraction(stage: ShownStage, progress: number): number {
  const at = SHOWN_STAGES.indexOf(stage);
  const next = SHOWN_STAGES[at + 1];
  const from = STAGE_PROGRESS[stage];
  const to = next ? STAGE_PROGRESS[next] : 1;
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
