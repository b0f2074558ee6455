/** The progress of a run, from 0 to 1, at the start of each stage. Transcription takes by far the longest. */
export const STAGE_PROGRESS = {
  payload: 0,
  transcription: 0.01,
  moderation: 0.9,
  terminology_audit: 0.93,
  correction: 0.97,
  captioning: 0.98,
} as const;

/** A stage in which a run computes or waits. */
export type WorkStage = keyof typeof STAGE_PROGRESS;

/**
 * The progress between the starts of two stages, to a hundredth of a percent.
 * @example
 * progressBetween('transcription', 'moderation', 1); // => 0.9
 */
export function progressBetween(from: WorkStage, to: WorkStage, fraction: number): number {
  const progress = STAGE_PROGRESS[from] + (STAGE_PROGRESS[to] - STAGE_PROGRESS[from]) * fraction;
  return Math.round(progress * 10_000) / 10_000;
}
